"""Cut the bytes of a CSV file into records, in blocks. Every byte string is a list of records.

Existing readers are not used for the whole file. DuckDB's aborts on an unfinished quote, on a long line, on a
surplus field and on bytes that are not UTF-8, each time quoting the line, and one such line may consume its
neighbours. Here a line feed ends a record and no record changes another, with one exception: a quoted field
may continue over several lines if the lines together are a flawless record of exactly the declared width and
of at most `LONGEST_RECORD` bytes. So a file in which every quote is doubled or around a cell is cut as
intended. A stray quote mostly damages its own line only, but two of them can join their lines: neighbouring
tables are tables of records, unless the format declares that every line is one.

Lines on which all readers agree are separated from the others by counting delimiters and quotes, a block at a
time; only the others are parsed one by one. The ends of blocks change nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from synth.core.errors import Code, Refusal
from synth.core.schema import FileFormat, LineBreaks
from synth.private.reading.lines import LONGEST_LINE, LONGEST_RECORD, cells_of, field_of, reader

BLOCK = 1 << 22
"""Bytes read at a time."""

BATCH = 4096
FEED, BLANK = 10, 32


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Records:
    """The records of one block.

    `regular` holds whole lines of exactly the declared width that every reader cuts alike: a quote is only
    around a whole cell, or doubled inside such a cell. `others` holds the cells of every other record, and
    `quoted` its line if that has quotes, "" otherwise.
    `order` gives their positions: `[*regular, *others][order[i]]` is the i-th of the file; None where there
    are no others. Shapes: `order: intp[records]`.
    """

    regular: bytes
    others: list[list[str]]
    quoted: list[str]
    order: NDArray[np.intp] | None


def read_records(
    file: BinaryIO, form: FileFormat, width: int, *, read: bytes = b"", block: int = BLOCK
) -> Iterator[Records]:
    """Read the records of `read` and of the rest of the file, about `block` bytes at a time.

    A carriage return counts as a space, or as nothing before a line feed; a line of spaces is not a record.
    Needs memory for a block, and for a line that is longer than one, of which `LONGEST_LINE` bytes are read.
    Raises: `Refusal` LINES_JOINED.
    """
    flawless = _flawless_record(form, width)
    waiting, open_line = b"", [read]
    while True:
        piece = file.read(block)
        cut, room = piece.rfind(b"\n") + 1, LONGEST_LINE - sum(map(len, open_line))
        if piece and not cut:
            open_line.append(piece[:room])
            continue
        first = piece.find(b"\n")
        text = b"".join([waiting, *open_line, piece[: min(first, room)], piece[first:cut]])
        open_line = [piece[cut:]]
        if not piece and text and not text.endswith(b"\n"):
            text += b"\n"
        lines = _Lines(text.replace(b"\r\n", b"\n").replace(b"\r", b" "), form, flawless)
        end = lines.undecided if piece else len(lines)
        if end:
            yield lines.records(end, width)
        waiting = lines.text[lines.starts[end] :] if end < len(lines) else b""
        if not piece:
            return


def _flawless_record(form: FileFormat, width: int) -> re.Pattern[str]:
    """Return the pattern of a record of `width` fields with all quotes in their places; matching never
    backtracks.
    """
    field = field_of(form)
    return re.compile(f"{field}(?:{re.escape(form.delimiter)}{field}){{{max(width - 1, 0)}}}")


class _Lines:
    """Whole lines, each ending in a line feed, as arrays: one entry per line, per quote, or per sign.

    A sign is a line feed, a delimiter or a quote.
    """

    def __init__(self, text: bytes, form: FileFormat, flawless: re.Pattern[str]) -> None:
        self.text, self._form, self._flawless = text, form, flawless
        self._bytes = np.frombuffer(text, dtype=np.uint8)
        has_quotes = bool(form.quote) and form.quote.encode() in text
        is_sign = (self._bytes == FEED) | (self._bytes == ord(form.delimiter))
        if has_quotes:
            is_sign |= self._bytes == ord(form.quote)
        places = np.flatnonzero(is_sign)
        self._signs = self._bytes[places]
        self._feeds = np.flatnonzero(self._signs == FEED)
        self._ends = places[self._feeds]
        self.starts = np.concatenate([np.zeros(1, np.intp), self._ends[:-1] + 1])
        self._quotes = places[self._signs == ord(form.quote)] if has_quotes else _NONE

    def __len__(self) -> int:
        return len(self._ends)

    def __getitem__(self, line: int) -> str:
        return self.text[self.starts[line] : self._ends[line]].decode("latin-1")

    @cached_property
    def _quotes_so_far(self) -> NDArray[np.intp]:
        """Quotes up to every feed, delimiter and quote, including itself."""
        return np.cumsum(self._signs == ord(self._form.quote), dtype=np.intp)

    @cached_property
    def _quotes_in_line(self) -> NDArray[np.intp]:
        """The same, counted from the start of each line."""
        before = np.concatenate([np.zeros(1, np.intp), self._quotes_so_far[self._feeds[:-1]]])
        lengths = np.diff(self._feeds, prepend=-1)
        counts: NDArray[np.intp] = self._quotes_so_far - np.repeat(before, lengths)
        return counts

    @cached_property
    def _quote_counts(self) -> NDArray[np.intp]:
        counts: NDArray[np.intp] = np.diff(self._quotes_so_far[self._feeds], prepend=0)
        return counts

    @cached_property
    def _odd(self) -> list[int]:
        """The lines with an odd number of quotes, in which a field over several lines may begin or end."""
        if not len(self._quotes) or self._form.line_breaks is LineBreaks.SPLIT:
            return []
        return np.flatnonzero(self._quote_counts & 1).tolist()

    @property
    def undecided(self) -> int:
        """The first line that may belong to a record that later lines end; the number of lines if none."""
        if not self._odd:
            return len(self)
        last = self._odd[-1]
        is_near = len(self.text) - self.starts[last] <= LONGEST_RECORD
        return last if is_near and last not in self._joined[1] else len(self)

    @cached_property
    def _joined(self) -> tuple[dict[int, str], set[int]]:
        """Records over several lines, by their first line; and their further lines.

        A line with an odd number of quotes can only be continued up to the next such line: one try each.
        Raises: `Refusal` LINES_JOINED where the format excludes such records.
        """
        joined: dict[int, str] = {}
        swallowed: set[int] = set()
        for first, last in pairwise(self._odd):
            if first in swallowed or self._ends[last] - self.starts[first] > LONGEST_RECORD:
                continue
            record = "\n".join(line for i in range(first, last + 1) if (line := self[i]).strip(" "))
            if self._flawless.fullmatch(record):
                if self._form.line_breaks is LineBreaks.REFUSE:
                    raise Refusal(Code.LINES_JOINED)
                joined[first] = record
                swallowed.update(range(first + 1, last + 1))
        return joined, swallowed

    def records(self, end: int, width: int) -> Records:
        """Return the records in the lines before `end`; none of them continues after it."""
        cells = np.diff(self._feeds, prepend=-1)
        left = ~self._are_blank()
        left[end:] = False
        regular = left & (self._ends - self.starts <= LONGEST_RECORD)
        others: dict[int, list[str]] = {}
        if len(self._quotes):
            joined, swallowed = self._joined
            others = {line: cells_of(record, self._form) for line, record in joined.items()}
            left[[*joined, *swallowed]] = False
            regular &= left & self._are_tidy()
            cells -= self._quote_counts + self._hidden_marks()
        regular &= cells == width
        strange = np.flatnonzero(left & ~regular)
        has_quotes = strange[self._quote_counts[strange] > 0].tolist() if len(self._quotes) else []
        quoted = {line: self[line] for line in has_quotes}
        others |= zip(quoted, _unquoted([*quoted.values()], self._form), strict=True)
        for line in strange.tolist():
            if line not in others:
                others[line] = self[line].split(self._form.delimiter)
        return self._sorted(regular, others, quoted)

    def _sorted(
        self, regular: NDArray[np.bool_], others: dict[int, list[str]], quoted: dict[int, str]
    ) -> Records:
        if regular.all():
            return Records(regular=self.text, others=[], quoted=[], order=None)
        kept = self._bytes[np.repeat(regular, self._ends - self.starts + 1)].tobytes()
        lines = np.concatenate([np.flatnonzero(regular), np.fromiter(others, np.intp, len(others))])
        order = np.argsort(lines) if others else None
        lines_with_quotes = [quoted.get(line, "") for line in others]
        return Records(regular=kept, others=list(others.values()), quoted=lines_with_quotes, order=order)

    def _are_blank(self) -> NDArray[np.bool_]:
        blank: NDArray[np.bool_] = self.starts == self._ends
        for line in np.flatnonzero(self._bytes[self.starts] == BLANK).tolist():
            blank[line] = not self.text[self.starts[line] : self._ends[line]].strip(b" ")
        return blank

    def _are_tidy(self) -> NDArray[np.bool_]:
        """Find lines in which every quote opens a cell at its start, closes it at its end, or is doubled.

        A doubled quote is a closing one followed directly by an opening one.
        """
        is_opening = self._quotes_in_line[self._signs == ord(self._form.quote)] % 2 == 1
        beside = self._bytes[self._quotes + np.where(is_opening, -1, 1)]  # at the first: the last feed
        is_edge = np.zeros(256, dtype=np.bool_)
        is_edge[[FEED, ord(self._form.delimiter), ord(self._form.quote)]] = True
        tidy: NDArray[np.bool_] = self._quote_counts % 2 == 0
        tidy[np.searchsorted(self._ends, self._quotes[~is_edge[beside]])] = False
        return tidy

    def _hidden_marks(self) -> NDArray[np.intp]:
        """Delimiters inside quotes, by line; only meant for tidy lines."""
        is_hidden = (self._signs == ord(self._form.delimiter)) & (self._quotes_in_line % 2 == 1)
        hidden = np.diff(np.cumsum(is_hidden, dtype=np.intp)[self._feeds], prepend=0)
        return np.where(self._quote_counts % 2 == 0, hidden, 0)


_NONE = np.empty(0, dtype=np.intp)


def _unquoted(records: list[str], form: FileFormat) -> Iterator[list[str]]:
    """Cut records with quotes by the csv module.

    Many records go through one reader, for speed. If it makes fewer rows than it was given, an unfinished
    quote continued into the next record: then that batch is read record by record.
    """
    for start in range(0, len(records), BATCH):
        batch = records[start : start + BATCH]
        rows = list(reader(batch, form))
        yield from rows if len(rows) == len(batch) else [cells_of(record, form) for record in batch]
