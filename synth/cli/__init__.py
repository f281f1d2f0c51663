"""The command line: `python -m synth`, also installed as `marginalia`.

Each command has a file with `add(commands)` for its arguments and a function for its work. Heavy imports
happen only when a command needs them.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from synth.cli.console import Console
from synth.core.errors import MarginaliaError, with_notes


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. An error is one sentence on stderr, never a traceback."""
    from synth.cli.parser import parse

    asked = parse(sys.argv[1:] if arguments is None else list(arguments))
    console = Console(as_json=asked.json)
    try:
        return int(asked.command(asked, console))
    except MarginaliaError as error:
        console.error(error)
        return error.exit_code
    except KeyboardInterrupt as stop:
        console.say_error(f"Stopped. {with_notes(stop)}".rstrip())
        return 5
    except BrokenPipeError:
        sys.stderr.close()  # the reader of the pipe has closed it
        return 1
    except Exception as error:
        from synth.app.jobs.hardening import fault, fresh_reference

        console.fault(fault(error, fresh_reference()))
        return 1
