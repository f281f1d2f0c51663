"""The command line: `python -m synth`, also installed as `marginalia`.

Each command has its own module, with a function `add(commands)` that declares its arguments and a function
that runs it. Large libraries are imported only when a command needs them.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from io import TextIOWrapper
from typing import NoReturn

from synth.core.system.fixed import collect_rarely, start_fixed


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. An error is printed to stderr as one sentence, without a
    traceback.
    """
    from synth.cli.console import Console
    from synth.cli.parser import parse
    from synth.core.errors import Code, MarginaliaError, Refusal, is_disk_full, with_notes

    args = parse(sys.argv[1:] if arguments is None else list(arguments))
    console = Console(as_json=args.json)
    try:
        return int(args.command(args, console))
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
        if is_disk_full(error):
            console.error(full := Refusal(Code.DISK_FULL))
            return full.exit_code
        from synth.app.jobs.hardening import fault, fresh_reference

        console.fault(fault(error, fresh_reference()))
        return 1


def run() -> NoReturn:
    """Run the command of this process, then exit.

    All output is UTF-8, because titles and sentences can contain any character, also where the locale is C.
    Registered exit functions run, but the interpreter is not shut down. Otherwise, Arrow threads that are
    still starting could abort the process after all output is written.
    """
    for stream, errors in ((sys.stdout, "surrogateescape"), (sys.stderr, "backslashreplace")):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors=errors)
    collect_rarely()
    if sys.argv[1:2] == ["release"]:
        start_fixed()  # so that the worker can be forked from this process
        gc.disable()  # imported objects last as long as the process
    try:
        code = main()
    except SystemExit as end:  # raised by argparse
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    atexit._run_exitfuncs()  # noqa: SLF001
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # its reader has closed it
            stream.flush()
    os._exit(code)
