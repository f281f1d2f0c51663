"""The private file, opened: text cells behind a door that hands out codes and nothing else.

Every byte string gives a table or one fixed `Refusal`, decided by what is public about a file: that it opens
as the declared format, its header, its number of columns. Whatever a cell holds, its row is a row.

DuckDB cuts records into cells and reads Parquet, in memory, with no access to files (for Parquet: to this one
file), no extensions, no spilling, its settings locked. Its CSV reader is not used, see `measure.lines`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from synth.axis import Axis, domain_of
from synth.domain import Domain
from synth.errors import Code, Refusal
from synth.measure.codes import Codes, smallest_dtype
from synth.measure.encode import Texts, dates_in, encode, is_blank, numbers_in
from synth.measure.lines import (
    SEPARATOR,
    SPACE,
    check_format,
    header_names,
    read_header,
    split_file,
    split_records,
    unwire,
    wire,
)
from synth.measure.noise import OS_ENTROPY, Entropy
from synth.measure.sealed import sealed
from synth.schema import FileFormat, Kind, Schema

__all__ = ["Codes", "PrivateTable", "header_only", "open_table"]

PARQUET = (".parquet", ".pq")


def open_table(path: Path | str, schema: Schema, *, entropy: Entropy = OS_ENTROPY) -> PrivateTable:
    """The file's declared columns as a private table, rows capped per unit, the unit's id gone.

    Raises: `Mistake` for a delimiter or quote that cannot be one; `Refusal` FILE_UNREADABLE, HEADER_MISMATCH
    or COLUMN_COUNT (no line of a file without header has the declared number of cells).
    """
    check_format(schema.file)
    return PrivateTable(_read(Path(path), schema), schema, entropy=entropy)


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
        return _parquet_names(_sandbox(path), path)
    return read_header(path, form) if form.header else []


class PrivateTable:
    """Text cells of a private file. Neither shown, nor pickled, nor iterated; only `measure` asks it."""

    __slots__ = ("_cells", "_missing", "_names")

    def __init__(self, texts: Mapping[str, Texts], schema: Schema, *, entropy: Entropy = OS_ENTROPY) -> None:
        """`texts[column]`: pyarrow strings, one per row, in the form of `lines.wire`."""
        self._names = tuple(c.name for c in schema.modelled)
        self._missing = schema.file.missing
        self._cells = _dictionaries(texts, schema, entropy)

    @classmethod
    def of(
        cls, columns: Mapping[str, Sequence[str | None]], schema: Schema, *, entropy: Entropy = OS_ENTROPY
    ) -> PrivateTable:
        """A table from texts in memory, every declared column by name; None is a blank."""
        texts = {
            name: pa.array(["" if v is None else wire(v) for v in values], pa.large_string())
            for name, values in columns.items()
        }
        return cls(texts, schema, entropy=entropy)

    def __repr__(self) -> str:
        return f"PrivateTable(columns={len(self._names)})"

    def __reduce__(self) -> NoReturn:
        raise Refusal(Code.QUESTION_INVALID)

    @sealed()
    def codes(self, axes: Sequence[Axis]) -> Codes:
        """Every row as codes of these axes, in their order."""
        columns = []
        for axis in axes:
            index, texts = self._cells[axis.name]
            meaning = encode(texts, axis, self._missing).astype(smallest_dtype(axis.missing_code + 1))
            columns.append(meaning[index])
        spans = [axis.missing_code + 1 for axis in axes]
        return Codes(columns, domain_of(axes) if axes else Domain((), ()), spans=spans)

    @sealed()
    def value_counts(self, column: str) -> dict[str, int]:
        """Exact counts of the texts a column holds, missing tokens and texts that are no UTF-8 left out.

        Private: for `measure.questions` only.
        """
        index, texts = self._cells[column]
        counts = np.bincount(index, minlength=len(texts))
        counts[is_blank(texts, self._missing)] = 0
        named = ((unwire(t), int(n)) for t, n in zip(texts.to_pylist(), counts, strict=True) if n)
        return {text: n for text, n in named if text is not None}

    @sealed()
    def range_counts(self, column: str, kind: Kind, edges: Sequence[float]) -> NDArray[np.int64]:
        """Exact counts of a column's numbers or dates between neighbouring edges, those beyond at the ends.

        Private: for `measure.questions` only. Shapes: int64[len(edges) - 1]. Blanks are not counted.
        """
        index, texts = self._cells[column]
        values = dates_in(texts) if kind is Kind.DATE else numbers_in(texts)
        counted = ~(np.isnan(values) | is_blank(texts, self._missing))
        cells = len(edges) - 1
        place = np.clip(np.searchsorted(np.array(edges), values, side="right") - 1, 0, cells - 1)
        weight = np.bincount(index, minlength=len(texts))
        counts = np.zeros(cells, dtype=np.int64)
        np.add.at(counts, place[counted], weight[counted])
        return counts


@sealed()
def _dictionaries(
    texts: Mapping[str, Texts], schema: Schema, entropy: Entropy
) -> dict[str, tuple[NDArray[np.int32], Texts]]:
    """Per modelled column: which text every kept row holds, and the distinct texts."""
    cells = {c.name: _dictionary(texts[c.name]) for c in schema.modelled}
    if schema.unit.id_column is None:
        return cells
    ids, names = _dictionary(texts[schema.unit.id_column])
    blank = is_blank(names, schema.file.missing)
    kept = capped_rows(ids, blank[ids], schema.unit.max_rows, entropy=entropy)
    return {name: (index[kept], distinct) for name, (index, distinct) in cells.items()}


def _dictionary(texts: Texts) -> tuple[NDArray[np.int32], Texts]:
    encoded = texts.dictionary_encode()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.combine_chunks()
    return encoded.indices.to_numpy().astype(np.int32, copy=False), encoded.dictionary


def capped_rows(
    ids: NDArray[np.int32], blank: NDArray[np.bool_], most: int, *, entropy: Entropy
) -> NDArray[np.intp]:
    """The rows that stay when no unit keeps more than `most`; a row with a blank id is a unit of its own.

    Every row draws a random key and a unit keeps its smallest ones, so that what is kept of one unit depends
    on no other unit. Privacy: two tables that differ in one unit are thus capped alike elsewhere.
    """
    keys = np.frombuffer(entropy.bytes(8 * len(ids)), dtype="<u8")
    order = np.lexsort((keys, ids))
    ordered = ids[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=-1))
    lengths = np.diff(starts, append=len(ordered))
    rank = np.arange(len(ordered)) - np.repeat(starts, lengths)
    kept = order[(rank < most) | blank[order]]
    return np.sort(kept)


@sealed(Code.FILE_UNREADABLE)
def _read(path: Path, schema: Schema) -> dict[str, Texts]:
    """The texts of every column that is modelled or the unit's id."""
    if not path.is_file():
        raise Refusal(Code.FILE_UNREADABLE)
    if path.suffix.lower() in PARQUET:
        return _read_parquet(path, schema)
    form = schema.file
    header, lines = split_file(path.read_bytes(), form)
    names = header_names(header, form) if form.header else [c.name for c in schema.columns]
    wanted = _positions(names, schema)
    plain, quoted = split_records(lines, form, len(names))
    parts = [_split_cells(plain, form.delimiter, list(wanted.values()))]
    if quoted:
        parts.append(_split_cells(quoted, SEPARATOR, list(wanted.values())))
    table = pa.concat_tables(parts)
    if not form.header and table.num_rows and not pc.any(pc.equal(table["width"], len(names))).as_py():
        raise Refusal(Code.COLUMN_COUNT)
    return {name: table[f"c{i}"] for i, name in enumerate(wanted)}


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


def _split_cells(records: list[str], delimiter: str, positions: Sequence[int]) -> Any:
    """Records to stripped cells c0, c1, .. at these positions (empty beyond a record's end), and widths."""
    connection = _sandbox(None)
    connection.register("records", pa.table({"record": pa.array(records, pa.large_string())}))
    spaces = "".join(f" || chr({ord(c)})" for c in SPACE).removeprefix(" || ")
    cells = [f"trim(coalesce(cells[{p + 1}], ''), {spaces}) AS c{i}" for i, p in enumerate(positions)]
    query = (
        f"SELECT {', '.join(cells)}, len(cells) AS width "
        f"FROM (SELECT string_split(record, chr({ord(delimiter)})) AS cells FROM records)"
    )
    try:
        return connection.sql(query).to_arrow_table()
    finally:
        connection.close()


def _sandbox(path: Path | None) -> duckdb.DuckDBPyConnection:
    """A DuckDB in memory that can open `path` and no other file, and whose settings are final."""
    connection = duckdb.connect(
        ":memory:",
        config={
            "allow_community_extensions": "false",
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "temp_directory": "",
            "threads": str(min(os.cpu_count() or 1, 4)),
        },
    )
    if path is not None:
        connection.execute("SET allowed_paths = [$path]", {"path": str(path.absolute())})
    connection.execute("SET arrow_large_buffer_size = true")
    connection.execute("SET preserve_insertion_order = true")
    connection.execute("SET python_enable_replacements = false")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection


def _parquet_names(connection: duckdb.DuckDBPyConnection, path: Path) -> list[str]:
    query = "SELECT * FROM read_parquet($path) LIMIT 0"
    return [str(d[0]) for d in connection.execute(query, {"path": str(path.absolute())}).description or []]


def _read_parquet(path: Path, schema: Schema) -> dict[str, Texts]:
    """Columns of a Parquet file as DuckDB writes their values in text."""
    connection = _sandbox(path)
    try:
        names = _parquet_names(connection, path)
        wanted = _positions(names, schema)
        return {name: _parquet_column(connection, path, len(names), p) for name, p in wanted.items()}
    finally:
        connection.close()


def _parquet_column(connection: duckdb.DuckDBPyConnection, path: Path, width: int, position: int) -> Texts:
    spaces = "".join(f" || chr({ord(c)})" for c in SPACE).removeprefix(" || ")
    query = (
        f"SELECT trim(coalesce(CAST(c{position} AS VARCHAR), ''), {spaces}) AS text "
        f"FROM read_parquet($path) AS t({', '.join(f'c{i}' for i in range(width))})"
    )
    try:
        texts = connection.sql(query, params={"path": str(path.absolute())}).to_arrow_table()["text"]
    except duckdb.Error:
        return _undecodable_parquet_column(path, position)
    if pc.all(pc.string_is_ascii(texts)).as_py() is not False:
        return texts
    return pa.array([wire(t) for t in texts.to_pylist()], pa.large_string())


def _undecodable_parquet_column(path: Path, position: int) -> Texts:
    """A text column in which some value is not UTF-8, over which DuckDB gives up: only that value is lost."""
    file = pq.ParquetFile(path)
    column = file.read(columns=[file.schema_arrow.names[position]]).column(0)
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        raise Refusal(Code.FILE_UNREADABLE)
    values = column.cast(pa.large_binary()).to_pylist()
    return pa.array(
        ["" if v is None else v.decode("latin-1").strip(SPACE) for v in values], pa.large_string()
    )
