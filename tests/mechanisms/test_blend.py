"""What is special to Blend; the contract tests do the rest."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from synth.core.codebook import Codebook
from synth.core.domain import Domain
from synth.core.measurements.noisy import Measurement
from synth.core.progress import Progress, Reporter, silent
from synth.core.zeros import Zero
from synth.mechanisms.base import Fitted, Mechanism, Problem
from synth.mechanisms.blend import Blend
from synth.mechanisms.selection.workload import Workload
from synth.mechanisms.tilt import AllAlike
from synth.models.independent import IndependentColumns
from synth.private.counting.codes import Codes
from synth.private.exact import Exact

ROWS = 4000


def dense(columns: int, codes: int = 4) -> np.ndarray:
    """Every column follows one and the same latent number."""
    rng = np.random.default_rng(0)
    latent = rng.normal(size=(ROWS, 1)) + 0.5 * rng.normal(size=(ROWS, columns))
    return np.clip(np.floor(latent * 1.2 + codes / 2), 0, codes - 1).astype(np.int64)


def sparse(columns: int) -> np.ndarray:
    """Columns in pairs that know nothing of the others."""
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
    domain = Domain(names, (codes,) * len(names))
    problem = Problem(
        workload=Workload.all_kway(domain, 2),
        codebook=Codebook.plain(domain, ordered=dict.fromkeys(names, codes) if ordered else {}, zeros=zeros),
        generator=None if fits else IndependentColumns(),
        report=report,
    )
    source = Exact(Codes.of(rows, domain), domain, rho=rho)
    return mechanism.run(source, problem, rng=np.random.default_rng(0))


def prices(fitted: Fitted, columns: int) -> dict[tuple[str, ...], float]:
    found: dict[tuple[str, ...], float] = {}
    for m in fitted.evidence.measurements:
        if len(m.clique) == columns:
            found[m.clique] = found.get(m.clique, 0.0) + m.rho
    return found


def test_where_all_pairs_matter_all_are_measured_alike_and_columns_once_more() -> None:
    fitted = run(dense(30), Blend(), rho=0.01)
    pairs = prices(fitted, 2)
    assert len(pairs) == 30 * 29 / 2
    assert max(pairs.values()) < 1.01 * min(pairs.values())
    assert len([m for m in fitted.evidence.measurements if len(m.clique) == 1]) == 1 + 2 * 30


def test_progress_never_goes_back_where_columns_are_measured_once_more() -> None:
    seen: list[Progress] = []
    run(dense(30), Blend(), rho=0.01, report=seen.append)
    stages, done = [p.stage for p in seen], [p.done for p in seen]
    assert stages.count("columns") == 2 and done == sorted(done) and done[-1] == 1


def test_columns_are_not_measured_once_more_where_cells_of_pairs_are_clear() -> None:
    fitted = run(dense(30), Blend(), rho=0.5)
    assert len([m for m in fitted.evidence.measurements if len(m.clique) == 1]) == 1 + 30


@pytest.mark.parametrize(("rho", "tilt"), [(0.005, 1.0), (0.05, 0.67)])
def test_more_columns_that_are_all_related_are_measured_alike_at_once_only_where_all_cells_drown(
    rho: float, tilt: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[float] = []

    def heard(alike: AllAlike, distances: np.ndarray, *, noise: float) -> float:
        told.append(tilted(alike, distances, noise=noise))
        return told[-1]

    tilted = AllAlike.tilt
    monkeypatch.setattr(AllAlike, "tilt", heard)
    run(dense(20, codes=12), Blend(), rho=rho, codes=12)
    assert told == [pytest.approx(tilt, abs=0.1)]


@pytest.mark.parametrize(
    ("rows", "rho", "ordered", "alike"),
    [
        (dense(8), 0.01, True, True),
        (dense(8), 0.001, False, False),
        (dense(8), 0.00002, True, False),
        (sparse(8), 0.01, True, False),
    ],
    ids=["all related", "in no order", "a look of noise", "few related"],
)
def test_few_columns_in_order_that_are_all_related_are_measured_alike(
    rows: np.ndarray, rho: float, ordered: bool, alike: bool
) -> None:
    bought = prices(run(rows, Blend(), rho=rho, ordered=ordered), 2)
    assert (len(bought) == 28 and max(bought.values()) < 1.01 * min(bought.values())) == alike


def test_where_few_pairs_matter_they_get_most_of_the_price() -> None:
    bought = prices(run(sparse(20), Blend(), rho=0.02), 2)
    related = [(f"c{i:02d}", f"c{i + 1:02d}") for i in range(0, 20, 2)]
    assert len(bought) < 190
    assert sum(bought[r] for r in related) > 0.5 * sum(bought.values())


def test_dense_columns_in_no_order_are_measured_alike_only_where_their_cells_are_clear() -> None:
    rows = dense(20)
    assert len(prices(run(rows, Blend(), ordered=False), 2)) == 190
    noisy = run(rows, Blend(), ordered=False, rho=0.001)
    in_order = run(rows, Blend(), ordered=True, rho=0.001)
    assert len(prices(noisy, 2)) < len(prices(in_order, 2)) == 190


def test_all_pairs_that_drown_are_asked_in_the_shortest_runs_that_do_not() -> None:
    """As all are told from noise together: a run that serves a pair by itself would be longer."""
    rows = dense(30)
    fitted = run(rows, Blend(), rho=0.003)
    pairs = [m for m in fitted.evidence.measurements if len(m.clique) == 2]
    assert len(pairs) == 435
    for m in pairs:
        for axis, name in enumerate(m.clique):
            least, group_of = 5 * m.sigma, np.array(m.groups[name])
            counts = np.bincount(rows[:, int(name[1:])], minlength=4)
            runs = [counts[group_of == g] for g in range(m.counts.shape[axis])]
            assert len(runs) == 2 and all(r.sum() >= 0.95 * least for r in runs)


def test_pairs_that_chance_alone_moves_are_bought_beside_the_tree_as_inside() -> None:
    """One pair is related, and all that is seen of the others is records that fall at random: it is worth as
    much where the tree has room for all eight columns as where it has room for five."""
    rng = np.random.default_rng(5)
    rows = rng.integers(0, 4, (ROWS, 8))
    rows[:, 1] = np.where(rng.random(ROWS) < 0.8, rows[:, 0], rows[:, 1])
    inside, beside = (len(prices(run(rows, Blend(clique_cells=n), rho=0.4), 2)) for n in (4**8, 4**5))
    assert 20 < inside < 28 and beside >= inside - 1


def test_shares_that_were_given_are_kept() -> None:
    fitted = run(dense(30), Blend(columns_share=0.2))
    assert sum(prices(fitted, 1).values()) == pytest.approx(0.2 * 0.5, rel=0.01)
    fitted = run(dense(30), Blend(looking_share=0.2))
    assert fitted.evidence.scores[0].units == pytest.approx(0.2 * 0.5e12, rel=1e-6)


def test_zeros_survive_a_run_over_all_pairs() -> None:
    rows, forbidden = dense(30), np.zeros((4, 4), dtype=bool)
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


def test_the_forecast_grows_with_columns_and_is_an_interval() -> None:
    wide = Domain(tuple(f"c{i}" for i in range(40)), (20,) * 40)
    near, far = Blend().outlook(Domain(("a", "b"), (3, 4)), k=2), Blend().outlook(wide, k=2)
    assert near is not None and far is not None
    assert 0 < near.fastest < near.slowest and near.fastest < far.fastest < far.slowest


@pytest.mark.parametrize("codes", [2, 3])
def test_where_columns_have_few_codes_all_but_rough_counts_of_columns_is_asked_as_interactions(
    codes: int,
) -> None:
    fitted = run(dense(9, codes), Blend(), codes=codes, rho=0.05)
    plain = [a for a in fitted.evidence.answers if isinstance(a, Measurement)]
    assert [m.clique for m in plain] == [(f"c{i:02d}",) for i in range(9)]
    assert sum(m.units for m in plain) == pytest.approx(0.07 * 0.05e12, abs=9)
    widths = {len(a.asked["clique"]) for a in fitted.evidence.numbers}
    assert widths >= {1, 2} and len(prices(fitted, 2)) == 36
    assert sum(a.units for a in fitted.evidence.answers) == pytest.approx(0.05e12, abs=1)


def test_one_column_of_more_codes_makes_tables_of_all() -> None:
    rows = dense(9, 2)
    rows[:, 0] = dense(1, 4)[:, 0]
    fitted = run(rows, Blend(), codes=4, rho=0.05)
    assert not fitted.evidence.numbers and prices(fitted, 2)


def test_a_column_of_one_code_is_asked_as_a_table_and_the_others_as_interactions() -> None:
    rows = dense(9, 2)
    domain = Domain(tuple(f"c{i:02d}" for i in range(9)), (2,) * 8 + (1,))
    rows[:, -1] = 0
    problem = Problem(workload=Workload.all_kway(domain, 2), codebook=Codebook.plain(domain))
    source = Exact(Codes.of(rows, domain), domain, rho=0.05)
    fitted = Blend().run(source, problem, rng=np.random.default_rng(0))
    plain = {m.clique for m in fitted.evidence.measurements if not m.joined}
    assert all(len(clique) == 1 or "c08" in clique for clique in plain)
    assert len({m.clique for m in fitted.evidence.measurements if m.joined and len(m.clique) == 2}) == 28


@pytest.mark.parametrize(("unclear", "times"), [(1.0, 2), (1e-13, 1)])
def test_columns_are_asked_again_but_not_for_next_to_nothing(
    unclear: float, times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The room refuses a price that is rounded to nothing, and a run would end after it had spent."""
    monkeypatch.setattr(AllAlike, "tilt", lambda *_, **__: 1.0)
    monkeypatch.setattr(AllAlike, "unclear", unclear)
    fitted = run(dense(6), Blend())
    assert [m.clique for m in fitted.evidence.measurements].count(("c01",)) == times
