"""Declare commands: name, summary, and the options that all commands share."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn, Protocol

from synth.cli.console import Console
from synth.core.errors import Mistake


class Commands(Protocol):
    """A collection of commands, as returned by `ArgumentParser.add_subparsers`."""

    def add_parser(self, name: str, **options: Any) -> argparse.ArgumentParser: ...


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one sentence, like all other errors, without the list of all arguments."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.register("type", int, _whole)
        self.register("type", float, _number)

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message.rstrip('.')}. See: {self.prog} --help\n")


def _number(typed: str) -> float:
    try:
        return float(typed)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{typed!r} is not a number. Write a number such as 0.5") from None


def _whole(typed: str) -> int:
    try:
        return int(typed)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{typed!r} is not a whole number. Write digits only") from None


Work = Callable[[argparse.Namespace, Console], int]

EXIT_CODES = """exit codes:
  0  done
  1  a bug in the program
  2  invalid input
  3  the budget does not cover it (with the requested and missing amounts); no query was sent
  4  the private side refused, with a fixed message
  5  cancelled, or paused because another run was using the ledger; can be resumed; spent budget stays spent
  6  the worker stopped unexpectedly; resume to continue from its stored measurements
  7  a check did not pass (check, verify, schema check, ledger verify), or a release stopped because its table
     does not fit the declaration; spent budget stays spent; continue with --resume RUN --continue-unfit

places (full paths; see: marginalia where):
  MARGINALIA_HOME    everything        (default: marginalia in your data folder)
  MARGINALIA_LEDGER  the ledger file   (default: ledger.sqlite in the home)
  MARGINALIA_FOLDER  tables to open    (default: tables in the home)
  MARGINALIA_CONNECTIONS  connections to databases (default: connections.toml in your config folder)

public work, such as another table from a release package:
  MARGINALIA_EXECUTOR  where it runs: here, folder:/full/path  (default: here)
"""
FAILED_CHECK = 7
WHICH_HELP = "the table to use from a DuckDB file that contains several"
TABLE_HELP = (
    "a file (CSV, also .gz or .zip; .xlsx, .sav, .dta, .sas7bdat, Parquet, Arrow, DuckDB), a folder, "
    "a pattern in quotes ('people-*.csv'), or database:NAME for a connection"
)
DEVICE_HELP = "device for models that can use a GPU: cuda, mps, cpu or auto (default: auto)"
EXECUTOR_HELP = (
    "where the work runs: here, or folder:/full/path (see: marginalia worker) (default: MARGINALIA_EXECUTOR, "
    "else here)"
)


def command(commands: Commands, name: str, work: Work, help: str) -> argparse.ArgumentParser:
    """Add a command with the options that all commands share."""
    parser = commands.add_parser(
        name,
        help=help,
        description=help,
        epilog="For exit codes and environment variables, see: marginalia --help",
        allow_abbrev=False,
    )
    parser.add_argument("--json", action="store_true", help="one JSON object per line on stdout")
    parser.set_defaults(command=work)
    return parser


def group(commands: Commands, name: str, help: str) -> Commands:
    """Add a command that has subcommands, such as `ledger`."""
    parser = commands.add_parser(name, help=help, description=help, allow_abbrev=False)
    return parser.add_subparsers(title="commands", metavar="COMMAND", required=True)


def existing_file(typed: str, *, what: str) -> Path:
    """Return the absolute path of an existing file. Raises: `Mistake` that quotes the typed path."""
    path = Path(typed).expanduser()
    if not path.is_file():
        raise Mistake(f"There is no {what} at {typed!r}. Check the path.")
    return path.absolute()


def add_table(parser: argparse.ArgumentParser, *, help: str, required: bool = False) -> None:
    """Add the arguments for the private table: `--data`, and `--table` for a DuckDB file."""
    parser.add_argument("--data", metavar="TABLE", required=required, help=f"{help}: {TABLE_HELP}")
    parser.add_argument("--table", default="", metavar="NAME", help=WHICH_HELP)


def write_new(path: Path, text: str) -> None:
    """Write a text file that does not exist yet. Raises: `Mistake` if it cannot be written."""
    try:
        with path.open("x", encoding="utf-8") as out:
            out.write(text)
    except FileExistsError:
        raise Mistake(f"{str(path)!r} already exists. Choose another name.") from None
    except OSError:
        raise Mistake(f"{str(path)!r} cannot be written. Check the folder and its permissions.") from None


FORMS_HELP = (
    "xlsx, dta (Stata), sav (SPSS), excel (CSV for Excel), or source (CSV with the decimal sign and dates of "
    "the file)"
)


def add_forms(parser: argparse.ArgumentParser) -> None:
    """Add the argument for further formats of the synthetic table."""
    parser.add_argument(
        "--also",
        action="append",
        default=[],
        metavar="FORMAT",
        help=f"a further format of the table; repeatable: {FORMS_HELP}",
    )


def add_options(parser: argparse.ArgumentParser, name: str, *, help: str) -> None:
    """Add an argument for the options of a method or generator, which `options.options_typed` reads."""
    parser.add_argument(name, action="append", default=[], metavar="NAME=VALUE", help=help)
