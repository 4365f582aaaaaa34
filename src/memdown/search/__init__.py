"""Question → answer."""
