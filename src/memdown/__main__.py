"""`memdown` and `python -m memdown`: the command line.

It is loaded here, where Ctrl-C is caught already: loading takes longer than some commands.
"""

import sys


def main() -> None:
    """Load the command line and run it."""
    try:
        from memdown.cli import main as run

        run()
    except KeyboardInterrupt:
        sys.stderr.write("memdown: stopped before it began; run the command again.\n")
        sys.exit(130)


if __name__ == "__main__":
    main()
