"""What is done with facts as a whole: forgetting, reviewing and tidying them, and what is asked."""

# Set while a coding agent is asked by us: its own hooks must not take that for a conversation.
ASKING = "MEMDOWN_ASKING"
