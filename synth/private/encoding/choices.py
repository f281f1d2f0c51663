"""Convert the columns of a file to modelled columns: the parts of multiple-choice columns, and groups.

Each row of the file becomes one row of codes, which depends only on the cells of that row. So one record
still changes only one row of codes.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from synth.core.axis import Axis
from synth.core.columns.choices import Mask, is_chosen, picked, unanswered
from synth.core.columns.combinations import Choices
from synth.core.discretisation import axis_of
from synth.core.schema import NONE_CHOSEN, Column, FileFormat, Group, Schema
from synth.private.encoding.encode import blank_in, encode
from synth.private.reading.lines import wire
from synth.private.reading.text_column import TextColumn, TextColumns, Texts, plain_texts, stripped

CONTRADICTION = "\0"
"""The string that marks a contradiction in a group. No declared value can be equal to it."""


def as_modelled(columns: TextColumns, schema: Schema) -> TextColumns:
    """Return the modelled columns of some rows, as strings. All columns of a group must be in the same
    call.
    """
    made = dict(columns)
    for column in schema.read:
        if column.separator and column.name in columns:
            made |= _options(made.pop(column.name), column, schema.file)
    for group in schema.groups:
        if group.columns[0] in columns:
            made |= _grouped([made.pop(name) for name in group.columns], group, schema)
    return made


def _options(cells: TextColumn, column: Column, form: FileFormat) -> dict[str, TextColumn]:
    """Encode each part of a distinct cell like a cell of a column with these values."""
    axis, texts = axis_of(column), plain_texts(cells.texts)
    chosen = _chosen(texts, axis, form)[: axis.missing_code]
    return _parts(column.choices, chosen, blank_in(texts, column, form), cells.index)


def _parts(choices: Choices, chosen: Mask, blank: Mask, index: NDArray[np.int32]) -> dict[str, TextColumn]:
    """Return the modelled columns of distinct rows, and `index`, the distinct row of each row of the file."""
    codes = choices.codes(chosen, blank)
    return {
        part.name: TextColumn(index, _texts(np.where(own < 0, len(part.labels), own), part.labels))
        for part, own in zip(choices.parts, codes, strict=True)
    }


def _chosen(texts: Texts, axis: Axis, form: FileFormat) -> NDArray[np.bool_]:
    """Return whether each code occurs among the parts of each cell.

    `texts` are plain. Shapes: bool[codes, len(texts)].
    """
    parts = [text.split(axis.column.separator) for text in texts.to_pylist()]
    distinct = {part: place for place, part in enumerate(dict.fromkeys(p for some in parts for p in some))}
    codes = encode(stripped(pa.array(list(distinct), pa.large_string())), axis, form)
    chosen = np.zeros((axis.missing_code + 1, len(parts)), dtype=np.bool_)
    for cell, some in enumerate(parts):
        chosen[codes[[distinct[part] for part in some]], cell] = True
    return chosen


def undeclared_in(texts: Texts, column: Column, form: FileFormat) -> NDArray[np.bool_]:
    """Return a mask of the cells of a multiple-choice column that have an undeclared option."""
    axis = replace(axis_of(column), other="undeclared")
    found: NDArray[np.bool_] = _chosen(plain_texts(texts), axis, form)[axis.outside_code]
    return found


def _grouped(members: list[TextColumn], group: Group, schema: Schema) -> dict[str, TextColumn]:
    columns = [schema.column(name) for name in group.columns]
    axes = [axis_of(column) for column in columns]
    codes = [encode(m.texts, axis, schema.file)[m.index] for m, axis in zip(members, axes, strict=True)]
    chosen = np.stack([code == yes_of(axis, group) for code, axis in zip(codes, axes, strict=True)])
    blank = np.stack([code >= axis.cells for code, axis in zip(codes, axes, strict=True)])
    if group.several:
        rows = np.vstack([chosen, unanswered(chosen, blank, columns)])
        distinct, row_of = np.unique(rows, axis=1, return_inverse=True)
        choices = schema.choice(group.name)
        return _parts(choices, distinct[:-1], distinct[-1], row_of.ravel().astype(np.int32))
    values = (*group.columns, NONE_CHOSEN, CONTRADICTION)
    places = picked(chosen, blank, group, columns) % (len(values) + 1)
    texts = _texts(np.arange(len(values) + 1), values)
    return {group.name: TextColumn(places.astype(np.int32), texts)}


def yes_of(axis: Axis, group: Group) -> int:
    """Return the code that means yes in a column of a group."""
    return is_chosen(axis.labels, group)


def _texts(places: NDArray[np.int64], values: tuple[str, ...]) -> pa.Array:
    """Return the values at these positions as strings of a file.

    A position after the last value becomes a blank.
    """
    return pa.array([wire(value) for value in values] + [""], pa.large_string()).take(pa.array(places))
