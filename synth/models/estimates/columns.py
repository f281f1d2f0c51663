"""Estimate the likely counts of every column separately."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from synth.core.evidence import Evidence
from synth.core.measurements.noisy import Measurement
from synth.core.zeros import allowed_cells
from synth.models.estimates.smooth import smooth
from synth.models.estimates.starting import towards_start
from synth.models.pgm import Estimate


def one_ways(evidence: Evidence) -> dict[str, Estimate]:
    """Return the smoothed, likely counts of every column, based on its one-way measurements in the domain's
    own codes.

    Codes that a structural zero of the column forbids get no records. A column without such a measurement is
    uniform, with a variance of 0 as a placeholder. If there is a starting table, columns are shrunk towards
    its columns (`towards_start`).
    """
    domain, zeros = evidence.domain, evidence.zeros
    found, likely = _measured(evidence), {}
    if evidence.start is not None and found:
        found = towards_start(found, evidence.start.codes, domain, evidence.total)
    for name, size in zip(domain.names, domain.sizes, strict=True):
        allowed = allowed_cells(domain, (name,), zeros)
        counts, variance = np.zeros(size), Fraction(0)
        if name in found:
            mean, variance = found[name]
            counts[allowed] = smooth(
                mean[allowed],
                float(variance) ** 0.5,
                total=evidence.total,
                listed=int(allowed[: evidence.codebook.listed.get(name, 0)].sum()),
            )
        else:
            counts[allowed] = evidence.total / max(int(allowed.sum()), 1)
        likely[name] = Estimate((name,), counts, variance)
    return likely


def _measured(evidence: Evidence) -> dict[str, tuple[NDArray[np.float64], Fraction]]:
    """Return the counts and the variance of a cell for each column that was measured in its own codes.
    Repeated measurements of a column are averaged by precision.
    """
    whole = defaultdict[str, list[Measurement]](list)
    for m in evidence.measurements:
        if len(m.clique) == 1 and not m.groups:
            whole[m.clique[0]].append(m)
    found = {}
    for name, mine in whole.items():
        precision = sum((1 / m.variance for m in mine), Fraction(0))
        mean = sum(m.counts * float(1 / m.variance / precision) for m in mine)
        found[name] = np.asarray(mean, dtype=np.float64), 1 / precision
    return found
