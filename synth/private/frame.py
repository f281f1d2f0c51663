"""A private table in memory: a data frame of pandas, polars or another library, or an Arrow table.

It is never written to a disk. Its columns are read like the columns of a typed file (`reading.typed`). The
types of columns are public. A column of Python objects is converted cell by cell.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from synth.core.errors import Code, Mistake, Refusal
from synth.private.reading.foreign import written
from synth.private.reading.text_column import TextColumn, TextColumns
from synth.private.reading.typed import is_readable, typed_column
from synth.private.reading.typed_files import BATCH_ROWS
from synth.private.sealed import Hidden, sealed

if TYPE_CHECKING:
    import pandas as pd


POINT = "\0"
"""The decimal sign for numbers in object columns until the declared sign is known."""


class Frame(Hidden):
    """The rows of a data frame, stored by column. Only the private side reads them."""

    __slots__ = ("_table",)
    connection = ""
    """Always None, because a table in memory has no database connection (compare `Address`)."""

    def __init__(self, frame: Any) -> None:
        """Accept a pandas data frame, or an object that provides an Arrow table.

        Raises: `Mistake` for any other object; `Refusal` for invalid columns.
        """
        is_pandas = all(hasattr(frame, name) for name in ("dtypes", "columns", "iloc"))
        if not is_pandas and not any(hasattr(frame, name) for name in ("__arrow_c_stream__", "to_arrow")):
            raise Mistake(
                "The table must be a path, an address, or a data frame of pandas, polars or Arrow (you gave "
                f"{type(frame).__name__!r})."
            )
        self._table = _of_pandas(frame) if is_pandas else _of_arrow(frame)

    @property
    def names(self) -> list[str]:
        return [str(name) for name in self._table.column_names]

    def rows(self, wanted: Mapping[str, int], signs: Mapping[str, str]) -> Iterator[TextColumns]:
        """Read the columns at these positions in batches of rows. Private side: call this under `sealed`.

        `signs` contains the decimal sign of each column. Raises: `Refusal` COLUMN_TYPE, before a row is read,
        if the values of a type are not single strings.
        """
        if not all(is_readable(self._table.schema.field(place).type) for place in wanted.values()):
            raise Refusal(Code.COLUMN_TYPE)
        places = sorted(set(wanted.values()))
        for batch in self._table.select(places).to_batches(max_chunksize=BATCH_ROWS):
            yield {n: _written(batch.column(places.index(at)), signs[n]) for n, at in wanted.items()}

    @sealed(Code.FILE_UNREADABLE)
    def fingerprint(self, key: bytes) -> str:
        """Return the BLAKE2b hash of the types and values of all columns, under a `key` of at most 64
        bytes.
        """
        digest = hashlib.blake2b(key=key, digest_size=32, person=b"frame")
        for batch in [self._table.schema, *self._table.combine_chunks().to_batches()]:
            digest.update(batch.serialize())
        return digest.hexdigest()


@sealed(Code.FILE_UNREADABLE)
def _of_arrow(frame: Any) -> Any:
    return pa.table(frame) if hasattr(frame, "__arrow_c_stream__") else frame.to_arrow()


@sealed(Code.FILE_UNREADABLE)
def _of_pandas(frame: pd.DataFrame) -> Any:
    columns = [_column(frame.iloc[:, place]) for place in range(len(frame.columns))]
    return pa.table(columns, names=[str(name) for name in frame.columns])


def _column(series: pd.Series[Any]) -> Any:
    """Return a pandas column as Arrow data. Objects, and types that Arrow does not have, become strings."""
    if series.dtype.name == "category":
        texts = _texts(series.cat.categories.to_series())
        codes = series.cat.codes.to_numpy()
        return texts.take(pa.array(codes.astype(np.int64), mask=codes < 0))
    if series.dtype != object:
        try:
            return pa.array(series, from_pandas=True)
        except (pa.ArrowException, TypeError):
            pass
    return _texts(series)


def _texts(series: pd.Series[Any]) -> Any:
    """Return each cell as text, independently of other cells."""
    blank = series.isna().to_numpy()
    cells = [None if left else _plain(cell) for cell, left in zip(series.array, blank, strict=True)]
    return pa.array(cells, pa.large_binary())


def _plain(cell: Any) -> bytes:
    if isinstance(cell, bytes):
        return cell
    return written(cell.item() if isinstance(cell, np.generic) else cell, POINT).encode()


def _written(cells: Any, sign: str) -> TextColumn:
    is_objects = pa.types.is_large_binary(cells.type)
    return typed_column(pc.replace_substring(cells, POINT, sign) if is_objects else cells, sign)
