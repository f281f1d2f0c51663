"""Records of a model, swapped towards the model's own pair tables."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from synth.domain import Clique, Domain
from synth.generate.blas import one_thread
from synth.generate.swaps import SWEEPS, swap
from synth.model import Model
from synth.zeros import Zero

TARGET_CELLS = 1 << 24
"""Most cells of all tables that swaps aim at; beyond it only measured pairs are aimed at, and any that does
not fit any more is left out."""


def swap_towards(
    model: Model,
    codes: NDArray[np.int64],
    *,
    rng: np.random.Generator,
    measured: Sequence[Clique],
    zeros: Iterable[Zero] = (),
    near: float = 0.0,
    sweeps: int = SWEEPS,
    kept: Collection[str] = (),
    among: Collection[str] | None = None,
) -> NDArray[np.int64]:
    """The same records with values swapped between them (`swaps.swap`), towards all pairs of the model, or
    those `among` some columns.

    Shapes: int64[rows, len(model.domain)], none in a forbidden cell. `measured`: the pairs that matter most,
    in order, where not all can be aimed at. `near` (in counts of the model's total),
    `sweeps` and `kept` are those of `swap`.
    """
    rows, domain = len(codes), model.domain
    pairs: list[Clique] = list(combinations(domain.names, 2))
    if among is not None:
        pairs, measured = ([r for r in some if set(r) <= set(among)] for some in (pairs, measured))
    if sum(domain.size(r) for r in pairs) > TARGET_CELLS:
        pairs = _within(domain, measured)
    if rows == 0 or not pairs:
        return codes
    scale = rows / model.total
    targets = {r: table * scale for r, table in zip(pairs, model.project_many(pairs), strict=True)}
    with one_thread():
        return swap(codes, domain, targets, rng=rng, zeros=zeros, near=near * scale, sweeps=sweeps, kept=kept)


def _within(domain: Domain, pairs: Sequence[Clique]) -> list[Clique]:
    kept, cells = [], 0
    for r in pairs:
        if cells + domain.size(r) <= TARGET_CELLS:
            cells += domain.size(r)
            kept.append(r)
    return kept
