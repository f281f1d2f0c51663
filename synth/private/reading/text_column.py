"""Represent a column as its distinct strings and the string of each row."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from synth.core.cells.words import capitals_of, plain
from synth.private.reading.lines import SPACE, text_of, wire

Texts = Any
"""A pyarrow large_string array (pyarrow has no type annotations)."""


@dataclass(frozen=True, eq=False, repr=False)
class TextColumn:
    """Dictionary-encoded rows of a column: row i has `texts[index[i]]`.

    Shapes: `index: int32[rows]`; `texts` is a pyarrow large_string array, stripped and in the form of
    `lines.wire`, in which a string may occur twice. In a column that was just read, each string has at least
    one row.
    """

    index: NDArray[np.int32]
    texts: Texts


TextColumns = Mapping[str, TextColumn]
"""A batch of rows of a file, as columns by name. Parquet is read column by column, so each batch has only one
column.
"""


def text_column(texts: Any) -> TextColumn:
    """Return a column from one string per row, given as a list or a large_string array.

    The strings are in the form of `lines.wire`, except for spaces.

    Shapes: `index: int32[len(texts)]`.
    """
    array = pa.array(texts, pa.large_string()) if isinstance(texts, list) else texts
    encoded = array.dictionary_encode()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.combine_chunks()
    return TextColumn(encoded.indices.to_numpy().astype(np.int32, copy=False), stripped(encoded.dictionary))


def concatenated(columns: Iterable[TextColumn]) -> TextColumn:
    """Return all rows, one column after the other. Each string occurs once. Shapes: `index: int32[all
    rows]`.
    """
    parts = [*columns, text_column([])]
    chunks = [pa.DictionaryArray.from_arrays(pa.array(part.index), part.texts) for part in parts]
    whole = pa.chunked_array(chunks).unify_dictionaries().combine_chunks()
    return TextColumn(whole.indices.to_numpy(), whole.dictionary)


def stripped(texts: Texts) -> Texts:
    """Strip the spaces around strings. Shapes: as `texts`."""
    return pc.ascii_trim(texts, characters=SPACE)


def plain_texts(texts: Texts) -> Texts:
    """Return stripped strings in the form in which they are compared (`spelled`).

    Bytes that are not text are unchanged.

    Shapes: as `texts`.
    """
    letters = bytes_in(texts)
    if not (letters - ord(" ") > ord("~") - ord(" ")).any() and b"  " not in letters.tobytes():
        return texts  # characters below a space wrap to large numbers, because the type is unsigned
    read = ((text, text_of(text)) for text in texts.to_pylist())
    return pa.array([raw if text is None else spelled(text) for raw, text in read], pa.large_string())


def lowered_texts(texts: Texts, spellings: Collection[str]) -> Texts:
    """Return plain strings in the form of `cells.lowered` if they can equal one of `spellings`.

    Shapes: as `texts`.
    """
    lower = pc.ascii_lower(texts)
    for big, low in capitals_of(spellings).items():
        lower = pc.replace_substring(lower, pattern=wire(big), replacement=wire(low))
    return lower


def bytes_in(texts: Any) -> NDArray[np.uint8]:
    """Return the bytes of all strings in an array, possibly with other bytes of its memory."""
    return np.frombuffer(texts.buffers()[2] or b"", dtype=np.uint8)


def spelled(text: str) -> str:
    """Return `cells.plain` of a string, in the form of `lines.wire`."""
    return wire(plain(text))


def is_blank(texts: Texts, missing: tuple[str, ...]) -> NDArray[np.bool_]:
    """Return a mask of the plain strings that are empty or a missing token. Shapes: bool[len(texts)]."""
    return positions(texts, ["", *map(spelled, missing)]) >= 0


def positions(texts: Texts, keys: list[str]) -> NDArray[np.int64]:
    """Return the position of the first key that equals each string, or -1. Shapes: int64[len(texts)]."""
    places = pc.index_in(texts, value_set=pa.array(keys, texts.type))
    return np.asarray(places.fill_null(-1).to_numpy(zero_copy_only=False), dtype=np.int64)
