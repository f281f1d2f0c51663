"""`python -m synth`: the command line."""

from synth.cli import run

if __name__ == "__main__":
    run()
