"""The parser of all commands with their arguments."""

from __future__ import annotations

import argparse
from functools import cache

from synth.cli import app, bench, evaluate, jobs, ledger, release, schema, sketch, where, worker
from synth.cli.arguments import EXIT_CODES, Parser
from synth.cli.package import ask, export, judge, publish, regenerate, verify


def parse(arguments: list[str]) -> argparse.Namespace:
    """Parse a command line.

    In the result, `command` is the function to call, and `json` is true if the output is for a program. Exits
    with code 2 for invalid arguments and with 0 after --help.
    """
    parser = _parser(benches=arguments[:1] == ["bench"])
    args, later = parser.parse_known_args(arguments)
    if any(word.startswith("-") for word in later) or (later and args.command is not ask.ask):
        parser.parse_args(arguments)  # reports the arguments that no command knows
    if later:
        args.question += later  # conditions after an option, such as: mean income --by ward sex=female
    return args


@cache
def _parser(*, benches: bool) -> Parser:
    """Return the parser. Those of `bench` import much, so they are added only if it `benches`."""
    parser = Parser(
        prog="marginalia",
        description="Turn a private table into a differentially private synthetic one.",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    about_packages = (regenerate, judge, ask, verify, export, publish)
    for module in (schema, sketch, release, *about_packages, evaluate, ledger, jobs, worker, app, where):
        module.add(commands)
    bench.add(commands, wanted=benches)
    return parser
