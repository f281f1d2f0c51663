"""A lookup table for a hierarchy: which codes of the file are published together as which group.

A table of two columns, a code and its group, or three, the third of which says what the group means; from a
CSV file or pasted from a spreadsheet. It is public knowledge, like every value list: nothing is looked up in
the private file.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from synth.app.project.describe.columns import Details
from synth.core.errors import Mistake
from synth.core.numbers import number_of
from synth.core.schema import ANY
from synth.dictionaries.check import text_of

LARGEST = 5 << 20
"""Bytes of a table beyond which it is none for a steward's list."""
_SEPARATORS = "\t;,"


@dataclass(frozen=True, kw_only=True)
class Lookup:
    """Codes by group, both in the order of the table, and what groups mean, where that is said."""

    codes: dict[str, tuple[str, ...]]
    meanings: dict[str, str]

    @property
    def count(self) -> int:
        """How many codes there are."""
        return sum(map(len, self.codes.values()))


def text_in(raw: bytes) -> str:
    """The text of a table that was uploaded. Raises: `Mistake` if it is too large or no text."""
    if len(raw) > LARGEST:
        raise Mistake(f"A table of codes of more than {LARGEST >> 20} MB is not read. Group the codes first.")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Mistake("The table of codes is not UTF-8 text. Save it as CSV in UTF-8.") from None


def read(typed: str, *, headed: bool) -> Lookup:
    """A table as typed, pasted or read: cells parted by tabs, semicolons or commas; `headed` leaves out its
    first line.

    Raises: `Mistake` naming the line, for one without code and group, a code in two groups, a group with two
    meanings, or a table without any line.
    """
    lines = [(number, line) for number, line in enumerate(typed.splitlines(), start=1) if line.strip()]
    lines = lines[1:] if headed else lines
    if not lines:
        raise Mistake("The table of codes is empty. Give a code and its group in every line.")
    sign = _sign([line for _, line in lines])
    group_of: dict[str, str] = {}
    meanings: dict[str, str] = {}
    for number, line in lines:
        cells = [cell.strip() for cell in next(csv.reader([line], delimiter=sign, skipinitialspace=True))]
        if len(cells) not in (2, 3) or not all(cells[:2]):
            raise Mistake(
                f"Line {number} of the table of codes has {number_of(len(cells), 'cell')}: {_shown(line)}. "
                "It must hold a code, its group and, if wanted, what the group means."
            )
        code, group, meaning = (*cells, "")[:3]
        if group_of.setdefault(code, group) != group:
            raise Mistake(
                f"Line {number} of the table of codes puts {_shown(code)} into {_shown(group)}, an earlier "
                f"one into {_shown(group_of[code])}. A code belongs to one group."
            )
        if meaning and meanings.setdefault(group, meaning) != meaning:
            raise Mistake(
                f"Line {number} of the table of codes says that {_shown(group)} means {_shown(meaning)}, an "
                f"earlier one {_shown(meanings[group])}. Give a group one meaning."
            )
    codes: dict[str, list[str]] = {}
    for code, group in group_of.items():
        codes.setdefault(group, []).append(code)
    return Lookup(codes={group: tuple(own) for group, own in codes.items()}, meanings=meanings)


def applied(details: Details, table: Lookup) -> tuple[Details, tuple[str, ...]]:
    """The column with the groups as its values and the codes read as them; and the values it had before that
    the table does not name, which stay as they are, behind the groups.

    What a group means is kept from before where the table does not say it.
    """
    before = {text_of(value): value for value in details.values}
    meant = dict(zip(before, details.labels, strict=False)) | table.meanings
    named = {*table.codes, *(code for own in table.codes.values() for code in own)}
    left = tuple(text for text in before if not _is_named(text, named))
    groups = (*table.codes, *left)
    kept = dict(zip(before, details.reads, strict=False))
    reads = tuple(
        tuple(code for code in table.codes[group] if code != group)
        if group in table.codes
        else kept.get(group, ())
        for group in groups
    )
    labels = tuple(meant.get(group, "") for group in groups)
    return (
        replace(
            details,
            values=tuple(before.get(group, group) for group in groups),
            labels=labels if any(labels) else (),
            reads=reads if any(reads) else (),
        ),
        left,
    )


def _sign(lines: Sequence[str]) -> str:
    """What parts the cells: the separator that comes first in most lines, as a code has none in it."""
    firsts = [next((mark for mark in line if mark in _SEPARATORS), ",") for line in lines]
    return max(_SEPARATORS, key=firsts.count)


def _is_named(text: str, named: Iterable[str]) -> bool:
    """Whether a text is one of these, or begins as one that stands for all that begin so."""
    return any(text == one or (one.endswith(ANY) and text.startswith(one[: -len(ANY)])) for one in named)


def _shown(words: str) -> str:
    short = words if len(words) <= 40 else f"{words[:37]}..."
    return repr(short)
