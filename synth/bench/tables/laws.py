"""Wide invented tables of ordered columns. Each distribution was fixed before any method was run on its
table.

`survey` has the shape of the ACS tables on which wide synthetic data is often evaluated: ten columns with 32
codes each, some of which use few codes or mostly one code, and a label. `multi50` is a normal distribution
with six factors. No method was tuned on the other distributions: heavy tails, a mixture of factor models,
latent variables cut at thresholds, and zero-inflated counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int64]

BINS = 32
_SEED = 2027


@dataclass(frozen=True, kw_only=True)
class Law:
    """A distribution of rows of codes, and the number of rows in its table.

    All columns except the `nominal` ones are ordered. If there is a `target` (a column to predict), some rows
    are held out. Every row satisfies the `rules`, which are given as sentences.
    """

    rows: int
    sizes: dict[str, int]
    number: int
    rows_of: Callable[[int, list[int], np.random.Generator], Codes] = field(repr=False)
    target: str | None = None
    nominal: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()

    @property
    def ordered(self) -> list[str]:
        return [name for name in self.sizes if name not in self.nominal]

    def blocks(self) -> Iterator[Codes]:
        """Return the public table, drawn from a public seed, as one block. Shapes: int64[rows, columns]."""
        sizes = list(self.sizes.values())
        codes = self.rows_of(self.rows, sizes, np.random.default_rng([_SEED, self.number]))
        yield np.clip(codes, 0, np.array(sizes) - 1).astype(np.int64)


def _survey(rows: int, sizes: list[int], rng: np.random.Generator) -> Codes:
    """Draw persons with four latent traits. The distributions of age, work, schooling and income are rough
    guesses.
    """
    trait, normal, uniform = rng.standard_normal((rows, 4)), rng.standard_normal, rng.random
    age = 16 + 74 * rng.beta(1.6, 2.4, rows)
    school = np.round(16 + 3.2 * trait[:, 0] + 0.8 * normal(rows) - 3 * (age < 22) - 0.02 * (age - 45)).clip(
        1, 24
    )
    female = uniform(rows) < 0.48
    settled = uniform(rows) < 1 / (1 + np.exp(-(age - 32) / 6))
    married = np.where(settled, np.where(uniform(rows) < 0.75, 0.0, 2.0 + (uniform(rows) < 0.2)), 4.0)
    wave = 3 * np.sin(3 * trait[:, 1])
    work = 16 + 6 * (0.5 * trait[:, 1] - 0.7 * trait[:, 0] + 0.4 * female) + wave + 2 * normal(rows)
    abroad = rng.gamma(1.5, 5, rows) + 3 * (trait[:, 0] < -0.5)
    born = np.where(uniform(rows) < 0.62, 2.0, abroad)
    single = np.where(age < 25, 5 + 3 * uniform(rows), rng.gamma(1.2, 3, rows))
    household = np.where(married == 0, 1.0 - female, single)
    loose = np.clip(38 + 12 * trait[:, 2] + 6 * normal(rows) - 0.3 * np.abs(age - 42), 1, 99)
    hours = np.where(uniform(rows) < 0.5 + 0.1 * (trait[:, 2] > 0), 40.0, loose)
    group = np.where(uniform(rows) < 0.6 + 0.1 * (born == 2), 0, np.minimum(8, rng.geometric(0.35, rows)))
    employer = np.round(4 + 1.5 * trait[:, 1] + 0.04 * (age - 40)).clip(1, 7)
    employer = np.where(uniform(rows) < 0.7, 0, employer)
    logged = 10.3 + 0.35 * trait[:, 0] + 0.018 * np.minimum(age - 16, 35) + 0.02 * (hours - 38)
    logged += 0.45 * normal(rows) - 0.15 * ~female - 0.01 * (work - 16)
    values = (age, employer, school, married, work, born, household, hours, female, group)
    spans = ((16, 90), (0, 8), (1, 24), (0, 5), (0, 32), (0, 40), (0, 18), (1, 99), (0, 2), (0, 9))
    coded = [np.floor((x - low) / (high - low) * BINS) for x, (low, high) in zip(values, spans, strict=True)]
    return np.stack([*coded, logged > np.log(50_000)], axis=1).clip(0).astype(np.int64)


def _heavy_tails(rows: int, sizes: list[int], rng: np.random.Generator) -> Codes:
    """Draw four factors with one common scale, from Student's t distribution with 2.5 degrees of freedom.
    Bins have equal width over a range that a steward would declare, so a few bins in the middle contain most
    rows. A third of the columns is exponentiated and declared on the exponential scale.
    """
    columns = len(sizes)
    loadings = rng.normal(size=(4, columns)) * (rng.random((4, columns)) < 0.6)
    common = rng.standard_normal((rows, 4)) @ loadings
    values = (common + rng.standard_normal((rows, columns))) / np.sqrt(1 + np.square(loadings).sum(axis=0))
    values *= np.sqrt(2.5 / rng.chisquare(2.5, (rows, 1)))
    skewed = np.arange(columns) % 3 == 2
    values[:, skewed] = np.exp(np.clip(0.8 * values[:, skewed], -20, 20)) / 12 * 16 - 8
    return np.asarray(np.floor((values + 8) / 16 * BINS), dtype=np.int64)


def _mixture_of_factors(rows: int, sizes: list[int], rng: np.random.Generator) -> Codes:
    """Draw four kinds of rows, each with different means, spreads and two factors. The signs of correlations
    differ between kinds, and no single normal distribution has these clusters.
    """
    columns, kinds = len(sizes), rng.choice(4, rows, p=[0.45, 0.3, 0.15, 0.1])
    values = np.empty((rows, columns))
    for kind in range(4):
        some = np.flatnonzero(kinds == kind)
        loadings, own = rng.normal(0, 0.6, (2, columns)), rng.uniform(0.25, 0.7, columns)
        centre = rng.normal(0, 0.9, columns)
        noise = rng.standard_normal((len(some), columns))
        values[some] = centre + rng.standard_normal((len(some), 2)) @ loadings + own * noise
    return np.floor((values + 3.5) / 7 * BINS).astype(np.int64)


def _thresholds(rows: int, sizes: list[int], rng: np.random.Generator) -> Codes:
    """Draw three factors, and cut every latent variable at random thresholds. This gives answers to
    questionnaires and scales of 2 to 32 steps, many of them skewed.
    """
    columns = len(sizes)
    loadings = rng.normal(0, 0.9, (3, columns))
    latent = rng.standard_normal((rows, 3)) @ loadings + rng.standard_normal((rows, columns))
    latent /= np.sqrt(1 + np.square(loadings).sum(axis=0))
    codes = np.empty((rows, columns), dtype=np.int64)
    for i, size in enumerate(sizes):
        cuts = np.sort(rng.normal(rng.normal(0, 0.7), 1.0, size - 1))
        codes[:, i] = np.searchsorted(cuts, latent[:, i])
    return codes


def _zero_inflated(rows: int, sizes: list[int], rng: np.random.Generator) -> Codes:
    """Draw visits, purchases or claims. Two traits determine whether there are any; the third and the first
    trait determine their number (gamma-mixed Poisson). The last code means 31 or more.
    """
    columns, trait = len(sizes), rng.standard_normal((rows, 3))
    whether, many = rng.normal(0, 0.9, (2, columns)), rng.normal(0, 0.5, (2, columns))
    base, usual = rng.normal(-0.3, 0.8, columns), rng.normal(1.2, 0.7, columns)
    odds = base + trait[:, :2] @ whether
    rate = np.exp(np.clip(usual + trait[:, [0, 2]] @ many, -5, 5)) * rng.gamma(3, 1 / 3, (rows, columns))
    any_at_all = rng.random((rows, columns)) < 1 / (1 + np.exp(-odds))
    return np.where(any_at_all, 1 + rng.poisson(rate), 0).astype(np.int64)


def _six_factors(rows: int, sizes: list[int], rng: np.random.Generator) -> Codes:
    """Draw standard normal columns from six factors with random loadings; 30% of each variance is
    independent. Bins have equal width from -4 to 4. Almost all columns are correlated, with both signs, which
    one factor could not cause.
    """
    loadings = np.random.default_rng(7).standard_normal((6, len(sizes)))
    loadings *= np.sqrt(0.7) / np.linalg.norm(loadings, axis=0)
    values = rng.standard_normal((rows, 6)) @ loadings
    values += np.sqrt(0.3) * rng.standard_normal((rows, len(sizes)))
    return np.asarray(np.floor((values + 4) / 8 * np.array(sizes)), dtype=np.int64)


def _even(columns: int, bins: int = BINS) -> dict[str, int]:
    return {f"x{i:02d}": bins for i in range(columns)}


_SURVEY = ["age", "employer", "school", "married", "work", "born", "household", "hours", "female", "group"]
_STEPS = (2, 5, 7, 32, 3, 10, 32, 4, 20, 32)
"""Numbers of steps of the first ten questionnaire columns. Further columns repeat them."""

LAWS = {
    "survey": Law(
        rows=150_000, sizes={**dict.fromkeys(_SURVEY, BINS), "label": 2}, number=1, rows_of=_survey
    ),
    "heavy-tails": Law(rows=100_000, sizes=_even(40), number=2, rows_of=_heavy_tails),
    "factor-mixture": Law(rows=80_000, sizes=_even(30), number=3, rows_of=_mixture_of_factors),
    "thresholds": Law(
        rows=120_000,
        sizes={f"q{i:02d}": _STEPS[i % len(_STEPS)] for i in range(50)},
        number=4,
        rows_of=_thresholds,
    ),
    "zero-inflated": Law(rows=160_000, sizes=_even(25), number=5, rows_of=_zero_inflated),
    "multi50": Law(rows=160_000, sizes=_even(50, bins=20), number=6, rows_of=_six_factors),
}
