"""Estimate measured target proportions from all noisy measurements of a release. This is post-processing.

A target proportion has a noisy count of its own. Tables with its columns that were measured for the method
also show the proportion, often more precisely. The estimate combines all of them by least squares, as the
answers from a release package do (`estimates.ratios`). If the columns of the proportion have more than
`MOST_CELLS` cells together, only its own count is used.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist

import numpy as np

from synth.core.evidence import Evidence
from synth.core.measurements.noisy import Measurement
from synth.estimates.facts import Fact, facts_of
from synth.estimates.least_squares import System
from synth.estimates.ratios import ratio_of
from synth.rules import CodedShare, MeasuredShare

MOST_CELLS = 1 << 16
"""Maximum number of cells of the columns of a target proportion for which all measurements are combined."""


def measured_targets(
    shares: Sequence[CodedShare], evidence: Evidence, *, confidence: float, combine: bool = True
) -> tuple[MeasuredShare, ...]:
    """Return the target proportions that are declared or measured, with estimates of the measured ones.

    `confidence` is the confidence of each interval. Intervals are around the estimates limited to [0, 1], so
    they are never shorter than the noise. If `combine` is False, each estimate uses only its own count, as
    earlier versions did.
    """
    measured, facts = {(m.clique, tuple(m.groups.items())): m for m in evidence.shares}, facts_of(evidence)
    requested = []
    for share in shares:
        if share.declared is not None:
            requested.append(MeasuredShare(coded=share))
        elif (answer := measured.get((share.clique, tuple(share.groups.items())))) is not None:
            found = _combined(share, facts, evidence, confidence) if combine else None
            requested.append(found or _alone(share, answer, evidence, confidence))
    return tuple(requested)


def _combined(
    share: CodedShare, facts: Sequence[Fact], evidence: Evidence, confidence: float
) -> MeasuredShare | None:
    """Return the estimate from all measurements, or None if there are too many cells or there is too much
    noise.
    """
    if evidence.domain.size(share.clique) > MOST_CELLS:
        return None
    total = evidence.total if evidence.codebook.schema.rows_public is not None else None
    system = System(evidence.domain, facts, share.clique, evidence.codebook.zeros, total)
    term = {name: mask.astype(np.float64) for name, mask in share.masks.items()}
    found = ratio_of(system, term, {}, level=confidence, sampling=0.0)
    if found is None:
        return None
    middle = min(max(found.estimate, 0.0), 1.0)
    interval = found.moved(middle - found.estimate).within(0.0, 1.0).interval
    return MeasuredShare(coded=share, noisy=found.estimate, sigma=found.noise, interval=interval)


def _alone(share: CodedShare, answer: Measurement, evidence: Evidence, confidence: float) -> MeasuredShare:
    """Return the estimate from the count of the target proportion alone.

    It is divided by the number of records, which is public or estimated with much less noise.
    """
    noisy, sigma = float(answer.counts.flat[-1]) / evidence.total, answer.sigma / evidence.total
    reach = NormalDist().inv_cdf(0.5 + confidence / 2) * sigma
    middle = min(max(noisy, 0.0), 1.0)
    interval = max(middle - reach, 0.0), min(middle + reach, 1.0)
    return MeasuredShare(coded=share, noisy=noisy, sigma=sigma, interval=interval)
