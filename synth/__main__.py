"""Run the command line: `python -m synth`."""

from synth.cli import run

if __name__ == "__main__":
    run()
