"""`python -m memdown`: the command line."""

from memdown.cli import main

main()
