"""Encode the columns of a private table while it is read, and cap the rows of units.

A file is read once, in blocks, and a column whose axis is known is encoded immediately. For a file of any
size, memory holds only the codes and one block, and codes that do not fit are written to the disk. A column
whose domain must still be estimated is kept as a list of its distinct strings and the index of each row's
string. The IDs of units are kept in the same way until the rows are capped.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from synth.core.axis import Axis
from synth.core.domain import CodeColumn, smallest_dtype
from synth.core.schema import Schema
from synth.private.encoding.choices import as_modelled
from synth.private.encoding.encode import encode_and_check
from synth.private.encoding.held import Disk, HeldColumn
from synth.private.encoding.misfits import Misfits
from synth.private.entropy import Entropy
from synth.private.reading.text_column import TextColumn, TextColumns, concatenated, is_blank, plain_texts


@dataclass(frozen=True, eq=False, repr=False)
class EncodedColumns:
    """All modelled columns, each either as codes on every one of its axes or as strings.

    The same index refers to the same row in all columns. `misfits` has the cells of each axis that do not fit
    the declaration.
    """

    coded: Mapping[Axis, CodeColumn]
    texts: Mapping[str, TextColumn]
    misfits: Mapping[Axis, Misfits]


def encode_columns(
    blocks: Iterable[TextColumns],
    schema: Schema,
    *,
    axes: Sequence[Axis] = (),
    entropy: Entropy,
    folder: Path | None = None,
) -> EncodedColumns:
    """Encode these blocks on the given axes, with at most the declared number of rows per unit.

    `entropy` decides which rows of a unit are kept. Codes that do not fit in memory are written to the
    private `folder`; without a folder, all codes stay in memory.
    """
    modelled = {c.name for c in schema.modelled}
    known = [axis for axis in dict.fromkeys(axes) if axis.name in modelled]
    disk = None if folder is None else Disk.beside(folder, columns=len(known))
    codes = {axis: HeldColumn(smallest_dtype(axis.missing_code + 1), disk) for axis in known}
    misfits = {axis: Misfits() for axis in known}
    texts: dict[str, list[TextColumn]] = {name: [] for name in modelled - {axis.name for axis in known}}
    ids: list[TextColumn] = []
    for columns in blocks:
        ids += [column for name, column in columns.items() if name == schema.unit.id_column]
        for name, column in as_modelled(columns, schema).items():
            for axis, held in codes.items():
                if axis.name == name:
                    own, reasons = encode_and_check(column.texts, axis, schema.file)
                    held.add(own[column.index])
                    misfits[axis].add(reasons, column.index)
            if name in texts:
                texts[name].append(column)
    kept = _kept(ids, schema, entropy) if schema.unit.id_column is not None else None
    coded = {axis: codes.pop(axis).whole(kept) for axis in known}
    if kept is not None:
        misfits = {axis: found.kept(kept) for axis, found in misfits.items()}
    whole = {}
    for name in list(texts):
        column = concatenated(texts.pop(name))
        whole[name] = column if kept is None else TextColumn(column.index[kept], column.texts)
    return EncodedColumns(coded, whole, misfits)


def _kept(blocks: list[TextColumn], schema: Schema, entropy: Entropy) -> NDArray[np.intp]:
    """Return the rows that are kept.

    IDs are compared like all strings, so different spellings of an ID are the same unit.
    """
    read = concatenated(blocks)
    ids = concatenated([TextColumn(read.index, plain_texts(read.texts))])
    blank = is_blank(ids.texts, schema.file.missing)
    return capped_rows(ids.index, blank[ids.index], schema.unit.max_rows, entropy=entropy)


def capped_rows(
    ids: NDArray[np.int32], blank: NDArray[np.bool_], most: int, *, entropy: Entropy
) -> NDArray[np.intp]:
    """Return the rows that remain after keeping at most `most` rows of each unit.

    Rows with a blank ID are removed.

    Shapes: `ids: int32[rows]` and `blank: bool[rows]`; returns positions in order, intp[kept rows].

    Each row gets a random key, and each unit keeps the rows with the smallest keys, so the rows kept for one
    unit do not depend on any other unit. Privacy: in two tables that differ in one unit, all other units
    therefore keep the same rows. Rows without an ID cannot be capped. If each of them counted as a separate
    unit, one person could have any number of them. If all of them counted as one unit, one person could
    displace the rows of others, which would change a table by twice the cap.
    """
    keys = np.frombuffer(entropy.bytes(8 * len(ids)), dtype="<u8")
    order = np.lexsort((keys, ids))
    ordered = ids[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=-1))
    lengths = np.diff(starts, append=len(ordered))
    rank = np.arange(len(ordered)) - np.repeat(starts, lengths)
    kept = order[(rank < most) & ~blank[order]]
    return np.sort(kept)
