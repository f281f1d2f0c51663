"""A small domain, what a question counts of rows that are written out, and tails of noise."""

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import pytest

from synth.core.domain import Domain
from synth.core.schema import Neighbours
from synth.private.counting.codes import Codes
from synth.private.exact_tables import ExactTables
from synth.private.queries import Query
from synth.private.queries.base import integers
from synth.private.terms import Terms

DOMAIN = Domain(("a", "b"), (3, 2))


def exact(query: Query[Any], rows: Sequence[Sequence[int]], domain: Domain = DOMAIN) -> np.ndarray:
    table = np.array(rows, dtype=np.int64).reshape(-1, len(domain))
    return query.exact(ExactTables(Codes.of(table, domain), domain))


def tail(variance: Fraction, least: int) -> float:
    """Return Pr[Z >= least] of a discrete Gaussian number, in floats."""
    reach = 40 * math.ceil(math.sqrt(variance)) + abs(least)
    weights = np.exp(-np.square(np.arange(-reach, reach + 1, dtype=float)) / (2 * float(variance)))
    return float(weights[reach + least :].sum() / weights.sum())


def farthest(vectors: Iterable[np.ndarray], rows: int, relation: Neighbours) -> float:
    """Return the largest squared distance of two neighbouring tables if each unit adds `rows` of these
    vectors.
    """
    each = np.array(list(vectors))
    if rows > 1:
        each = np.array([sum(some) for some in combinations_with_replacement(each, rows)])
    lengths = np.square(each).sum(axis=1)
    if relation is Neighbours.REPLACE:
        return max(float((lengths + lengths[i] - 2 * each @ one).max()) for i, one in enumerate(each))
    return float(lengths.max())


def noise_is_as_large_as(query: Query[Any], terms: Terms, expected: np.ndarray) -> None:
    """Test that the answers of an empty table have the expected variance and are independent."""
    none = ExactTables(Codes.of(np.zeros((0, 2), dtype=np.int64), DOMAIN), DOMAIN)
    drawn = [integers(query.answer(none, units=10**10, terms=terms)) for _ in range(400)]
    assert np.std(drawn, axis=0) == pytest.approx(expected, rel=0.2), "6 standard errors"
    off = np.corrcoef(np.transpose(drawn)) - np.eye(len(expected))
    assert np.abs(off).max() < 0.3, "6 standard errors"
