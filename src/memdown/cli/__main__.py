"""`python -m memdown.cli`: the same as `memdown`."""

from memdown.__main__ import main

main()
