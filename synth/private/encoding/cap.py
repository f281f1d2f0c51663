"""Which rows stay when no unit of protection may have more than declared."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from synth.private.entropy import Entropy


def capped_rows(
    ids: NDArray[np.int32], blank: NDArray[np.bool_], most: int, *, entropy: Entropy
) -> NDArray[np.intp]:
    """The rows that stay when no unit keeps more than `most`; rows with a blank id do not stay.

    Shapes: `ids: int32[rows]` and `blank: bool[rows]` to positions in order, intp[rows that stay].

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
