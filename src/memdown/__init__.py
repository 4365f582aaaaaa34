"""Memory for AI agents that is plain Markdown."""

__version__ = "0.1.0"
