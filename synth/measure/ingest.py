"""The private file, opened: codes behind a door that hands out codes and nothing else.

Every byte string gives a table or one fixed `Refusal`, decided by what is public about a file: that it opens
as the declared format, its header, the types of its columns. Whatever a cell holds, its row is a row. The one
refusal that rows decide (a text over several lines) is asked for in the declared format.

The file is read once, in blocks, and a column whose axis is known becomes codes as it passes: memory is that
of the codes and of one block, whatever the size of the file. A column whose domain is still to be bought is
kept as its distinct texts and which row says which; so are the ids of units, until the rows are capped.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, cast

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from synth.axis import Axis, domain_of
from synth.domain import Domain
from synth.errors import Code, Refusal
from synth.measure.codes import Codes, smallest_dtype
from synth.measure.encode import Texts, dates_in, encode, is_blank, numbers_in
from synth.measure.lines import SPACE, check_format, header_names, read_header, unwire, wire
from synth.measure.noise import OS_ENTROPY, Entropy
from synth.measure.pieces import Piece, csv_blocks, parquet_names, parquet_pieces, piece_of
from synth.measure.records import BLOCK, take_top
from synth.measure.sealed import sealed
from synth.measure.vault import Vault, Watched
from synth.schema import FileFormat, Kind, Schema

__all__ = ["Codes", "PrivateTable", "capped_rows", "header_only", "open_table"]

PARQUET = (".parquet", ".pq")
ROWS_AT_FIRST = 1 << 16


def open_table(
    path: Path | str,
    schema: Schema,
    *,
    axes: Sequence[Axis] = (),
    entropy: Entropy = OS_ENTROPY,
    vault: Vault | None = None,
    block: int = BLOCK,
) -> PrivateTable:
    """The file's declared columns as a private table, rows capped per unit, the unit's id gone.

    `axes` are those that are known already: the table answers no other axis of these columns. `vault` keeps
    what makes a second opening the same as the first. `block` is the number of bytes read at a time.

    Raises: `Mistake` for a delimiter or quote that cannot be one; `Refusal` FILE_UNREADABLE, FILE_CHANGED,
    HEADER_MISMATCH or COLUMN_TYPE (a list, map or structure in a Parquet file); and LINES_JOINED where the
    declared format asks for that.
    """
    check_format(schema.file)
    return _opened(Path(path), schema, axes=axes, entropy=entropy, vault=vault, block=block)


def header_only(path: Path | str, file_format: FileFormat) -> list[str]:
    """The column names of a file, from its first line or its Parquet footer; rows are not read.

    A file declared to have no header gives none: its first line is a private row.
    """
    check_format(file_format)
    return _header_only(Path(path), file_format)


@sealed(Code.FILE_UNREADABLE)
def _header_only(path: Path, form: FileFormat) -> list[str]:
    if not path.is_file():
        raise Refusal(Code.FILE_UNREADABLE)
    if path.suffix.lower() in PARQUET:
        return parquet_names(path)
    return read_header(path, form) if form.header else []


class PrivateTable:
    """Columns of a private file. Neither shown, nor pickled, nor iterated; only `measure` asks it."""

    __slots__ = ("_coded", "_missing", "_said")

    def __init__(
        self,
        schema: Schema,
        coded: Mapping[str, tuple[Axis, NDArray[np.unsignedinteger[Any]]]],
        said: Mapping[str, tuple[NDArray[np.int32], Texts]],
    ) -> None:
        """Of every modelled column either its codes on its axis, or its distinct texts and who says which.

        Equal indexes are rows; there are no more rows of a unit than declared.
        """
        self._missing, self._coded, self._said = schema.file.missing, coded, said

    @classmethod
    def of(
        cls,
        columns: Mapping[str, Sequence[str | None]],
        schema: Schema,
        *,
        axes: Sequence[Axis] = (),
        entropy: Entropy = OS_ENTROPY,
    ) -> PrivateTable:
        """A table from texts in memory, every declared column by name; None is a blank."""
        pieces = {
            name: piece_of(["" if v is None else wire(v) for v in values]) for name, values in columns.items()
        }
        return sealed()(_filled)(iter([pieces]), schema, axes=axes, entropy=entropy)

    def __repr__(self) -> str:
        return f"PrivateTable(columns={len(self._coded) + len(self._said)})"

    def __reduce__(self) -> NoReturn:
        raise Refusal(Code.QUESTION_INVALID)

    @sealed()
    def codes(self, axes: Sequence[Axis]) -> Codes:
        """Every row as codes of these axes, in their order."""
        columns = [self._codes_of(axis) for axis in axes]
        spans = [axis.missing_code + 1 for axis in axes]
        return Codes(columns, domain_of(axes) if axes else Domain((), ()), spans=spans)

    def _codes_of(self, axis: Axis) -> NDArray[np.unsignedinteger[Any]]:
        if axis.name in self._coded:
            known, codes = self._coded[axis.name]
            if known != axis:
                raise Refusal(Code.QUESTION_INVALID)
            return codes
        index, texts = self._said[axis.name]
        return _meant(texts, axis, self._missing)[index]

    @sealed()
    def value_counts(self, column: str) -> dict[str, int]:
        """Exact counts of the texts a column holds, missing tokens and texts that are no UTF-8 left out.

        Private: for `measure.questions` only.
        """
        index, texts = self._said[column]
        counts = np.bincount(index, minlength=len(texts))
        counts[is_blank(texts, self._missing)] = 0
        named = ((unwire(t), int(n)) for t, n in zip(texts.to_pylist(), counts, strict=True) if n)
        return {text: n for text, n in named if text is not None}

    @sealed()
    def range_counts(self, column: str, kind: Kind, edges: Sequence[float]) -> NDArray[np.int64]:
        """Exact counts of a column's numbers or dates between neighbouring edges, those beyond at the ends.

        Private: for `measure.questions` only. Shapes: int64[len(edges) - 1]. Blanks are not counted.
        """
        index, texts = self._said[column]
        values = dates_in(texts) if kind is Kind.DATE else numbers_in(texts)
        counted = ~(np.isnan(values) | is_blank(texts, self._missing))
        cells = len(edges) - 1
        place = np.clip(np.searchsorted(np.array(edges), values, side="right") - 1, 0, cells - 1)
        weight = np.bincount(index, minlength=len(texts))
        counts = np.zeros(cells, dtype=np.int64)
        np.add.at(counts, place[counted], weight[counted])
        return counts


@sealed(Code.FILE_UNREADABLE)
def _opened(
    path: Path,
    schema: Schema,
    *,
    axes: Sequence[Axis],
    entropy: Entropy,
    vault: Vault | None,
    block: int,
) -> PrivateTable:
    if not path.is_file():
        raise Refusal(Code.FILE_UNREADABLE)
    with Watched(path, vault) as file:
        if path.suffix.lower() in PARQUET:
            pieces = parquet_pieces(path, _positions(parquet_names(path), schema))
            file.read_on()
        else:
            pieces = _csv_pieces(cast(BinaryIO, io.BufferedReader(file, 1 << 20)), schema, block)
        keys = entropy if vault is None else vault.entropy
        table = _filled(pieces, schema, axes=axes, entropy=keys)
        file.check()
    pa.default_memory_pool().release_unused()
    return table


def _csv_pieces(file: BinaryIO, schema: Schema, block: int) -> Iterator[Mapping[str, Piece]]:
    form = schema.file
    header, read = take_top(file, form)
    names = header_names(header, form) if form.header else [c.name for c in schema.columns]
    wanted = _positions(names, schema)
    return csv_blocks(file, form, len(names), wanted, read=read, block=block)


def _positions(names: Sequence[str], schema: Schema) -> dict[str, int]:
    """Where the columns that are read lie; the first of equal names counts, surplus columns do not."""
    wanted = [c.name for c in schema.modelled]
    if schema.unit.id_column is not None:
        wanted.append(schema.unit.id_column)
    stripped = [name.strip(SPACE) for name in names]
    try:
        return {name: stripped.index(name.strip(SPACE)) for name in wanted}
    except ValueError:
        raise Refusal(Code.HEADER_MISMATCH) from None


def _filled(
    pieces: Iterator[Mapping[str, Piece]], schema: Schema, *, axes: Sequence[Axis], entropy: Entropy
) -> PrivateTable:
    """The table these pieces are, with no more rows of a unit than declared."""
    modelled = {c.name for c in schema.modelled}
    known = {axis.name: axis for axis in axes if axis.name in modelled}
    codes = {name: _Growing(smallest_dtype(axis.missing_code + 1)) for name, axis in known.items()}
    texts: dict[str, list[Piece]] = {name: [] for name in modelled if name not in known}
    ids: list[Piece] = []
    for columns in pieces:
        for name, piece in columns.items():
            if name in known:
                codes[name].add(_meant(piece.texts, known[name], schema.file.missing)[piece.index])
            elif name in texts:
                texts[name].append(piece)
            if name == schema.unit.id_column:
                ids.append(piece)
    kept = _kept(ids, schema, entropy) if schema.unit.id_column is not None else slice(None)
    coded = {name: (axis, codes.pop(name).whole()[kept]) for name, axis in known.items()}
    said = {}
    for name in list(texts):
        index, distinct = _dictionary(texts.pop(name))
        said[name] = (index[kept], distinct)
    return PrivateTable(schema, coded, said)


class _Growing:
    """Codes that come in pieces, in one array that grows where it lies: no second copy at the end."""

    def __init__(self, dtype: np.dtype[np.unsignedinteger[Any]]) -> None:
        self._values, self._used = np.empty(ROWS_AT_FIRST, dtype=dtype), 0

    def add(self, values: NDArray[np.unsignedinteger[Any]]) -> None:
        end = self._used + len(values)
        if end > len(self._values):
            self._values.resize(end + len(self._values) // 8, refcheck=False)
        self._values[self._used : end] = values
        self._used = end

    def whole(self) -> NDArray[np.unsignedinteger[Any]]:
        self._values.resize(self._used, refcheck=False)
        return self._values


def _meant(texts: Texts, axis: Axis, missing: tuple[str, ...]) -> NDArray[np.unsignedinteger[Any]]:
    return encode(texts, axis, missing).astype(smallest_dtype(axis.missing_code + 1))


def _kept(pieces: list[Piece], schema: Schema, entropy: Entropy) -> NDArray[np.intp]:
    ids, names = _dictionary(pieces)
    blank = is_blank(names, schema.file.missing)
    return capped_rows(ids, blank[ids], schema.unit.max_rows, entropy=entropy)


def _dictionary(pieces: list[Piece]) -> tuple[NDArray[np.int32], Texts]:
    """Which text every row says, and the distinct texts."""
    chunks = [pa.DictionaryArray.from_arrays(pa.array(p.index), p.texts) for p in (*pieces, piece_of([]))]
    whole = pa.chunked_array(chunks).unify_dictionaries().combine_chunks()
    return whole.indices.to_numpy(), whole.dictionary


def capped_rows(
    ids: NDArray[np.int32], blank: NDArray[np.bool_], most: int, *, entropy: Entropy
) -> NDArray[np.intp]:
    """The rows that stay when no unit keeps more than `most`; rows with a blank id do not stay.

    Every row draws a random key and a unit keeps its smallest ones, so that what is kept of one unit depends
    on no other unit. Privacy: two tables that differ in one unit are thus capped alike elsewhere. Rows of
    nobody known cannot be capped: each for itself, one person could fill any number of them; all together,
    one person would push out the rows of others, which moves a table by twice the cap.
    """
    keys = np.frombuffer(entropy.bytes(8 * len(ids)), dtype="<u8")
    order = np.lexsort((keys, ids))
    ordered = ids[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=-1))
    lengths = np.diff(starts, append=len(ordered))
    rank = np.arange(len(ordered)) - np.repeat(starts, lengths)
    kept = order[(rank < most) & ~blank[order]]
    return np.sort(kept)
