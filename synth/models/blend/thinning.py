"""Split a noisy table into two noisier tables: models are fitted to the first and chosen by the second."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
from numpy.typing import NDArray

from synth.core.evidence import Evidence
from synth.core.measurements.interactions import shape_of, squared_lengths
from synth.core.measurements.joined import asks_interaction
from synth.core.measurements.noisy import Answer, Measurement, NoisyNumbers

_DIGITS = 1000
"""Maximum denominator of the factor by which the variance increases."""


def thinned(evidence: Evidence, c2: float, rng: np.random.Generator) -> tuple[Evidence, Evidence]:
    """Return two versions of the same measurements, with independent noise in every table of two or more
    columns and in every interaction.

    y + c e and y - e / c with e ~ N(0, sigma^2) drawn here are uncorrelated given the true counts, and
    independent because y's own noise is normal (data thinning: Neufeld et al. 2024, Rasines and Young 2023).
    Their variances are (1 + c^2) sigma^2 and (1 + 1 / c^2) sigma^2. Values are rounded to integers. Tables of
    one column, and measurements that are not tables, are the same in both versions. Therefore, evaluations on
    the second version must not depend on them, except where tables were combined with them, which is the same
    for all models of these columns. This is post-processing: it has no privacy cost, and `rng` may be seeded.
    `c2`: c^2, above 0.
    """
    one: list[Answer] = []
    two: list[Answer] = []
    for answer in evidence.answers:
        if isinstance(answer, Measurement) and len(answer.clique) > 1:
            extra = rng.normal(0.0, answer.sigma, answer.counts.shape)
            one.append(_moved(answer, c2**0.5 * extra, 1 + c2))
            two.append(_moved(answer, -extra / c2**0.5, 1 + 1 / c2))
        elif isinstance(answer, NoisyNumbers) and asks_interaction(answer):
            lengths = np.sqrt(squared_lengths(shape_of(answer.requested)))
            extra = rng.normal(0.0, answer.sigma, answer.values.shape) * lengths
            one.append(_moved_numbers(answer, c2**0.5 * extra, 1 + c2))
            two.append(_moved_numbers(answer, -extra / c2**0.5, 1 + 1 / c2))
        else:
            one.append(answer)
            two.append(answer)
    return replace(evidence, answers=tuple(one)), replace(evidence, answers=tuple(two))


def _moved(m: Measurement, by: NDArray[np.float64], factor: float) -> Measurement:
    counts = np.rint(m.counts + by).astype(np.int64)
    return replace(m, counts=counts, variance=m.variance * _exact(factor))


def _moved_numbers(m: NoisyNumbers, by: NDArray[np.float64], factor: float) -> NoisyNumbers:
    values = np.rint(m.values + by).astype(np.int64)
    return replace(m, values=values, variance=m.variance * _exact(factor))


@cache
def _exact(factor: float) -> Fraction:
    return Fraction(factor).limit_denominator(_DIGITS)
