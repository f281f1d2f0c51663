"""`python -m synth`: the command line."""

import sys

from synth.cli import main

if __name__ == "__main__":
    sys.exit(main())
