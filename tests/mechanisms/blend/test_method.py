"""Tests specific to Blend. The contract tests check everything else."""

from itertools import combinations

import numpy as np
import pytest

from synth.core.domain import Domain
from synth.core.measurements.noisy import Measurement
from synth.core.progress import Progress, Reporter, silent
from synth.core.zeros import Zero
from synth.mechanisms.blend import Blend, method
from synth.mechanisms.shared.base import Fitted, Mechanism
from synth.models.independent import IndependentColumns
from tests.mechanisms.examples import exact, problem_about

ROWS = 4000


def dense(columns: int, codes: int = 4) -> np.ndarray:
    """Return columns that all depend on the same latent variable."""
    rng = np.random.default_rng(0)
    latent = rng.normal(size=(ROWS, 1)) + 0.5 * rng.normal(size=(ROWS, columns))
    return np.clip(np.floor(latent * 1.2 + codes / 2), 0, codes - 1).astype(np.int64)


def sparse(columns: int) -> np.ndarray:
    """Return pairs of related columns that are independent of all other columns."""
    rng = np.random.default_rng(0)
    table = rng.integers(0, 4, (ROWS, columns))
    table[:, 1::2] = np.where(rng.random((ROWS, columns // 2)) < 0.8, table[:, ::2], table[:, 1::2])
    return table


def run(
    rows: np.ndarray,
    mechanism: Mechanism,
    *,
    rho: float = 0.5,
    ordered: bool = True,
    zeros: tuple[Zero, ...] = (),
    fits: bool = False,
    codes: int = 4,
    report: Reporter = silent,
) -> Fitted:
    names = tuple(f"c{i:02d}" for i in range(rows.shape[1]))
    domain = Domain(names, tuple(max(int(n) + 1, codes) if n else 1 for n in rows.max(axis=0)))
    problem = problem_about(
        domain,
        ordered=dict.fromkeys(names, codes) if ordered else {},
        zeros=zeros,
        generator=None if fits else IndependentColumns(),
        report=report,
    )
    source = exact(rows, domain, rho=rho)
    return mechanism.run(source, problem, rng=np.random.default_rng(0))


def prices(fitted: Fitted, columns: int) -> dict[tuple[str, ...], float]:
    found: dict[tuple[str, ...], float] = {}
    for m in fitted.evidence.measurements:
        if len(m.clique) == columns:
            found[m.clique] = found.get(m.clique, 0.0) + m.rho
    return found


def is_alike(fitted: Fitted, columns: int) -> bool:
    estimated = prices(fitted, 2)
    return len(estimated) == columns * (columns - 1) / 2 and max(estimated.values()) < 1.01 * min(
        estimated.values()
    )


def test_if_all_columns_are_related_all_pairs_are_measured_alike_and_the_columns_again() -> None:
    seen: list[Progress] = []
    fitted = run(dense(30), Blend(), rho=0.01, report=seen.append)
    assert is_alike(fitted, 30)
    assert len([m for m in fitted.evidence.measurements if len(m.clique) == 1]) == 1 + 2 * 30
    stages, done = [p.stage for p in seen], [p.done for p in seen]
    assert stages.count("columns") == 2 and done == sorted(done) and done[-1] == 1


def test_if_few_pairs_are_related_they_get_most_of_the_budget() -> None:
    assert not is_alike(run(sparse(8), Blend(), rho=0.01), 8)
    estimated = prices(run(sparse(20), Blend(), rho=0.02), 2)
    related = [(f"c{i:02d}", f"c{i + 1:02d}") for i in range(0, 20, 2)]
    assert len(estimated) < 190
    assert sum(estimated[r] for r in related) > 0.5 * sum(estimated.values())


def test_pairs_that_only_sampling_moves_are_measured_beside_the_tree_as_inside() -> None:
    """One pair is related. The other pairs get the same budget whether the tree can contain eight columns or
    five.
    """
    rng = np.random.default_rng(5)
    rows = rng.integers(0, 4, (ROWS, 8))
    rows[:, 1] = np.where(rng.random(ROWS) < 0.8, rows[:, 0], rows[:, 1])
    inside, beside = (len(prices(run(rows, Blend(clique_cells=n), rho=0.4), 2)) for n in (4**8, 4**5))
    assert 20 < inside < 28 and beside >= inside - 1


def test_structural_zeros_hold_in_records_and_relations_survive() -> None:
    rows, forbidden = dense(12), np.zeros((4, 4), dtype=bool)
    forbidden[0, 2:] = forbidden[3, :2] = True
    rows = rows[~forbidden[rows[:, 0], rows[:, 1]]]
    fitted = run(rows, Blend(), zeros=(Zero(("c00", "c01"), forbidden),), fits=True)
    codes = fitted.model.sample(5000, np.random.default_rng(0))
    assert not forbidden[codes[:, 0], codes[:, 1]].any()
    real, drawn = (
        np.mean([np.corrcoef(table[:, a], table[:, b])[0, 1] for a, b in combinations(range(2, 8), 2)])
        for table in (rows, codes)
    )
    assert abs(real - drawn) < 0.05


def test_if_columns_have_few_codes_all_but_rough_counts_of_columns_are_interactions() -> None:
    for codes in (2, 3):
        fitted = run(dense(9, codes), Blend(), codes=codes, rho=0.05)
        plain = [a for a in fitted.evidence.answers if isinstance(a, Measurement)]
        assert [m.clique for m in plain] == [(f"c{i:02d}",) for i in range(9)]
        assert sum(m.units for m in plain) == pytest.approx(0.07 * 0.05e12, abs=9)
        widths = {len(a.requested["clique"]) for a in fitted.evidence.numbers}
        assert widths >= {1, 2} and len(prices(fitted, 2)) == 36
        assert sum(a.units for a in fitted.evidence.answers) == pytest.approx(0.05e12, abs=1)


def test_one_column_with_more_codes_makes_marginals_of_all() -> None:
    rows = dense(9, 2)
    rows[:, 0] = dense(1, 4)[:, 0]
    fitted = run(rows, Blend(), codes=2, rho=0.05)
    assert not fitted.evidence.numbers and prices(fitted, 2)


def test_a_column_with_one_code_is_a_marginal_and_the_others_are_interactions() -> None:
    rows = dense(9, 2)
    rows[:, -1] = 0
    fitted = run(rows, Blend(), ordered=False, codes=2, rho=0.05)
    plain = {m.clique for m in fitted.evidence.measurements if not m.joined}
    assert all(len(clique) == 1 or "c08" in clique for clique in plain)
    assert len({m.clique for m in fitted.evidence.measurements if m.joined and len(m.clique) == 2}) == 28


@pytest.mark.parametrize(("part", "times"), [(0.3, 2), (0.0, 1)])
def test_columns_are_measured_again(part: float, times: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(method, "error_alike", lambda *_: 0.0)
    monkeypatch.setattr(method, "columns_again", lambda *_, **__: part)
    fitted = run(dense(6), Blend())
    assert [m.clique for m in fitted.evidence.measurements].count(("c01",)) == times
