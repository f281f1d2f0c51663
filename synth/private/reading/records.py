"""Split the bytes of a CSV file into records, in blocks. Every byte string is a valid list of records.

Existing readers are not used for the whole file. DuckDB's reader aborts on an unclosed quote, a long line, a
surplus field or bytes that are not UTF-8. Its error message quotes the line, and such a line may absorb its
neighbours. Here, a line feed ends a record and no record changes another, with one exception: a quoted field
may continue over several lines if the lines together are a valid record of exactly the declared width and of
at most `LONGEST_RECORD` bytes. So a file in which every quote is doubled or encloses a cell is split as
intended. A stray quote usually damages only the line that contains it, but two stray quotes can join their
lines. So neighbouring tables are defined by records, unless the format declares that every line is a record.

Lines that all readers split in the same way are found by counting delimiters and quotes in a whole block. A
line without quotes that has too few or too many cells is padded or cut. Only lines with a stray quote are
parsed one by one. So the time is proportional to the number of bytes, and the memory to the size of a block.
The boundaries of blocks have no effect on the result.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from synth.core.errors import Code, Refusal
from synth.core.schema import FileFormat, LineBreaks
from synth.private.reading.lines import (
    LONGEST_LINE,
    LONGEST_RECORD,
    SPACE,
    cells_of,
    field_of,
    open_quote,
    reader,
)

BLOCK = 1 << 22
"""Number of bytes that are read at a time."""

LINES, BATCH = 1 << 18, 1 << 12
"""Number of lines in a part of a block, and number of lines that the csv module parses at a time."""
FEED, BLANK = 10, 32

SHAPES = (
    "",
    "a quote that is not closed",
    "fewer cells than the header",
    "more cells than the header",
)
"""Possible faults of a whole record. "" means no fault."""
FINE, OPEN, FEWER, MORE = range(len(SHAPES))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Records:
    """A batch of records, in the order of the file.

    `lines` contains records of exactly the declared width that every reader splits into the same cells:
    quotes enclose a whole cell, or are doubled inside such a cell. Cells beyond the width are removed, and
    missing cells are empty. If `joins` is true, some cells contain line feeds. `shapes` are positions in
    `SHAPES`. Shapes: `shapes: int8[records]`.
    """

    lines: bytes
    shapes: NDArray[np.int8]
    joins: bool


def read_records(
    file: BinaryIO, form: FileFormat, width: int, *, read: bytes = b"", block: int = BLOCK
) -> Iterator[Records]:
    """Read the records of `read` and of the rest of the file, about `block` bytes at a time.

    A carriage return counts as a space, and is ignored before a line feed. A line of spaces is not a record.
    Memory must hold a block, or a longer line, of which at most `LONGEST_LINE` bytes are read. Raises:
    `Refusal` LINES_JOINED.
    """
    cutter = _Cutter(form, width)
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
        lines = _Lines(text.replace(b"\r\n", b"\n").replace(b"\r", b" "), cutter)
        end = lines.undecided if piece else len(lines)
        most = min(LINES, max(block, len(text)) // width + 1)  # short lines are filled
        for start in range(0, end, most):
            yield lines.records(start, min(start + most, end))
        waiting = lines.text[lines.starts[end] :] if end < len(lines) else b""
        if not piece:
            return


class _Cutter:
    """Splits text in a given format into records of a given width."""

    def __init__(self, form: FileFormat, width: int) -> None:
        self.form, self.width = form, width
        field = field_of(form)
        more = f"(?:{re.escape(form.delimiter)}{field}){{{max(width - 1, 0)}}}"
        self._flawless = re.compile(field + more)
        self._open_quote = open_quote(form) if form.quote else self._flawless

    def is_flawless(self, record: str) -> bool:
        """Whether a record has the right width and only valid quotes. Matching never backtracks."""
        return self._flawless.fullmatch(record) is not None

    def regular(self, records: Sequence[str]) -> dict[str, tuple[bytes, int]]:
        """Return records with quotes as lines of the declared width, and their shapes.

        Every reader splits these lines in the same way.
        """
        distinct = dict.fromkeys(records)
        joined = [record for record in distinct if "\n" in record]
        lines = [record for record in distinct if "\n" not in record] if joined else [*distinct]
        cut = zip(joined + lines, [*_unquoted(joined, self.form), *_unquoted(lines, self.form)], strict=True)
        return {record: (self._line(cells), self._shape(cells, record)) for record, cells in cut}

    def _line(self, cells: list[str]) -> bytes:
        mark, quote, width = self.form.delimiter, self.form.quote, self.width
        if len(cells) != width:
            cells = (cells + [""] * (width - len(cells)))[:width]
        line = mark.join(cells)
        if quote in line or "\n" in line or line.count(mark) >= width:
            line = mark.join(f"{quote}{cell.replace(quote, 2 * quote)}{quote}" for cell in cells)
        return line.encode("latin-1") + b"\n"

    def _shape(self, cells: list[str], record: str) -> int:
        if record.count(self.form.quote) % 2 and self._open_quote.fullmatch(record):
            return OPEN
        if len(cells) <= self.width:
            return FEWER if len(cells) < self.width else FINE
        return MORE if any(cell.strip(SPACE) for cell in cells[self.width :]) else FINE


class _Lines:
    """Whole lines, each ending with a line feed, as arrays with one entry per line, per quote, or per sign.

    A sign is a line feed, a delimiter or a quote.
    """

    def __init__(self, text: bytes, cutter: _Cutter) -> None:
        self.text, self._cutter, self._form = text, cutter, cutter.form
        self._bytes = np.frombuffer(text, dtype=np.uint8)
        quote = self._form.quote.encode()
        has_quotes = bool(quote) and quote in text
        is_sign = (self._bytes == FEED) | (self._bytes == ord(self._form.delimiter))
        if has_quotes:
            is_sign |= self._bytes == ord(quote)
        self._places = np.flatnonzero(is_sign)
        self._signs = self._bytes[self._places]
        self._feeds = np.flatnonzero(self._signs == FEED)
        self._ends = self._places[self._feeds]
        self.starts = np.concatenate([np.zeros(1, np.intp), self._ends[:-1] + 1])
        self._quotes = self._places[self._signs == ord(quote)] if has_quotes else _NONE

    def __len__(self) -> int:
        return len(self._ends)

    def __getitem__(self, line: int) -> str:
        return self.text[self.starts[line] : self._ends[line]].decode("latin-1")

    @cached_property
    def _quotes_so_far(self) -> NDArray[np.intp]:
        """Return the number of quotes up to and including each sign."""
        return np.cumsum(self._signs == ord(self._form.quote), dtype=np.intp)

    @cached_property
    def _is_quoted(self) -> NDArray[np.bool_]:
        """Return whether the number of quotes in the line, up to and including each sign, is odd."""
        before = np.concatenate([np.zeros(1, np.intp), self._quotes_so_far[self._feeds[:-1]]])
        lengths = np.diff(self._feeds, prepend=-1)
        is_odd: NDArray[np.bool_] = (self._quotes_so_far - np.repeat(before, lengths)) % 2 == 1
        return is_odd

    @cached_property
    def _quote_counts(self) -> NDArray[np.intp]:
        if not len(self._quotes):
            return np.zeros(len(self), np.intp)
        counts: NDArray[np.intp] = np.diff(self._quotes_so_far[self._feeds], prepend=0)
        return counts

    @cached_property
    def _marks(self) -> NDArray[np.intp]:
        """Return the number of delimiters in each line."""
        marks: NDArray[np.intp] = np.diff(self._feeds, prepend=-1) - 1 - self._quote_counts
        return marks

    @cached_property
    def _hidden_marks(self) -> NDArray[np.intp]:
        """Return the number of delimiters inside quotes in each line, if no field continues into the line."""
        is_hidden = (self._signs == ord(self._form.delimiter)) & self._is_quoted
        hidden: NDArray[np.intp] = np.diff(np.cumsum(is_hidden, dtype=np.intp)[self._feeds], prepend=0)
        return hidden

    @cached_property
    def _odd(self) -> NDArray[np.intp]:
        """Return the lines with an odd number of quotes, in which a field over several lines may begin or
        end.
        """
        if self._form.line_breaks is LineBreaks.SPLIT:
            return _NONE
        return np.flatnonzero(self._quote_counts & 1)

    @property
    def undecided(self) -> int:
        """Return the first line whose record may end in a later block, or the number of lines."""
        if not len(self._odd):
            return len(self)
        last = int(self._odd[-1])
        is_near = len(self.text) - self.starts[last] <= LONGEST_RECORD
        return last if is_near and last not in self._joined[1] else len(self)

    @cached_property
    def _joined(self) -> tuple[dict[int, str], set[int]]:
        """Return the first lines of the records that span several lines, and the remaining lines.

        A line with an odd number of quotes can only continue up to the next such line. So each such line is
        tried once, if all quotes are at edges of cells and the number of delimiters outside quotes is right
        for a record. Raises: `Refusal` LINES_JOINED if the format excludes such records.
        """
        joined: dict[int, str] = {}
        swallowed: set[int] = set()
        firsts, lasts = self._odd[:-1], self._odd[1:]
        if not len(firsts):
            return joined, swallowed
        hidden = np.cumsum(self._hidden_marks)
        outside = self._marks[firsts] - self._hidden_marks[firsts] + hidden[lasts] - hidden[firsts]
        is_short = self._ends[lasts] - self.starts[firsts] <= LONGEST_RECORD
        strays = np.cumsum(self._have_strays(continued=True))
        is_sound = ~self._have_strays()[firsts] & (strays[lasts] == strays[firsts])
        tried = is_short & is_sound & (outside == self._cutter.width - 1)
        for first, last in zip(firsts[tried].tolist(), lasts[tried].tolist(), strict=True):
            if first in swallowed:
                continue
            record = "\n".join(line for i in range(first, last + 1) if (line := self[i]).strip(" "))
            if self._cutter.is_flawless(record):
                if self._form.line_breaks is LineBreaks.REFUSE:
                    raise Refusal(Code.LINES_JOINED)
                joined[first] = record
                swallowed.update(range(first + 1, last + 1))
        return joined, swallowed

    @cached_property
    def _is_record(self) -> NDArray[np.bool_]:
        """Return whether a record begins in each line."""
        begins: NDArray[np.bool_] = self.starts != self._ends
        for line in np.flatnonzero(self._bytes[self.starts] == BLANK).tolist():
            begins[line] = bool(self.text[self.starts[line] : self._ends[line]].strip(b" "))
        begins[[*self._joined[1]]] = False
        return begins

    @cached_property
    def _is_parsed(self) -> NDArray[np.bool_]:
        """Return which lines begin a record and have quotes that readers may treat differently."""
        if not len(self._quotes):
            return np.zeros(len(self), np.bool_)
        is_regular = self._are_tidy & (self._marks - self._hidden_marks == self._cutter.width - 1)
        parsed: NDArray[np.bool_] = self._is_record & (self._quote_counts > 0) & ~is_regular
        return parsed

    def records(self, first: int, end: int) -> Records:
        """Return the records in the lines from `first` up to, but not including, `end`.

        No record may continue after `end`.
        """
        some, joined = slice(first, end), self._joined[0]
        is_record, is_parsed = self._is_record[some], self._is_parsed[some]
        is_plain, parsed = is_record & (self._quote_counts[some] == 0), np.flatnonzero(is_parsed)
        cells = np.where(is_plain, self._marks[some] + 1, self._cutter.width)
        shapes = np.zeros(end - first, np.int8)
        begin, close = self.starts[first], self._ends[end - 1] + 1
        margins = self._margins[:, slice(*np.searchsorted(self._margins[1], (begin, close)))]
        is_whole = is_record.all() and not len(parsed) and not margins.size
        if is_whole and (cells == self._cutter.width).all():
            return Records(lines=self.text[begin:close], shapes=shapes, joins=False)
        text, places = self._resized(some, cells, is_record & ~is_parsed, margins, shapes)
        records = [joined.get(line) or self[line] for line in (parsed + first).tolist()]
        made = self._cutter.regular(records)
        shapes[parsed] = [made[record][1] for record in records]
        pieces, left = [], 0
        for record, place in zip(records, places[parsed].tolist(), strict=True):
            pieces += [text[left:place], made[record][0]]
            left = place
        joins = any("\n" in record for record in made)
        return Records(lines=b"".join([*pieces, text[left:]]), shapes=shapes[is_record], joins=joins)

    def _resized(
        self,
        some: slice,
        cells: NDArray[np.intp],
        kept: NDArray[np.bool_],
        margins: NDArray[np.intp],
        shapes: NDArray[np.int8],
    ) -> tuple[bytes, NDArray[np.intp]]:
        """Return the `kept` lines, and where each of them begins.

        Each line then has the declared width, without blanks around quotes.

        `cells` is the number of cells of each line. The shapes of lines with too few or too many cells are
        recorded.
        """
        width, begin = self._cutter.width, self.starts[some][0]
        starts, ends = self.starts[some] - begin, self._ends[some] - begin
        text = self._bytes[begin : begin + ends[-1] + 1].copy()
        times = np.repeat(kept.astype(np.intp), ends - starts + 1)
        few, many = np.flatnonzero(cells < width), np.flatnonzero(cells > width)
        cuts = self._places[self._feeds[some][many] - cells[many] + width] - begin
        if len(many):
            said = np.cumsum(_has_content(self._form)[text], dtype=np.intp)
            shapes[many[said[ends[many]] > said[cuts]]] = MORE
        if len(many) or margins.size:
            left, right = margins - begin
            steps = np.zeros(len(text), np.int8)
            steps[np.append(cuts, left)], steps[np.append(ends[many], right)] = 1, -1
            times[np.cumsum(steps, dtype=np.int8) == 1] = 0
        shapes[few] = FEWER
        times[ends[few]] += width - cells[few]
        until = np.cumsum(times)
        text[ends[few]] = ord(self._form.delimiter)
        text = np.repeat(text, times)
        text[until[ends[few]] - 1] = FEED
        return text.tobytes(), until[starts] - times[starts]

    @cached_property
    def _are_tidy(self) -> NDArray[np.bool_]:
        """Find lines in which every quote opens a cell, closes it, or is doubled.

        There may be blanks around a cell. A doubled quote is a closing quote followed directly by an opening
        quote.
        """
        tidy: NDArray[np.bool_] = (self._quote_counts % 2 == 0) & ~self._have_strays()
        return tidy

    def _have_strays(self, *, continued: bool = False) -> NDArray[np.bool_]:
        """Find lines with a quote that is neither at the edge of a cell nor doubled.

        If `continued` is true, the lines begin inside a quoted cell.
        """
        is_edge, _ = self._edges(continued=True) if continued else self._own_edges
        strays = np.zeros(len(self), dtype=np.bool_)
        strays[np.searchsorted(self._ends, self._quotes[~is_edge])] = True
        return strays

    @cached_property
    def _margins(self) -> NDArray[np.intp]:
        """Return where the blanks around quoted cells begin and end. Shapes: intp[2, margins]."""
        return self._own_edges[1] if len(self._quotes) else np.empty((2, 0), np.intp)

    @cached_property
    def _own_edges(self) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
        return self._edges(continued=False)

    def _edges(self, *, continued: bool) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
        """Return which quotes are at the edge of a cell or doubled, and where the blanks around cells are.

        Shapes: bool[quotes]; intp[2, margins], the beginning and the end of the blanks between a quote and
        the edge of its cell.
        """
        is_opening = self._is_quoted[self._signs == ord(self._form.quote)] != continued
        sides = np.where(is_opening, -1, 1)
        beside = self._bytes[self._quotes + sides]  # before the first sign: the last feed
        is_sign = np.zeros(256, dtype=np.bool_)
        is_sign[[FEED, ord(self._form.delimiter), ord(self._form.quote)]] = True
        is_edge, near = is_sign[beside], np.flatnonzero((beside == BLANK) & (not is_sign[BLANK]))
        if not len(near):
            return is_edge, np.empty((2, 0), np.intp)
        at = np.flatnonzero(self._signs == ord(self._form.quote))[near]
        signs, places = np.append(self._signs, FEED), np.append(self._places, -1)  # before the first: a feed
        blanks = np.append(np.cumsum(self._bytes == BLANK, dtype=np.intp)[self._places], 0)
        begin, end = at - is_opening[near], at + ~is_opening[near]
        is_margin = blanks[end] - blanks[begin] == places[end] - places[begin] - 1
        is_margin &= signs[np.where(is_opening[near], begin, end)] != ord(self._form.quote)
        is_edge[near] = is_margin
        return is_edge, np.stack([places[begin] + 1, places[end]])[:, is_margin]


_NONE = np.empty(0, dtype=np.intp)


def _has_content(form: FileFormat) -> NDArray[np.bool_]:
    """Whether each byte is content of a cell. Shapes: bool[256]."""
    has = np.ones(256, dtype=np.bool_)
    has[[*map(ord, SPACE + form.delimiter)]] = False
    return has


def _unquoted(records: Sequence[str], form: FileFormat) -> Iterator[list[str]]:
    """Split records that contain quotes, with the csv module.

    For speed, one reader processes many records. If it returns fewer rows than it was given, an unclosed
    quote continued into the next record, and that batch is read record by record.
    """
    for start in range(0, len(records), BATCH):
        batch = records[start : start + BATCH]
        rows = list(reader(batch, form))
        yield from rows if len(rows) == len(batch) else [cells_of(record, form) for record in batch]
