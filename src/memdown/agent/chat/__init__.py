"""The reference agent: a small terminal chat that shows how an agent uses its memory."""
