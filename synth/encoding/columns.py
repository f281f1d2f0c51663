"""The columns of a private table, encoded as they are read.

A file is read once, in blocks, and a column whose axis is known becomes codes as it passes: memory is that of
the codes and of one block, whatever the size of the file. A column whose domain is still to be bought is kept
as its distinct texts and which row says which; so are the ids of units, until the rows are capped.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synth.axis import Axis
from synth.domain import CodeColumn, smallest_dtype
from synth.encoding.cap import capped_rows
from synth.encoding.encode import encode
from synth.entropy import Entropy
from synth.reading.text_column import TextColumn, TextColumns, concatenated, is_blank
from synth.schema import Schema

ROWS_AT_FIRST = 1 << 16
"""Codes a column has room for before it grows."""


@dataclass(frozen=True, eq=False, repr=False)
class EncodedColumns:
    """Every modelled column either as codes on its axis, or as texts. Equal indexes are rows."""

    coded: Mapping[str, tuple[Axis, CodeColumn]]
    texts: Mapping[str, TextColumn]


def encode_columns(
    blocks: Iterable[TextColumns], schema: Schema, *, axes: Sequence[Axis] = (), entropy: Entropy
) -> EncodedColumns:
    """What these blocks say, coded where an axis is given, with no more rows of a unit than declared.

    `entropy` draws which rows of a unit stay.
    """
    modelled = {c.name for c in schema.modelled}
    by_name = {axis.name: axis for axis in axes if axis.name in modelled}
    codes = {name: _GrowingColumn(smallest_dtype(axis.missing_code + 1)) for name, axis in by_name.items()}
    texts: dict[str, list[TextColumn]] = {name: [] for name in modelled if name not in by_name}
    ids: list[TextColumn] = []
    for columns in blocks:
        for name, column in columns.items():
            if name in by_name:
                codes[name].add(encode(column.texts, by_name[name], schema.file)[column.index])
            elif name in texts:
                texts[name].append(column)
            if name == schema.unit.id_column:
                ids.append(column)
    kept = _kept(ids, schema, entropy) if schema.unit.id_column is not None else slice(None)
    coded = {name: (axis, codes.pop(name).whole()[kept]) for name, axis in by_name.items()}
    whole = {}
    for name in list(texts):
        column = concatenated(texts.pop(name))
        whole[name] = TextColumn(column.index[kept], column.texts)
    return EncodedColumns(coded, whole)


def _kept(blocks: list[TextColumn], schema: Schema, entropy: Entropy) -> NDArray[np.intp]:
    ids = concatenated(blocks)
    blank = is_blank(ids.texts, schema.file.missing)
    return capped_rows(ids.index, blank[ids.index], schema.unit.max_rows, entropy=entropy)


class _GrowingColumn:
    """Codes that come in blocks, in one array that grows where it lies: no second copy at the end."""

    def __init__(self, dtype: np.dtype[np.unsignedinteger[Any]]) -> None:
        self._values, self._used = np.empty(ROWS_AT_FIRST, dtype=dtype), 0

    def add(self, values: CodeColumn) -> None:
        end = self._used + len(values)
        if end > len(self._values):
            self._values.resize(end + len(self._values) // 8, refcheck=False)
        self._values[self._used : end] = values
        self._used = end

    def whole(self) -> CodeColumn:
        self._values.resize(self._used, refcheck=False)
        return self._values
