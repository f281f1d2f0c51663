"""A small domain, what a question counts of rows that are written out, and tails of noise."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from synth.core.domain import Domain
from synth.private.counting.codes import Codes
from synth.private.exact_tables import ExactTables
from synth.private.queries import Query

DOMAIN = Domain(("a", "b"), (3, 2))


def exact(query: Query[Any], rows: Sequence[Sequence[int]], domain: Domain = DOMAIN) -> np.ndarray:
    table = np.array(rows, dtype=np.int64).reshape(-1, len(domain))
    return query.exact(ExactTables(Codes.of(table, domain), domain))


def tail(variance: Fraction, least: int) -> float:
    """Pr[Z >= least] of a discrete Gaussian, in floats."""
    reach = 40 * math.ceil(math.sqrt(variance)) + abs(least)
    weights = np.exp(-np.square(np.arange(-reach, reach + 1, dtype=float)) / (2 * float(variance)))
    return float(weights[reach + least :].sum() / weights.sum())
