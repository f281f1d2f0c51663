"""Move records out of forbidden cells. This is used for models that satisfy structural zeros only
approximately.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Domain
from synth.core.zeros import Zero, allowed_cells
from synth.models import pgm
from synth.models.pgm import Estimate

PASSES = 4
"""Number of passes over all zeros before the remaining records are drawn again. A record that leaves the cell
of one zero can enter the cell of another zero.
"""

Codes = NDArray[np.int64]


def repaired(
    codes: Codes,
    domain: Domain,
    zeros: Sequence[Zero],
    columns: Sequence[NDArray[np.float64]],
    rng: np.random.Generator,
) -> tuple[Codes, int]:
    """Return records that satisfy all structural zeros, and the number of changed records.

    Shapes: `codes` int64[rows, len(domain)], not modified. `columns[i]`: float64[sizes[i]], weights of the
    codes. A record in a forbidden cell gets another code in one of the cell's columns, drawn by weight among
    all changes that leave the cell. If a record still violates a zero after `PASSES` passes, the columns of
    all connected zeros are drawn from the independent model under these zeros.

    Raises: ValueError if the zeros leave no possible record.
    """
    tied = [z for z in zeros if z.forbidden.any()]
    fixed, broken = codes.copy(), np.zeros(len(codes), dtype=bool)
    for _ in range(PASSES):
        hit = False
        for z in tied:
            some = _breaking(fixed, domain, z)
            broken[some] = True
            if some.size:
                hit = True
                _leave(fixed, some, domain, z, columns, rng)
        if not hit:
            return fixed, int(broken.sum())
    left = np.unique(np.concatenate([_breaking(fixed, domain, z) for z in tied]))
    if left.size:
        _draw_anew(fixed, left, domain, tied, columns, rng)
    return fixed, int(broken.sum())


def _breaking(codes: Codes, domain: Domain, zero: Zero) -> NDArray[np.intp]:
    """Return the positions of the records in forbidden cells."""
    return np.flatnonzero(zero.forbidden[tuple(codes[:, i] for i in domain.axes(zero.clique))])


def _leave(
    codes: Codes,
    rows: NDArray[np.intp],
    domain: Domain,
    zero: Zero,
    columns: Sequence[NDArray[np.float64]],
    rng: np.random.Generator,
) -> None:
    """Change one column of each given record, so that the record leaves the forbidden cells if one change
    suffices. Records are processed by cell, because all records of a cell have the same possible changes.
    """
    axes = domain.axes(zero.clique)
    cells = np.ravel_multi_index(tuple(codes[rows, i] for i in axes), zero.forbidden.shape)
    order = np.argsort(cells, kind="stable")
    hit, starts = np.unique(cells[order], return_index=True)
    for cell, some in zip(hit.tolist(), np.split(rows[order], starts[1:]), strict=True):
        here = np.unravel_index(cell, zero.forbidden.shape)
        weights = []
        for axis, i in enumerate(axes):
            line = zero.forbidden[tuple(slice(None) if k == axis else here[k] for k in range(len(here)))]
            weights.append(np.where(line, 0.0, np.maximum(columns[i], 0.0) / max(columns[i].sum(), 1e-300)))
        whole = np.concatenate(weights)
        if not whole.sum() > 0:
            continue
        drawn = rng.choice(whole.size, size=len(some), p=whole / whole.sum())
        ends = np.cumsum([w.size for w in weights])
        which = np.searchsorted(ends, drawn, side="right")
        for axis, i in enumerate(axes):
            mine = which == axis
            codes[some[mine], i] = drawn[mine] - (ends[axis] - weights[axis].size)


def _draw_anew(
    codes: Codes,
    rows: NDArray[np.intp],
    domain: Domain,
    zeros: Sequence[Zero],
    columns: Sequence[NDArray[np.float64]],
    rng: np.random.Generator,
) -> None:
    names = domain.clique({name for z in zeros for name in z.clique})
    part = domain.project(names)
    estimates = []
    for name in names:
        allowed = allowed_cells(domain, (name,), zeros)
        likely = np.where(allowed, np.maximum(columns[domain.axis(name)], 1e-6), 0.0)
        if not allowed.any():
            raise ValueError("the structural zeros leave a column no possible value")
        estimates.append(Estimate((name,), likely / likely.sum() * len(codes), Fraction(1)))
    model = pgm.fit(part, estimates, zeros=zeros, total=float(len(codes)))
    codes[rows[:, None], list(domain.axes(names))] = model.sample(len(rows), rng)
