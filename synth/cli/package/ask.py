"""`ask`: answer a question from the measurements of a release package. This spends no budget."""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from synth.cli.app import LOOPBACK, serve
from synth.cli.arguments import Commands, command, write_new
from synth.cli.console import Console
from synth.core.errors import Mistake
from synth.core.schema import Kind

if TYPE_CHECKING:
    import pandas as pd

    from synth.analyst.answers import Answer
    from synth.analyst.kit import Kit

QUESTIONS = (
    "count",
    "share",
    "difference",
    "table",
    "mean",
    "total",
    "quantile",
    "regression",
    "logistic",
    "rows",
    "impute",
    "drift",
    "unfit",
)
CONDITION = re.compile(r"(?P<column>.+?)\s*(?P<sign>>=|<=|=|>|<)(?P<value>.*)", re.DOTALL)
COMPARED = re.compile(r"\s*(?P<sign>>=|<=|=|>|<)(?P<value>.*)", re.DOTALL)
HELP = (
    "count CONDITION..., share CONDITION..., difference CONDITION... --less CONDITION..., table COLUMN..., "
    "mean COLUMN [CONDITION...], total COLUMN [CONDITION...], quantile COLUMN [CONDITION...], "
    "regression 'income ~ age + education', logistic 'smokes ~ age', rows [CONDITION...], "
    "impute TABLE.csv, drift LATER_RELEASE, "
    "or unfit for the shares of cells that did not fit their declaration. "
    "Conditions: sex=female, ward='Quayside|Old Town', 'age>=60', age=60..64, and 'income=' for blank. Quote "
    "< and > for the shell. Without a question, a page for questions opens in a browser"
)


def add(commands: Commands) -> None:
    parser = command(
        commands, "ask", ask, "answer a question about a release with its uncertainty; uses no budget"
    )
    parser.add_argument("release", metavar="RELEASE", help="the folder or the zip of a release")
    parser.add_argument("question", nargs="*", metavar="QUESTION", help=HELP)
    parser.add_argument(
        "--among",
        nargs="+",
        metavar="CONDITION",
        default=(),
        help="the records of which a share is computed",
    )
    parser.add_argument(
        "--less",
        nargs="+",
        metavar="CONDITION",
        default=(),
        help="the second group of records, which a difference subtracts",
    )
    parser.add_argument(
        "--mean", metavar="COLUMN", help="a difference of means of this column, not of counts"
    )
    parser.add_argument(
        "--with",
        dest="others",
        nargs="+",
        metavar="RELEASE",
        default=(),
        help="later releases about the same people; their measurements are combined with this one",
    )
    parser.add_argument("--by", metavar="COLUMN", help="one mean or total for each group of this column")
    parser.add_argument("--at", type=float, default=0.5, help="which quantile (default: 0.5, the median)")
    parser.add_argument(
        "--level", type=float, default=0.95, help="confidence of the intervals (default: 0.95)"
    )
    parser.add_argument(
        "--one-by-one",
        action="store_true",
        help="separate intervals for the cells of a table, not simultaneous ones",
    )
    parser.add_argument(
        "--population",
        action="store_true",
        help="drift between populations, if the two tables are independent random samples",
    )
    parser.add_argument("--rows", type=int, default=1000, help="number of rows (default: 1000)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the rows (default: 0)")
    parser.add_argument("--out", metavar="FILE", help="new CSV file for rows, a table or a drift")
    parser.add_argument("--port", type=int, default=8501, help="port of the page (default: 8501)")
    parser.add_argument("--no-browser", action="store_true", help="do not open a browser window for the page")


def ask(args: argparse.Namespace, console: Console) -> int:
    """Answer a question in words or as JSON. Without a question, serve a page for asking questions."""
    from synth.analyst.kit import open_release, open_together
    from synth.release.csv_text import of_any

    if not args.question:
        if args.others:
            raise Mistake("The page shows one release. Leave out --with, or type a question.")
        open_release(args.release)  # an unreadable package is reported here, not on the page
        package = str(Path(args.release).absolute())
        serve(LOOPBACK, args.port, is_quiet=args.no_browser, console=console, package=package)
    typed = shlex.split(args.question[0]) if len(args.question) == 1 else args.question
    kind, *words = typed or [""]
    if kind not in QUESTIONS:
        raise Mistake(f"{kind!r} is not a kind of question. Choose one of: {', '.join(QUESTIONS)}.")
    if not 0 < args.level < 1:
        raise Mistake(f"The confidence must be between 0 and 1 (you gave {args.level:g}).")
    kit = open_together([args.release, *args.others])
    if kind == "table":
        table = kit.table(words, simultaneous=not args.one_by_one, level=args.level)
        if args.out:
            write_new(Path(args.out), of_any(table.frame()))
        shown = "\n" + table.frame().round(1).to_string(index=False) if table.cells and not args.out else ""
        console.result(table.sentence + shown, answer=table.facts())
    elif kind == "drift":
        if len(words) != 1:
            raise Mistake("Name one later release, such as: drift later.zip.")
        found = kit.drift(open_release(words[0]), level=args.level, population=args.population)
        if args.out:
            write_new(Path(args.out), of_any(found.frame()))
        console.result(found.sentence, answer=found.facts())
    elif kind == "unfit":
        shares = kit.unfit()
        lines = [f"{one.column}, {one.reason}: {one.words}" for one in shares]
        console.result(
            "\n".join(lines) or "This release has no such figures.", answer=[asdict(one) for one in shares]
        )
    elif kind in ("rows", "impute"):
        if not args.out:
            raise Mistake("Rows are written to a file. Name it with --out.")
        own = None if kind == "rows" else _own_table(kit, words)
        drawn = (
            kit.rows(conditions(kit, words), n=args.rows, seed=args.seed)
            if own is None
            else kit.impute(own, seed=args.seed)
        )
        write_new(Path(args.out), of_any(drawn.table, own=own))
        console.result(drawn.sentence, out=args.out, probability=drawn.probability)
    else:
        answers = _answers(kit, kind, words, args)
        console.result("\n".join(a.sentence for a in answers), answers=[a.facts() for a in answers])
    return 0


def _own_table(kit: Kit, words: list[str]) -> pd.DataFrame:
    """Return the analyst's own table with blanks to fill."""
    from synth.analyst.rows import read_table

    if len(words) != 1 or not Path(words[0]).is_file():
        raise Mistake("Name one CSV file with blanks to fill, such as: impute table.csv.")
    delimiter = kit.measured.codebook.schema.file.delimiter
    return read_table(Path(words[0]).read_bytes(), delimiter=delimiter)


def _answers(kit: Kit, kind: str, words: list[str], args: argparse.Namespace) -> tuple[Answer, ...]:
    if kind == "count":
        return (kit.count(conditions(kit, words), level=args.level),)
    if kind == "share":
        among = conditions(kit, args.among)
        return (kit.share(conditions(kit, words), among=among, level=args.level),)
    if kind == "difference":
        if not words or not args.less:
            raise Mistake("Name two groups of records, such as: difference sex=female --less sex=male.")
        groups = conditions(kit, words), conditions(kit, args.less)
        return (kit.difference(*groups, mean=args.mean, level=args.level),)
    if kind == "regression":
        return kit.regression(" ".join(words), level=args.level)
    if kind == "logistic":
        return kit.logistic(" ".join(words), level=args.level)
    if not words:
        raise Mistake(f"Name the column of the {kind}, such as: {kind} age.")
    column, where = words[0], conditions(kit, words[1:])
    if kind == "quantile":
        return (kit.quantile(column, args.at, where, level=args.level),)
    question = kit.total if kind == "total" else kit.mean
    found = question(column, where, by=args.by, level=args.level)
    return found if isinstance(found, tuple) else (found,)


def conditions(kit: Kit, words: list[str]) -> dict[str, Any]:
    """Return typed conditions in the form that the kit accepts.

    >>> CONDITION.fullmatch("age>=60").groups()
    ('age', '>=', '60')
    """
    axes, found = {axis.name: axis for axis in kit.measured.codebook.axes}, dict[str, Any]()
    names = {*axes, *(column.name for column in kit.measured.codebook.schema.read)}
    for word in words:
        column, sign, value = _parts(word, names)
        axis = axes.get(column)
        if sign == "=":
            given = _equal(value, () if axis is None else map(axis.label, range(axis.cells)))
        else:
            given = _limit(column, sign, _unquoted(value), None if axis is None else axis.column.kind)
        if isinstance(given, tuple) and isinstance(before := found.get(column), tuple):
            given = tuple(new if old is None else old for old, new in zip(before, given, strict=True))
        elif column in found:
            raise Mistake(
                f"There are two conditions on {column!r}. Write one condition, such as a range 10..20."
            )
        found[column] = given
    return found


def _parts(word: str, names: Iterable[str]) -> tuple[str, str, str]:
    """Return the column, the sign and the value of a condition.

    The longest name of a column with which it begins is the column, because a name can contain signs.
    """
    text = word.strip()
    for name in sorted(names, key=len, reverse=True):
        for written in (name, f'"{name}"', f"'{name}'"):
            typed = COMPARED.fullmatch(text[len(written) :]) if text.startswith(written) else None
            if typed is not None:
                return name, typed["sign"], typed["value"].strip()
    other = CONDITION.fullmatch(text)
    if other is None:
        raise Mistake(f"{word!r} is not a condition. Write a condition such as sex=female or 'age>=60'.")
    return _unquoted(other["column"].strip()), other["sign"], other["value"].strip()


def _unquoted(value: str) -> str:
    """Return a value without the quotes around it."""
    is_quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
    return value[1:-1] if is_quoted else value


def _equal(value: str, labels: Iterable[str]) -> Any:
    """Return a value, a list of values, or a range. A quoted value, or one that equals a label, is taken
    literally.
    """
    if not value:
        return None
    plain = _unquoted(value)
    if plain in {*labels} or ("|" not in value and plain != value):
        return plain
    if "|" in value:
        return [_unquoted(one.strip()) for one in value.split("|")]
    if ".." in value:
        low, _, high = value.partition("..")
        return _unquoted(low.strip()) or None, _unquoted(high.strip()) or None
    return plain


def _limit(column: str, sign: str, value: str, kind: Kind | None) -> tuple[Any, Any]:
    """Return the range for a comparison such as `age>=60`, with None for the open end. The kit includes both
    ends of a range, except the upper end for decimal numbers.
    """
    if sign in ("<", ">") and kind is Kind.INTEGER:
        try:
            moved = str(int(value) + (1 if sign == ">" else -1))
        except ValueError:
            raise Mistake(f"{value!r} is not a whole number.") from None
        return (moved, None) if sign == ">" else (None, moved)
    allowed = (">=", "<") if kind is Kind.DECIMAL else (">=", "<=")
    if sign not in allowed:
        raise Mistake(f"Conditions on {column!r} can use {' and '.join(allowed)} (you wrote {sign!r}).")
    return (value, None) if sign == ">=" else (None, value)
