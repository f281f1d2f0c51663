"""Fit a table to given marginals by iterative proportional fitting (Deming and Stephan 1940)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

Table = NDArray[np.float64]

ROUNDS = 10


def fitted_to(table: Table, marginals: Mapping[tuple[int, ...], Table]) -> Table:
    """Return the table closest to the given one, in relative entropy, among all tables with these marginals.

    Shapes: float64[sizes]. `marginals[axes]`: float64[sizes of these axes], with ascending axes. All tables
    contain counts. Cells that are 0 remain 0. After `ROUNDS` rounds, the marginal that was fitted last is
    exact, and the others are approximate.
    """
    found = table
    for _ in range(ROUNDS):
        for axes, wanted in marginals.items():
            rest = tuple(axis for axis in range(table.ndim) if axis not in axes)
            have = found.sum(axis=rest, keepdims=True)
            ratio = np.divide(wanted.reshape(have.shape), have, out=np.zeros_like(have), where=have > 0)
            found = found * ratio
    return found


def with_margins(table: Table, rows: Table, columns: Table, *, rounds: int, least: float = 1e-300) -> Table:
    """Return two-column tables after `rounds` rounds of proportional fitting to these margins. Sums below
    `least` are treated as `least`.

    Shapes: float64[..., a, b], `rows` float64[..., a], `columns` float64[..., b].
    """
    for _ in range(rounds):
        table = table * (rows / np.maximum(table.sum(axis=-1), least))[..., :, None]
        table = table * (columns / np.maximum(table.sum(axis=-2), least))[..., None, :]
    return table
