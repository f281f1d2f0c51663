"""A column as text: what its cells say, and which row says what."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from synth.private.reading.lines import SPACE, wire

Texts = Any
"""A pyarrow large_string array (pyarrow brings no types)."""


@dataclass(frozen=True, eq=False, repr=False)
class TextColumn:
    """Rows of a column, dictionary-encoded: row i says `texts[index[i]]`.

    Shapes: `index: int32[rows]`; `texts` is a pyarrow large_string array, stripped and in the form of
    `lines.wire`, in which a text may stand twice. As it is read, every text is said by some row.
    """

    index: NDArray[np.int32]
    texts: Texts


TextColumns = Mapping[str, TextColumn]
"""Some rows of a file: columns by name. Parquet is read column by column, so there it is one at a time."""


def text_column(texts: Any) -> TextColumn:
    """A column of one text per row: a list or a large_string array, as `lines.wire` writes but for spaces.

    Shapes: `index: int32[len(texts)]`.
    """
    array = pa.array(texts, pa.large_string()) if isinstance(texts, list) else texts
    encoded = array.dictionary_encode()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.combine_chunks()
    return TextColumn(encoded.indices.to_numpy().astype(np.int32, copy=False), stripped(encoded.dictionary))


def concatenated(columns: Iterable[TextColumn]) -> TextColumn:
    """All rows, one column after the other; every text stands once. Shapes: `index: int32[all rows]`."""
    parts = [*columns, text_column([])]
    chunks = [pa.DictionaryArray.from_arrays(pa.array(part.index), part.texts) for part in parts]
    whole = pa.chunked_array(chunks).unify_dictionaries().combine_chunks()
    return TextColumn(whole.indices.to_numpy(), whole.dictionary)


def stripped(texts: Texts) -> Texts:
    """Texts without the spaces around them. Shapes: as `texts`."""
    return pc.ascii_trim(texts, characters=SPACE)


def is_blank(texts: Texts, missing: tuple[str, ...]) -> NDArray[np.bool_]:
    """Which texts are empty or a missing token. Shapes: bool[len(texts)]."""
    return positions(texts, ["", *map(wire, missing)]) >= 0


def positions(texts: Texts, keys: list[str]) -> NDArray[np.int64]:
    """The first key every text equals, -1 for none. Shapes: int64[len(texts)]."""
    places = pc.index_in(texts, value_set=pa.array(keys, texts.type))
    return np.asarray(places.fill_null(-1).to_numpy(zero_copy_only=False), dtype=np.int64)
