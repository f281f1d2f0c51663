"""The bounds against the real mechanisms: private source, exact noise, their own selections and fits."""

import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from synth.core.codebook import Codebook
from synth.core.domain import Domain
from synth.core.graphs.workload import Workload
from synth.core.schema import ProtectedChange, Schema, Unit
from synth.core.table import CodeTable
from synth.mechanisms import MECHANISMS
from synth.mechanisms.shared.base import Problem
from synth.mechanisms.shared.recipe import Recipe
from synth.private.account import Account
from synth.private.counting.codes import Codes
from synth.private.ledger import Ledger
from synth.private.session import PrivateSource
from synth.release.checks.bounds import Support, bounds

DOMAIN = Domain(tuple("abcde"), (6, 2, 4, 3, 5))
RUNS, BETA = 12, 0.05
INFERRING = {"aim", "mst", "mwem", "absyn", "privmrf", "privbayes", "grove", "after merging mst"}
"""Those whose bounds cover the whole workload here, measured or inferred."""


def truth() -> np.ndarray:
    rng = np.random.default_rng(0)
    a = rng.integers(0, 6, 2000)
    b = (a > 2).astype(int) ^ (rng.random(2000) < 0.1)
    c = np.where(rng.random(2000) < 0.6, a % 4, rng.integers(0, 4, 2000))
    e = np.where(rng.random(2000) < 0.3, c, rng.integers(0, 5, 2000))
    return np.stack([a, b, c, rng.choice(3, 2000, p=[0.9, 0.09, 0.01]), e], axis=1)


SETTINGS = [
    ("aim", 2, None, 10**10),
    ("aim", 3, None, 3 * 10**11),
    ("aim", 2, 2000, 10**11),
    ("aim", 2, 1900, 10**11),
]
SETTINGS += [(name, 2, None, 3 * 10**11) for name in MECHANISMS if name != "aim"]
SETTINGS += [("after merging mst", 2, None, 3 * 10**11)]


QUICK = {"aim", "mst", "absyn", "grove", "privbayes", "after merging mst"}


@pytest.mark.parametrize(
    "name, k, rows_public, units",
    [
        pytest.param(*s, marks=[] if s[0] in QUICK else pytest.mark.long, id=f"{s[0]}-{s[1]}-{s[2]}")
        for s in SETTINGS
    ],
)
def test_releases_are_in_bounds(
    tmp_path: Path, name: str, k: int, rows_public: int | None, units: int
) -> None:
    mechanism = MECHANISMS[name.rpartition(" ")[2]]()
    recipe = Recipe(mechanism=mechanism, compress=name.startswith("after"))
    schema = Schema(name="t", population="t", unit=Unit(max_rows=1), columns=(), rows_public=rows_public)
    real, problem = (
        CodeTable(DOMAIN, truth()),
        Problem(workload=Workload.all_kway(DOMAIN, k), codebook=Codebook.plain(DOMAIN)),
    )
    ledger = Ledger(tmp_path / "ledger.sqlite")
    ledger.open_population("t", units=RUNS * units, reason="test", protects=ProtectedChange(max_rows=1))
    misses: Counter[tuple[str, ...]] = Counter()
    stated: Counter[Support] = Counter()
    measured = np.zeros(2)
    for run in range(RUNS):
        law, protects = mechanism.law, ProtectedChange(max_rows=1)
        ledger.open_run("t", str(run), units=units, label="test", protects=protects, law=law)
        account = Account(ledger, str(run), part="mechanism", units=units, population="t", law=law)
        source = PrivateSource(Codes.of(truth(), DOMAIN), DOMAIN, account, schema=schema)
        rng = np.random.default_rng(run)
        fitted = recipe.run(source, problem, rng=rng)
        synthetic = CodeTable(DOMAIN, fitted.model.sample(1500, rng))
        for bound in bounds(
            fitted.evidence, candidates=problem.workload.candidates(), synthetic=synthetic, beta=BETA
        ):
            weight = fitted.model.total / synthetic.rows
            off = np.abs(real.counts(bound.clique) - weight * synthetic.counts(bound.clique)).sum()
            stated[bound.kind] += 1
            if bound.l1_counts is not None:
                misses[bound.clique] += off > bound.l1_counts
            if bound.kind is Support.MEASURED:
                measured += bound.l1_counts, off
    ledger.close()
    assert max(misses.values()) <= RUNS * BETA + 6 * math.sqrt(RUNS * BETA * (1 - BETA))
    assert (
        measured[0] < 6.0 * measured[1]
    )  # loose, but bounds that say something: 1.9 to 3.4 times, by method
    if name in INFERRING:
        # PrivMRF has the fewest: 11 with a standard deviation of 3 in 33 repetitions of this test.
        assert stated[Support.INFERRED] > 0 and not stated[Support.NONE]
