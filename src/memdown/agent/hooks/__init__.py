"""Hooks of coding agents: memory at the start of a session, and nothing lost at its end."""
