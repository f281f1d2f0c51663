"""Vary records at random, one column after another, as in Tab-PE.

With the rate r, an ordered code moves by up to r times the length of its column, and any other code is drawn
again with probability r. Records that enter a forbidden cell are moved out of it (`repair`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Domain
from synth.core.measurements.nearest import LONGEST, Places
from synth.core.zeros import Zero
from synth.models.repair import repaired

Codes = NDArray[np.int64]

FIRST, SPAN, POWER = 0.5, 0.49, 0.2
"""First rate, its total decrease, and the exponent of the decrease: r = 0.5 - 0.49 (t / T)^0.2, as in
Tab-PE.
"""

BESIDE = 0.2
"""Distance between ordered codes and codes outside the order, such as *missing*, as a fraction of the
line.
"""


def rate_at(done: int, rounds: int) -> float:
    """Return the rate after `done` of `rounds` rounds."""
    return float(FIRST - SPAN * min(1.0, done / rounds) ** POWER)


def varied(
    codes: Codes,
    domain: Domain,
    *,
    rate: float,
    ordered: Mapping[str, int],
    zeros: Sequence[Zero],
    rng: np.random.Generator,
) -> Codes:
    """Return the records after varying them, without any in a forbidden cell. Shapes: int64[n, len(domain)],
    both.
    """
    moved = codes.copy()
    for i, (name, size) in enumerate(zip(domain.names, domain.sizes, strict=True)):
        line = ordered.get(name, 0)
        anew = rng.random(len(codes)) < rate
        steps = np.rint(rng.uniform(-rate, rate, len(codes)) * (line - 1)).astype(np.int64)
        others = rng.integers(0, size, len(codes))
        if line > 1:
            on_line = codes[:, i] < line
            anew &= ~on_line
            moved[on_line, i] = np.clip(codes[on_line, i] + steps[on_line], 0, line - 1)
        moved[anew, i] = others[anew]
    return repaired(moved, domain, zeros, [np.ones(n) for n in domain.sizes], rng)[0] if zeros else moved


def places_of(domain: Domain, ordered: Mapping[str, int]) -> tuple[Places, ...]:
    """Return the position of each code on a line, with equal distances, for every ordered column. Codes
    outside the order share a position at the end of the line. The result is empty for columns without an
    order.
    """
    return tuple(
        _line(min(ordered.get(name, 0), size), size)
        for name, size in zip(domain.names, domain.sizes, strict=True)
    )


def _line(in_order: int, size: int) -> Places:
    if in_order < 2:
        return ()
    end = LONGEST if in_order == size else round((1 - BESIDE) * LONGEST)
    on_line = [round(i * end / (in_order - 1)) for i in range(in_order)]
    return (*on_line, *[LONGEST] * (size - in_order))
