"""Compute the score of a logistic regression at a public starting point, with integers.

With integers, the result is the same on all machines.

The columns are read on the lattices of `measurements.moments`, and the last term is the indicator y of an
outcome. With the places z = (1, u_1, ..., u_p) of a record and public coefficients b, the predictor of the
record is b_0 + sum_j b_j u_j / L_j. The predictor is rounded to steps of 1/STEP and clipped to at most
FARTHEST in size. It determines the probability p of the outcome in units of 1/CHANCE, and p (1 - p) in units
of 1/SPREAD. A record adds (y - p) z_j to entry j of the score, and p (1 - p) z_i z_j to entry (i, j) of the
information. It adds nothing if one of its columns has no value.

An entry is divided by its scale, which is the largest possible size of the entry at b, times 2 for the score
and times 3 for the information. So the relative noise of the score is two thirds of the relative noise of the
information.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Domain
from synth.core.measurements.moments import Block, Term

ASK = "logistic"
"""The name of the query in the ledger and in its answers."""

STEP, CHANCE, SPREAD = 1 << 12, 1 << 20, 1 << 14
"""The value 1 in the units of coefficients and predictors (STEP), of probabilities (CHANCE), and of p (1 - p)
(SPREAD).
"""

FARTHEST = 15 * STEP
"""Maximum absolute value of a predictor and of a coefficient."""

OF_SCORE, OF_INFORMATION = 2, 3
"""The factors in the scales of the two kinds of entries."""

AT_A_TIME = 1 << 16
"""Number of records in a block. Products are below 2^36, so a float sum of the products of a block is
exact.
"""

Columns = Mapping[str, NDArray[np.integer]]


@lru_cache(maxsize=1)
def chances() -> NDArray[np.int64]:
    """Return CHANCE / (1 + e^-x) for the predictors x from 0 to FARTHEST, in integer arithmetic.

    The value for -x is CHANCE - (value for x). Shapes: int64[FARTHEST + 1], read-only.
    """
    bits = 128
    one = 1 << bits
    term, ratio, n = one, 0, 0
    while term:  # the series of e^(-1 / STEP)
        ratio, n = ratio + (-term if n % 2 else term), n + 1
        term //= STEP * n
    weight, found = one, []
    for _ in range(FARTHEST + 1):
        found.append((2 * CHANCE * one + one + weight) // (2 * (one + weight)))
        weight = weight * ratio >> bits
    table = np.array(found, dtype=np.int64)
    table.setflags(write=False)
    return table


def spread(chance: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return p (1 - p) in units of 1/SPREAD, rounded. Shapes: as `chance`."""
    return (chance * (CHANCE - chance) * SPREAD + CHANCE**2 // 2) // CHANCE**2


@dataclass(frozen=True)
class Score:
    """The score and the information of a block at the coefficients `start`.

    The coefficients are in units of 1/STEP, and the constant is the first. The last term of the block is the
    outcome.
    """

    block: Block
    start: tuple[int, ...]

    @cached_property
    def regressors(self) -> Block:
        """Return the block of the information.

        It does not contain the squares of indicators, which equal entry (0, 0).
        """
        return Block(self.block.terms[:-1])

    @property
    def entries(self) -> tuple[tuple[int, ...], ...]:
        """Return the entries (j) of the score, followed by the entries (i, j) of the information.

        Index 0 is the constant.
        """
        return (*((j,) for j in range(len(self.block.terms))), *self.regressors.entries)

    @cached_property
    def _steps(self) -> tuple[NDArray[np.int64], ...]:
        """Return how much each code of each regressor adds to the predictor. Shapes: int64[cells]."""
        pairs = zip(self.start[1:], self.regressors.terms, strict=True)
        return tuple((2 * b * t.places() + t.bound) // (2 * t.bound) for b, t in pairs)

    @cached_property
    def reach(self) -> tuple[int, int]:
        """Return the smallest and largest predictor of all possible records."""
        low, high = (self.start[0] + sum(int(end(step)) for step in self._steps) for end in (np.min, np.max))
        return max(-FARTHEST, min(low, FARTHEST)), max(-FARTHEST, min(high, FARTHEST))

    @property
    def largest(self) -> tuple[int, int]:
        """Return the largest |y - p| and the largest p (1 - p) of all possible records, in their units."""
        residual, spreads = _sizes(*self.reach)
        return int(residual.max()), max(1, int(spreads.max()))

    @property
    def scales(self) -> list[int]:
        """Return the number by which each entry is divided."""
        residual, spreads = self.largest
        score = [OF_SCORE * bound * residual for bound in self.regressors.bounds]
        return [*score, *(OF_INFORMATION * bound * spreads for bound in self.regressors.products.tolist())]

    def change(self, *, of_score: int = 1, of_information: int = 1, full: bool = False) -> Fraction:
        """Return the largest of w_g |g|^2 + w_h |h|^2 over all possible records.

        g and h are the vectors that a record adds to the score and the information, after division by the
        scales. `full` includes the squares of indicators.
        """
        entries = self.regressors.full if full else len(self.regressors.entries)
        weights = of_score * len(self.block.terms), of_information * entries
        return _largest_change(self.reach, self.largest, weights)

    def fits(self, domain: Domain) -> bool:
        """Whether the score is valid in this domain.

        The last term must be an indicator, and `start` must have one coefficient per term.
        """
        terms = self.block.terms
        if self.block.by or len(terms) < 2 or terms[-1].code is None or not self.block.fits(domain):
            return False
        return len(self.start) == len(terms) and all(
            type(b) is int and abs(b) <= FARTHEST for b in self.start
        )

    def as_facts(self) -> dict[str, Any]:
        """Return the score as JSON.

        The entries and scales follow from the other fields. They are included for the reader.
        """
        return {
            "terms": [asdict(term) for term in self.block.terms],
            "start": list(self.start),
            "entries": [list(entry) for entry in self.entries],
            "scales": self.scales,
        }

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> Self:
        """Return the score from its JSON form (the inverse of `as_facts`).

        Raises: KeyError or TypeError if the form is different.
        """
        return cls(Block(tuple(Term(**term) for term in stored["terms"])), tuple(stored["start"]))

    def sums(self, columns: Columns) -> NDArray[np.int64]:
        """Return the sums over the records with these codes. They are exact below 2^27 records.

        Shapes: `columns` unsigned[records]; int64[entries].
        """
        sums = np.zeros(len(self.entries), dtype=np.int64)
        rows, at = zip(*self.regressors.entries, strict=True)
        for z, y, part in _records(self.block, columns):
            parts = [step[part[t.column]] for step, t in zip(self._steps, self.regressors.terms, strict=True)]
            predictor = np.clip(np.sum(parts, axis=0) + self.start[0], -FARTHEST, FARTHEST)
            chance = chances()[np.abs(predictor)]
            p = np.where(predictor < 0, CHANCE - chance, chance)
            information = z.T @ (z * spread(chance)[:, None])
            score = z.T @ (CHANCE * y - p)
            sums += np.concatenate([score, information[rows, at]]).astype(np.int64)
        return sums


def slopes_at(
    block: Block, columns: Columns, coefficients: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the score and the information at the given coefficients, with places scaled to -1 to 1.

    Shapes: `coefficients`, float64[terms]; float64[terms], float64[terms, terms].
    """
    score, information, _ = sums_at(block, columns, coefficients)
    return score, information


def sums_at(
    block: Block, columns: Columns, coefficients: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return the score, the information and the sum of the squared scores of the records, as `slopes_at`."""
    size = len(block.terms)
    score, information, squares = np.zeros(size), np.zeros((size, size)), np.zeros((size, size))
    for places, y, _ in _records(block, columns):
        z = places / np.array(block.bounds[:-1])
        p = 1 / (1 + np.exp(-np.clip(z @ coefficients, -50, 50)))
        score += z.T @ (y - p)
        information += z.T @ (z * (p * (1 - p))[:, None])
        squares += z.T @ (z * ((y - p) ** 2)[:, None])
    return score, information, squares


def started(block: Block, columns: Columns) -> Score:
    """Return the score at a logistic fit to public rows, with penalty sum_j b_j^2 / 2.

    With the penalty, the fit is unique for any rows. Shapes: `columns` unsigned[rows].
    """
    b = np.zeros(len(block.terms))
    for _ in range(100):
        score, information = slopes_at(block, columns, b)
        step = np.linalg.solve(information + np.eye(len(b)), score - b)
        b += step / max(1.0, float(np.abs(step).max()))
        if np.abs(step).max() < 0.01 / STEP:
            break
    rounded = np.rint(np.clip(b * STEP, -FARTHEST, FARTHEST))
    return Score(block, tuple(int(one) for one in rounded))


def _records(
    block: Block, columns: Columns
) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64], dict[str, NDArray[np.integer]]]]:
    """Yield the places of the regressors, the outcomes and the codes of records, block by block.

    Records with missing values are omitted.
    """
    for start in range(0, len(next(iter(columns.values()))), AT_A_TIME):
        part = {name: codes[start : start + AT_A_TIME] for name, codes in columns.items()}
        kept = np.all([part[term.column] < term.cells for term in block.terms], axis=0)
        part = {name: codes[kept] for name, codes in part.items()}
        *z, y = (term.places()[part[term.column]] for term in block.terms)
        yield np.column_stack([np.ones(len(y)), *z]).astype(np.float64), (y + 1) / 2, part


def _sizes(low: int, high: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return max(p, 1 - p) and p (1 - p) for each |predictor| in this interval."""
    nearest = 0 if low <= 0 <= high else min(abs(low), abs(high))
    residual = chances()[nearest : max(abs(low), abs(high)) + 1]
    return residual, spread(residual)


@lru_cache(maxsize=256)
def _largest_change(reach: tuple[int, int], largest: tuple[int, int], weights: tuple[int, int]) -> Fraction:
    """Return the exact maximum of the weighted sum of squares of the divided score and information."""
    residual, information = OF_SCORE * largest[0], OF_INFORMATION * largest[1]
    a, b = weights[0] * information**2, weights[1] * residual**2
    pairs = zip(*(one.tolist() for one in _sizes(*reach)), strict=True)
    return Fraction(max(a * e * e + b * h * h for e, h in pairs), (residual * information) ** 2)
