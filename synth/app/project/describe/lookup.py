"""Read a lookup table, which states which codes of the file are published together as a group.

It comes from a CSV file or is pasted from a spreadsheet. It has a column of codes, a column of groups, and
optionally a column with the labels of the groups. The table must be public. The private file is not read.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from synth.core.errors import Mistake
from synth.core.numbers import number_of
from synth.core.schema import ANY
from synth.dictionaries.check import text_of

LARGEST = 5 << 20
"""Maximum size of the table in bytes."""
_SEPARATORS = "\t;,"


@dataclass(frozen=True, kw_only=True)
class Lookup:
    """The codes of each group, in the order of the table, and the labels of the groups, if given."""

    codes: dict[str, tuple[str, ...]]
    meanings: dict[str, str]

    @property
    def count(self) -> int:
        """Return the number of codes."""
        return sum(map(len, self.codes.values()))


def text_in(raw: bytes) -> str:
    """Return the text of an uploaded table. Raises: `Mistake` if the table is too large or is not text."""
    if len(raw) > LARGEST:
        raise Mistake(f"The table of codes is larger than {LARGEST >> 20} MB. Group the codes first.")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Mistake("The table of codes is not UTF-8 text. Save it as CSV in UTF-8.") from None


def read(typed: str, *, headed: bool) -> Lookup:
    """Read a table with cells separated by tabs, semicolons or commas.

    With `headed`, the first line is skipped. Raises: `Mistake` for an empty table, and with the number of the
    line for a line without a code and a group, a code in two groups, or a group with two labels.
    """
    lines = [(number, line) for number, line in enumerate(typed.splitlines(), start=1) if line.strip()]
    lines = lines[1:] if headed else lines
    if not lines:
        raise Mistake("The table of codes is empty. Write a code and its group in every line.")
    sign = _sign([line for _, line in lines])
    group_of: dict[str, str] = {}
    meanings: dict[str, str] = {}
    for number, line in lines:
        cells = [cell.strip() for cell in next(csv.reader([line], delimiter=sign, skipinitialspace=True))]
        if len(cells) not in (2, 3) or not all(cells[:2]):
            raise Mistake(
                f"Line {number} of the table of codes has {number_of(len(cells), 'cell')}: {_shown(line)}. "
                "Write a code, its group and, optionally, the group's label."
            )
        code, group, meaning = (*cells, "")[:3]
        if group_of.setdefault(code, group) != group:
            raise Mistake(
                f"Line {number} of the table of codes puts {_shown(code)} into {_shown(group)}, but an "
                f"earlier line puts it into {_shown(group_of[code])}. Keep one of them."
            )
        if meaning and meanings.setdefault(group, meaning) != meaning:
            raise Mistake(
                f"Line {number} of the table of codes gives {_shown(group)} the label {_shown(meaning)}, "
                f"but an earlier line gives it {_shown(meanings[group])}. Keep one of them."
            )
    codes: dict[str, list[str]] = {}
    for code, group in group_of.items():
        codes.setdefault(group, []).append(code)
    return Lookup(codes={group: tuple(own) for group, own in codes.items()}, meanings=meanings)


def applied(column: Mapping[str, Any], table: Lookup) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the column with the groups as its values. Earlier values that are not in the table are kept
    after the groups. Labels are kept if the table has none.
    """
    before = {text_of(value): value for value in column.get("values", ())}
    meant = dict(zip(before, column.get("labels", ()), strict=False)) | table.meanings
    named = {*table.codes, *(code for own in table.codes.values() for code in own)}
    left = tuple(text for text in before if not _is_named(text, named))
    groups = (*table.codes, *left)
    reads = dict(zip(before, column.get("reads", ()), strict=False)) | {
        group: [code for code in own if code != group] for group, own in table.codes.items()
    }
    changed = {
        **column,
        "values": [before.get(group, group) for group in groups],
        "labels": [meant.get(group, "") for group in groups],
        "reads": [reads.get(group, []) for group in groups],
    }
    return changed, left


def _sign(lines: Sequence[str]) -> str:
    """Return the delimiter, which is the separator that comes first in most lines. Codes contain no
    separators.
    """
    firsts = [next((mark for mark in line if mark in _SEPARATORS), ",") for line in lines]
    return max(_SEPARATORS, key=firsts.count)


def _is_named(text: str, named: Iterable[str]) -> bool:
    """Return whether a string is in this list, or matches an entry that ends in a wildcard."""
    return any(text == one or (one.endswith(ANY) and text.startswith(one[: -len(ANY)])) for one in named)


def _shown(words: str) -> str:
    short = words if len(words) <= 40 else f"{words[:37]}..."
    return repr(short)
