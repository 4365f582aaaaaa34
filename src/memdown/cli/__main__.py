"""`python -m memdown.cli`: the same as `memdown`."""

from memdown.cli import main

main()
