"""Estimate the likely counts of every column separately."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from synth.core.evidence import Evidence
from synth.core.zeros import allowed_cells
from synth.models.estimates.smooth import smooth
from synth.models.pgm import Estimate


def one_ways(evidence: Evidence) -> dict[str, Estimate]:
    """Return the likely counts of every column, smoothed, from its one-way measurements in the domain's own
    codes.

    Codes that a zero of the column forbids get no records. A column without such a measurement is uniform,
    and its variance is set to 0 because it has none.
    """
    domain = evidence.domain
    own = [m for m in evidence.measurements if len(m.clique) == 1 and not m.groups]
    likely = {}
    for name, size in zip(domain.names, domain.sizes, strict=True):
        allowed = allowed_cells(domain, (name,), evidence.zeros)
        mine = [m for m in own if m.clique == (name,)]
        precision = sum((1 / m.variance for m in mine), Fraction(0))
        counts = np.zeros(size)
        if mine:
            mean = sum(m.counts * float(1 / m.variance / precision) for m in mine)
            counts[allowed] = smooth(
                np.asarray(mean)[allowed],
                float(1 / precision) ** 0.5,
                total=evidence.total,
                ordered=int(allowed[: evidence.ordered.get(name, 0)].sum()),
            )
        else:
            counts[allowed] = evidence.total / max(int(allowed.sum()), 1)
        likely[name] = Estimate((name,), counts, 1 / precision if mine else Fraction(0))
    return likely
