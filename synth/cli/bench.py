"""`bench`: measure speed and error on public data."""

from __future__ import annotations

import argparse

from synth.cli.arguments import Commands, command
from synth.cli.console import Console


def add(commands: Commands, *, wanted: bool) -> None:
    """Add the command.

    Its arguments are declared only if the user called it, because declaring them imports the engine.
    """
    parser = command(commands, "bench", bench, "measure speed and error on the public benchmark tables")
    if wanted:
        from synth.bench.run import add_arguments

        add_arguments(parser)


def bench(args: argparse.Namespace, console: Console) -> int:
    from synth.bench.run import run

    return int(run(args) or 0)
