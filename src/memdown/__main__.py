"""`memdown` and `python -m memdown`: the command line.

It is loaded here, where Ctrl-C is caught already: loading takes longer than some commands.
"""

import gc
import sys

# Loading makes many objects that stay; looking for garbage among them took a twentieth of a search.
_OBJECTS_A_COLLECTION = 200_000


def main() -> None:
    """Load the command line and run it."""
    gc.set_threshold(_OBJECTS_A_COLLECTION)
    try:
        from memdown.cli import main as run

        run()
    except KeyboardInterrupt:
        sys.stderr.write("memdown: stopped before it began; run the command again.\n")
        sys.exit(130)
    finally:
        # Python would look for garbage among all objects twice before it ends.
        gc.freeze()


if __name__ == "__main__":
    main()
