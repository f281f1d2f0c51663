import math
from pathlib import Path

import numpy as np
import pytest

from synth.core.domain import Domain
from synth.core.graphs.junction import JunctionGraph
from synth.core.schema import Neighbours, Schema, Unit
from synth.mechanisms.mwem import MWEM
from synth.mechanisms.shared.base import Fitted
from synth.private.account import Account
from synth.private.counting.codes import Codes
from synth.private.scores import SCALE
from synth.private.session import PrivateSource
from tests.ledgers import opened
from tests.mechanisms.examples import fit, problem_about

DOMAIN = Domain(tuple("abcde"), (4, 3, 4, 2, 3))


def rows() -> np.ndarray:
    rng = np.random.default_rng(0)
    table = rng.integers(0, DOMAIN.sizes, size=(3000, 5))
    table[:, 2] = table[:, 0]
    table[:, 4] = (table[:, 1] + table[:, 3]) % 3
    return table


def fitted(rho: float, k: int = 2, **options: float) -> Fitted:
    return fit(MWEM(**options), rows(), DOMAIN, rho, problem_about(DOMAIN, k))


@pytest.mark.parametrize("rounds, planned", [(0, 5), (3, 3), (17, 17)])
def test_every_round_has_the_same_price_and_there_are_as_many_as_planned(rounds: int, planned: int) -> None:
    result = fitted(1.0, rounds=rounds)
    assert len(result.evidence.choices) == planned
    part = 1e12 / (planned + 1)
    assert sum(m.units for m in result.evidence.measurements[: len(DOMAIN)]) == pytest.approx(part, rel=1e-6)
    rounds_made = zip(result.evidence.choices, result.evidence.measurements[len(DOMAIN) :], strict=True)
    for choice, measured in rounds_made:
        assert choice.clique == measured.clique
        assert choice.units == pytest.approx(0.1 * part, rel=1e-6)
        assert measured.units == pytest.approx(0.9 * part, rel=1e-6)


def test_the_capacity_is_handed_out_in_equal_steps() -> None:
    rounds, cells = 12, 150
    result = fitted(1e4, rounds=rounds, capacity_mb=8 * cells / 2**20)
    cliques = [m.clique for m in result.evidence.measurements]
    sizes = [JunctionGraph.of(DOMAIN, cliques[: len(DOMAIN) + t]).cells for t in range(1, rounds + 1)]
    assert all(size <= max(cells * t / rounds, 16) for t, size in enumerate(sizes, start=1))
    assert len(set(sizes)) > 3 and sizes[-1] > cells / 2


def test_where_no_marginal_fits_columns_are_measured_again() -> None:
    result = fitted(1.0, k=3, capacity_mb=1e-6)
    assert len(result.evidence.choices) == 5
    assert all(len(m.clique) == 1 for m in result.evidence.measurements)


@pytest.mark.parametrize(
    "unit, neighbours, l1, l2_squared",
    [(1, Neighbours.ADD_REMOVE, 1, 1), (1, Neighbours.REPLACE, 2, 2), (3, Neighbours.REPLACE, 6, 18)],
)
def test_noise_and_swing_follow_the_unit(
    tmp_path: Path, unit: int, neighbours: Neighbours, l1: int, l2_squared: int
) -> None:
    """The costs are computed again from the release: Gaussians at l2^2 / (2 sigma^2), and choices at eps^2 /
    8 for a score with the sensitivity w times l1. The authors' code spends more if records are replaced.
    """
    units = 10**11
    public = len(rows()) if neighbours is Neighbours.REPLACE else None
    schema = Schema(name="t", population="t", unit=Unit(max_rows=unit), columns=(), rows_public=public)
    assert schema.neighbours is neighbours
    ledger = opened(tmp_path / "ledger.sqlite", units, run=units)
    account = Account(ledger, "r", part="mechanism", units=units, population="p")
    source = PrivateSource(Codes.of(rows(), DOMAIN), DOMAIN, account, schema=schema)
    result = MWEM().run(source, problem_about(DOMAIN), rng=np.random.default_rng(0))
    ledger.close()
    spent = sum(l2_squared / (2 * float(m.variance)) for m in result.evidence.measurements)
    for choice in result.evidence.choices:
        weights: tuple[int, ...] = choice.score.weights  # type: ignore[attr-defined]
        per_count = choice.epsilon / (choice.swing / SCALE)  # the log-weight of one count of the score
        spent += (2 * max(weights) * l1 * per_count) ** 2 / 8
    assert math.isclose(spent, units * 1e-12, rel_tol=1e-6)
