"""Invented tables on which no constant of the default was tuned.

Each distribution was fixed and committed before any method was run on its table. They cover a small table, a
rare outcome, a parity without a declared target, a column that almost follows from others, heavy tails, and
many rare codes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from synth.bench.tables.laws import Law

Codes = NDArray[np.int64]


def _drawn(logit: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.bool_]:
    return np.asarray(rng.random(logit.shape) < 1 / (1 + np.exp(-logit)))


def _trial(rows: int, sizes: list[int], rng: np.random.Generator) -> Codes:
    """Draw patients of a small clinical trial: three arms, five visits with a score, side effects."""
    arm, severity, normal = rng.integers(0, 3, rows), rng.standard_normal(rows), rng.standard_normal
    site, female = rng.choice(6, rows, p=[0.3, 0.25, 0.2, 0.12, 0.08, 0.05]), rng.random(rows) < 0.55
    age = np.round(6 + 2.5 * normal(rows) + 0.8 * severity)
    score, visits = 6 + 2 * severity, []
    for _ in range(5):
        score = score - 0.5 * arm + 0.9 * normal(rows)
        visits.append(np.round(score))
    effects = rng.poisson(np.exp(-0.7 + 0.5 * arm))
    gone = _drawn(0.5 * effects + 0.25 * (score - 6) - 1.8, rng)
    return np.column_stack([arm, site, female, age, *visits, effects, gone]).clip(0).astype(np.int64)


def _defects(rows: int, sizes: list[int], rng: np.random.Generator) -> Codes:
    """Draw parts of a factory. About one part in forty is faulty, mostly on hot days on two of the lines."""
    line, shift, supplier = rng.integers(0, 5, rows), rng.integers(0, 3, rows), rng.choice(7, rows)
    heat, wear, normal = rng.standard_normal(rows), rng.gamma(2, 1, rows), rng.standard_normal
    temperature = np.floor(7 + 2.5 * heat + (shift == 1) + 0.8 * normal(rows))
    pressure = np.floor(8 + 1.5 * wear - 0.6 * heat + normal(rows))
    speed, grade = (
        np.floor(5 + 1.5 * normal(rows) - 0.7 * wear),
        rng.choice(4, rows, p=[0.5, 0.3, 0.15, 0.05]),
    )
    logit = 1.6 * (heat > 0.8) * np.isin(line, (1, 4)) + 0.5 * wear + 0.7 * grade + (supplier == 3) - 5.9
    parts = [line, shift, supplier, temperature, pressure, speed, grade, np.floor(3 * wear)]
    return np.column_stack([*parts, _drawn(logit, rng)]).clip(0).astype(np.int64)


def _switches(rows: int, sizes: list[int], rng: np.random.Generator) -> Codes:
    """Draw 13 columns of two to four codes. The second of the three columns `x04`, `x07` and `x12` has the
    parity of the sum of the other two in 19 of 20 rows. Neighbouring columns are weakly related.
    """
    columns = np.stack([rng.integers(0, size, rows) for size in sizes], axis=1)
    for i in range(1, len(sizes)):
        copies = rng.random(rows) < 0.15
        columns[:, i] = np.where(copies, columns[:, i - 1] % sizes[i], columns[:, i])
    even = 2 * rng.integers(0, sizes[7] // 2, rows) + (columns[:, 4] + columns[:, 12]) % 2
    columns[:, 7] = np.where(rng.random(rows) < 0.95, even, columns[:, 7])
    return columns


def _careers(rows: int, sizes: list[int], rng: np.random.Generator) -> Codes:
    """Draw employees. Experience is age - education - 6 in 29 of 30 rows, as in tables on wages."""
    able, normal = rng.standard_normal(rows), rng.standard_normal
    education = np.clip(np.round(12 + 2.2 * able + 1.4 * normal(rows)), 6, 20)
    age = np.floor(18 + 46 * rng.beta(1.5, 2.0, rows))
    experience = np.maximum(age - education - 6, 0)
    gap = np.where(rng.random(rows) < 1 / 30, rng.integers(0, 12, rows), 0)
    experience = np.maximum(experience - gap, 0)
    female, union = rng.random(rows) < 0.46, _drawn(0.03 * experience - 1.6, rng)
    trade = np.clip(np.floor(education / 2.2 + 1.5 * normal(rows)), 0, 8)
    wage = 1.2 + 0.08 * education + 0.03 * experience - 0.0005 * experience**2 - 0.2 * female + 0.15 * union
    wage = np.floor(8 * (wage + 0.4 * normal(rows)))
    codes = [age - 18, education - 6, experience, female, union, trade, wage, rng.integers(0, 4, rows)]
    return np.column_stack(codes).clip(0).astype(np.int64)


def _claims(rows: int, sizes: list[int], rng: np.random.Generator) -> Codes:
    """Draw policies with six amounts from Pareto distributions (tail exponents 1.1 to 2) with a common scale.
    Bins have equal width over a range that a steward would declare, so most rows are in the first bins.
    """
    scale, kind = np.exp(0.5 * rng.standard_normal(rows)), rng.choice(5, rows, p=[0.4, 0.3, 0.15, 0.1, 0.05])
    tails = np.array([1.1, 1.3, 1.5, 1.7, 1.85, 2.0])
    amounts = rng.pareto(tails, (rows, 6)) * (scale * (1 + 0.4 * kind))[:, None]
    amounts *= _drawn(np.log(scale)[:, None] * 2 + np.linspace(-0.5, 1.0, 6), rng)
    years = rng.geometric(0.15, rows) - 1
    region = (kind * 3 + rng.geometric(0.3, rows)) % 14
    bonus = np.clip(np.round(8 - 3 * np.log(scale) + rng.standard_normal(rows)), 0, 15)
    return np.column_stack([np.floor(1.2 * np.minimum(amounts, 1e6)), kind, years, region, bonus]).astype(
        np.int64
    )


def _prescriptions(rows: int, sizes: list[int], rng: np.random.Generator) -> Codes:
    """Draw prescriptions with one of 900 drugs and one of 300 places, most of them rare. The drug determines
    its class, and the place its county. Drugs depend on the season and age, places on the class.
    """
    share, near = 1 / (np.arange(900) + 5) ** 1.1, 1 / (np.arange(300) + 10)
    drug = rng.permutation(900)[rng.choice(900, rows, p=share / share.sum())]
    sort = rng.integers(0, 25, 900)[drug]
    place = rng.choice(300, rows, p=near / near.sum())
    place = np.where(rng.random(rows) < 0.3, (sort * 12 + rng.integers(0, 12, rows)) % 300, place)
    county = rng.integers(0, 20, 300)[place]
    season = np.where(rng.random(rows) < 0.4, sort % 4, rng.integers(0, 4, rows))
    age = np.clip(np.round(8 + (sort % 7) - 3 + 3 * rng.standard_normal(rows)), 0, 17)
    packs = np.minimum(rng.geometric(0.3 + 0.02 * (sort % 10)), 9) - 1
    return np.column_stack([drug, sort, place, county, season, age, packs]).astype(np.int64)


UNSEEN = {
    "trial": Law(
        rows=900,
        sizes={
            **{"arm": 3, "site": 6, "female": 2, "age": 13, **{f"visit{i}": 13 for i in range(1, 6)}},
            **{"effects": 6, "gone": 2},
        },
        number=41,
        rows_of=_trial,
        nominal=("arm", "site"),
    ),
    "defects": Law(
        rows=9_000,
        sizes={
            **{"line": 5, "shift": 3, "supplier": 7, "temperature": 16, "pressure": 16, "speed": 12},
            **{"grade": 4, "wear": 20, "faulty": 2},
        },
        number=42,
        rows_of=_defects,
        nominal=("line", "shift", "supplier"),
    ),
    "switches": Law(
        rows=24_000,
        sizes={f"x{i:02d}": (4, 2, 3, 2)[i % 4] if i != 7 else 4 for i in range(13)},
        number=43,
        rows_of=_switches,
        nominal=tuple(f"x{i:02d}" for i in range(13)),
    ),
    "careers": Law(
        rows=18_000,
        sizes={
            **{"age": 47, "education": 15, "experience": 53, "female": 2, "union": 2, "trade": 9},
            **{"wage": 36, "region": 4},
        },
        number=44,
        rows_of=_careers,
        nominal=("region",),
    ),
    "claims": Law(
        rows=30_000,
        sizes={**{f"amount{i}": 40 for i in range(6)}, "kind": 5, "years": 24, "region": 14, "bonus": 16},
        number=45,
        rows_of=_claims,
        nominal=("kind", "region"),
    ),
    "prescriptions": Law(
        rows=22_000,
        sizes={"drug": 900, "class": 25, "place": 300, "county": 20, "season": 4, "age": 18, "packs": 9},
        number=46,
        rows_of=_prescriptions,
        nominal=("drug", "class", "place", "county", "season"),
    ),
}
