"""Invented tables with an outcome to predict, as in registers of patients, loans and contracts.

Each distribution was fixed before any method was run on its table. Columns depend on a few traits of a
person. The outcome depends on a dozen columns through a logistic model with a few products. In two tables,
the outcome is rare.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from synth.bench.tables.laws import Law

Codes = NDArray[np.int64]

OUTCOME = "outcome"


def _drawn(logit: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.bool_]:
    return np.asarray(rng.random(len(logit)) < 1 / (1 + np.exp(-logit)))


def _readmitted(rows: int, sizes: list[int], rng: np.random.Generator) -> Codes:
    """Draw stays in a hospital. About one patient in eight returns within a month."""
    frail, normal = rng.standard_normal(rows), rng.standard_normal
    age = np.round(10 + 3 * frail + 3 * normal(rows))
    female = rng.random(rows) < 0.54
    urgent = _drawn(0.5 * frail - 0.3, rng)
    days = rng.geometric(1 / (2.5 + np.exp(0.5 * frail + 0.4 * urgent))) - 1
    diagnosis = rng.choice(9, rows, p=[0.24, 0.2, 0.15, 0.12, 0.1, 0.08, 0.05, 0.04, 0.02])
    diagnosis = np.where(rng.random(rows) < 0.15 * (frail > 0.5), 5, diagnosis)
    drugs = rng.poisson(np.exp(1.3 + 0.35 * frail))
    before = rng.poisson(np.exp(-1.2 + 0.8 * frail))
    smokes = rng.choice(3, rows, p=[0.55, 0.25, 0.2])
    kidney = np.round(0.9 + 0.9 * frail + 0.7 * normal(rows))
    home = np.where(age > 13, rng.choice(4, rows, p=[0.3, 0.3, 0.1, 0.3]), rng.choice(4, rows))
    logit = 0.16 * (age - 10) + 0.9 * np.minimum(before, 4) + 1.1 * (kidney > 2) + 0.9 * urgent
    logit += 1.3 * np.isin(diagnosis, (2, 5)) + 0.12 * drugs + 1.2 * urgent * (home == 3) - 4.9
    stay = [age, female, days, urgent, diagnosis, drugs, before, smokes, kidney, home]
    return np.column_stack([*stay, _drawn(logit, rng)]).clip(0).astype(np.int64)


def _unpaid(rows: int, sizes: list[int], rng: np.random.Generator) -> Codes:
    """Draw loans. About one in fourteen is not paid back."""
    means, thrift, normal = rng.standard_normal(rows), rng.standard_normal(rows), rng.standard_normal
    income = np.floor(8 + 3 * means + 1.5 * normal(rows))
    amount = np.floor(7 + 2 * means - 1.5 * thrift + 3 * normal(rows))
    months = rng.choice(6, rows, p=[0.1, 0.25, 0.3, 0.15, 0.15, 0.05])
    purpose = rng.choice(8, rows, p=[0.3, 0.22, 0.16, 0.12, 0.08, 0.06, 0.04, 0.02])
    owner = _drawn(0.8 * means, rng)
    years = rng.geometric(1 / (3 + 2 * np.exp(0.4 * thrift))) - 1
    late = rng.poisson(np.exp(-0.9 - 0.7 * thrift))
    limit_used = np.floor(6 - 2 * thrift + 2.5 * normal(rows))
    accounts = rng.poisson(np.exp(1.2 + 0.2 * means))
    region, grade = rng.choice(12, rows), np.round(2.5 - 0.8 * thrift - 0.5 * means + 0.6 * normal(rows))
    logit = 0.35 * np.maximum(amount - income, 0) + 0.9 * np.minimum(late, 3) + 0.2 * (limit_used - 6)
    logit += 0.6 * grade + 0.25 * months - 0.7 * owner + 1.2 * (purpose == 4) - 0.12 * years - 6.2
    loan = [income, amount, months, purpose, owner, years, late, limit_used, accounts, region, grade]
    return np.column_stack([*loan, _drawn(logit, rng)]).clip(0).astype(np.int64)


def _left(rows: int, sizes: list[int], rng: np.random.Generator) -> Codes:
    """Draw contracts of customers with ten yes-no services. About one contract in four ends."""
    loyal, use, normal = rng.standard_normal(rows), rng.standard_normal(rows), rng.standard_normal
    tenure = np.floor(12 + 6 * loyal + 4 * normal(rows))
    contract = np.clip(np.round(1 + 0.8 * loyal + 0.5 * normal(rows)), 0, 2)
    charge = np.floor(10 + 4 * use + 2 * normal(rows))
    services = [_drawn(rng.normal(0, 0.7) + rng.normal(0.5, 0.4) * use, rng) for _ in range(10)]
    pays, calls = rng.choice(4, rows), rng.poisson(np.exp(0.2 - 0.4 * loyal))
    logit = -0.14 * (tenure - 12) - 1.1 * (contract - 1) + 0.13 * (charge - 10) + 0.45 * np.minimum(calls, 4)
    logit += 0.8 * (pays == 2) - 0.6 * services[0] - 0.5 * services[1] + 0.9 * services[2] - 2.2
    kept = [tenure, contract, charge, *services, pays, calls]
    return np.column_stack([*kept, _drawn(logit, rng)]).clip(0).astype(np.int64)


OUTCOMES = {
    "readmitted": Law(
        rows=37_500,
        sizes={
            **{"age": 20, "female": 2, "days": 16, "urgent": 2, "diagnosis": 9, "drugs": 16, "before": 8},
            **{"smokes": 3, "kidney": 5, "home": 4, OUTCOME: 2},
        },
        number=31,
        rows_of=_readmitted,
        target=OUTCOME,
        nominal=("diagnosis", "smokes", "home"),
    ),
    "unpaid": Law(
        rows=37_500,
        sizes={
            **{"income": 18, "amount": 16, "months": 6, "purpose": 8, "owner": 2, "years": 16, "late": 6},
            **{"limit_used": 14, "accounts": 12, "region": 12, "grade": 6, OUTCOME: 2},
        },
        number=32,
        rows_of=_unpaid,
        target=OUTCOME,
        nominal=("purpose", "region"),
    ),
    "left": Law(
        rows=37_500,
        sizes={
            **{"tenure": 25, "contract": 3, "charge": 20, **{f"service{i}": 2 for i in range(10)}},
            **{"pays": 4, "calls": 8, OUTCOME: 2},
        },
        number=33,
        rows_of=_left,
        target=OUTCOME,
        nominal=("pays",),
    ),
}
