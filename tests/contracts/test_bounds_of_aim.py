"""The bounds against the real mechanism: private source, exact noise, AIM's own selections and fits."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from synth.check.bounds import Support, bounds
from synth.domain import Domain
from synth.measure.codes import Codes
from synth.measure.ledger import Ledger
from synth.measure.room import Account, PrivateSource
from synth.mechanisms.aim import AIM
from synth.mechanisms.base import Task
from synth.schema import Schema, Unit
from synth.select.workload import Workload
from synth.table import CodeTable

DOMAIN = Domain(tuple("abcde"), (6, 2, 4, 3, 5))
RUNS, BETA = 12, 0.05


def truth() -> np.ndarray:
    rng = np.random.default_rng(0)
    a = rng.integers(0, 6, 2000)
    b = (a > 2).astype(int) ^ (rng.random(2000) < 0.1)
    c = np.where(rng.random(2000) < 0.6, a % 4, rng.integers(0, 4, 2000))
    e = np.where(rng.random(2000) < 0.3, c, rng.integers(0, 5, 2000))
    return np.stack([a, b, c, rng.choice(3, 2000, p=[0.9, 0.09, 0.01]), e], axis=1)


@pytest.mark.parametrize(
    "k, rows_public, units", [(2, False, 10**10), (3, False, 3 * 10**11), (2, True, 10**11)]
)
def test_what_aim_releases_is_within_its_bounds(
    tmp_path: Path, k: int, rows_public: bool, units: int
) -> None:
    schema = Schema(name="t", population="t", unit=Unit(max_rows=1), columns=(), rows_public=rows_public)
    real, task = CodeTable(DOMAIN, truth()), Task(workload=Workload.all_kway(DOMAIN, k))
    ledger = Ledger(tmp_path / "ledger.sqlite")
    ledger.open_population("t", units=RUNS * units, reason="test")
    misses: Counter[tuple[str, ...]] = Counter()
    ratios: dict[Support, list[float]] = {kind: [] for kind in Support}
    for run in range(RUNS):
        ledger.open_run("t", str(run), units=units, label="test")
        account = Account(ledger, str(run), part="mechanism", units=units, population="t")
        source = PrivateSource(
            Codes.of(truth(), DOMAIN),
            DOMAIN,
            account,
            schema=schema,
            total=real.rows if rows_public else None,
        )
        rng = np.random.default_rng(run)
        fitted = AIM().run(source, task, rng=rng)
        synthetic = CodeTable(DOMAIN, fitted.model.sample(1500, rng))
        for bound in bounds(
            measurements=fitted.measurements,
            choices=fitted.choices,
            domain=DOMAIN,
            candidates=task.workload.candidates(),
            synthetic=synthetic,
            total=fitted.model.total,
            beta=BETA,
        ):
            weight = fitted.model.total / synthetic.rows
            off = np.abs(real.counts(bound.clique) - weight * synthetic.counts(bound.clique)).sum()
            assert bound.l1_counts is not None
            misses[bound.clique] += off > bound.l1_counts
            ratios[bound.kind].append(bound.l1_counts / off)
    ledger.close()
    assert max(misses.values()) <= RUNS * BETA + 6 * math.sqrt(RUNS * BETA * (1 - BETA))
    assert len(ratios[Support.INFERRED]) > RUNS and not ratios[Support.NONE]
    assert np.median(ratios[Support.MEASURED]) < 6.0  # loose, but a bound that says something
