"""Tables of three columns that pairs do not explain are found among many tables, measured together with the
pairs, and kept in the records.
"""

import math
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from synth.core.domain import Clique, Domain
from synth.core.table import CodeTable
from synth.core.zeros import Zero
from synth.mechanisms.blend import Blend
from synth.mechanisms.blend import constants as c
from synth.mechanisms.blend.first_pass import first_pass
from synth.mechanisms.blend.measuring import Measuring
from synth.mechanisms.blend.triples import TablesToScore, parts_beside_pairs, tables_to_score
from synth.mechanisms.shared.base import Fitted
from synth.models.coarse import Coarsening
from synth.models.mixture.mixture import MixtureOfProducts
from tests.mechanisms.examples import exact, problem_about

ROWS, RHO = 10_000, 0.05
NAMES = (*"abcdefghij", "y")
WIDE = Domain(NAMES, (5,) * len(NAMES))
SUM: Clique = ("a", "b", "y")


def sums(*, hides: bool = True) -> np.ndarray:
    """Return uniform columns of five codes. The last is the sum of the first two modulo five, or a copy of
    one of them.
    """
    columns = np.random.default_rng(0).integers(0, 5, (ROWS, len(NAMES) - 1))
    return np.column_stack([columns, (columns[:, 0] + columns[:, 1]) % 5 if hides else columns[:, 0]])


def run(rows: np.ndarray, *, rho: float = RHO, domain: Domain = WIDE, **stated: Any) -> Fitted:
    source = exact(rows, domain, rho=rho)
    fitted = Blend().run(source, problem_about(domain, **stated), rng=np.random.default_rng(0))
    assert source.left.rho == pytest.approx(0, abs=1e-12)
    return fitted


@pytest.fixture(scope="module")
def fitted() -> Fitted:
    return run(sums())


def large(fitted: Fitted) -> list[Clique]:
    return [m.clique for m in fitted.evidence.measurements if len(m.clique) > 2]


def test_a_relation_that_no_pair_shows_is_found_measured_and_kept_in_the_records(fitted: Fitted) -> None:
    assert large(fitted) == [SUM]
    codes = fitted.model.sample(ROWS, np.random.default_rng(0))
    assert ((codes[:, 0] + codes[:, 1]) % 5 == codes[:, -1]).mean() > 0.9
    real, drawn = CodeTable(WIDE, sums()), CodeTable(WIDE, codes)
    off = [np.abs(real.project(r) - drawn.project(r)).sum() / 2 / ROWS for r in combinations(NAMES, 2)]
    assert np.mean(off) < 0.02


def test_the_model_has_the_table_as_measured_and_its_pairs(fitted: Fitted) -> None:
    model = fitted.model
    assert SUM in model.cliques
    table = model.project(SUM)
    a, b, y = np.indices(table.shape)
    assert table[(a + b) % 5 == y].sum() > 0.9 * table.sum()
    np.testing.assert_allclose(table.sum(axis=2), model.project(("a", "b")), rtol=0.02, atol=2)


def test_the_pairs_get_all_but_the_scores_and_a_small_part_for_the_table(fitted: Fitted) -> None:
    spent: dict[int, float] = {}
    for m in fitted.evidence.measurements:
        spent[len(m.clique)] = spent.get(len(m.clique), 0.0) + m.rho
    first, triples = fitted.evidence.scores
    rest = RHO - spent[1] - first.units * 1e-12
    assert {len(r) for r in triples.score.cliques} == {3}
    assert triples.units * 1e-12 < c.CHEAP * rest
    assert triples.sigma == pytest.approx(c.FAINT * ROWS, rel=0.05)
    assert 0 < spent[3] < c.MOST_FOR_TRIPLES * rest and spent[2] > (1 - c.MOST_FOR_TRIPLES - c.CHEAP) * rest
    once = {m.clique for m in fitted.evidence.measurements if len(m.clique) == 2}
    assert len([m for m in fitted.evidence.measurements if len(m.clique) == 2]) == 2 * len(once)


@pytest.mark.long
def test_what_pairs_explain_is_not_measured() -> None:
    rng = np.random.default_rng(1)
    chain = [rng.integers(0, 5, ROWS)]
    for _ in NAMES[1:]:
        chain.append(np.where(rng.random(ROWS) < 0.7, chain[-1], rng.integers(0, 5, ROWS)))
    for rows in (sums(hides=False), np.column_stack(chain)):
        fitted = run(rows)
        assert len(fitted.evidence.scores) == 2 and not large(fitted)


@pytest.mark.parametrize(
    "stated", [{"rho": 0.0005}, {"generator": MixtureOfProducts()}], ids=["too dear", "could not keep them"]
)
def test_triples_are_not_scored_if_that_costs_too_much_or_no_model_reads_them(stated: dict[str, Any]) -> None:
    fitted = run(sums(), **stated)
    assert len(fitted.evidence.scores) == 1 and not large(fitted)


def to_ask(rows: np.ndarray, domain: Domain = WIDE, *, rho: float = RHO) -> TablesToScore | None:
    source, problem = exact(rows, domain, rho=rho), problem_about(domain)
    return tables_to_score(source, problem, first_pass(source, problem))


def test_the_cost_of_scores_follows_from_sizes_and_noisy_columns() -> None:
    for rows in (sums(), sums(hides=False)):
        requested = to_ask(rows)
        assert requested is not None and len(requested.tables) == math.comb(11, 3)
        assert requested.rho == pytest.approx(math.comb(11, 3) / (c.FAINT * ROWS) ** 2 / 2, rel=0.05)


def test_scores_may_cost_more_for_a_workload_of_triples() -> None:
    requested = []
    for k in (2, 3):
        source = exact(sums(), WIDE, rho=0.0035)
        problem = problem_about(WIDE, k)
        requested.append(tables_to_score(source, problem, first_pass(source, problem)))
    assert requested[0] is None and requested[1] is not None
    assert c.CHEAP < requested[1].rho / 0.003 < c.CHEAP_WIDER


def test_too_many_tables_and_too_large_ones_are_not_scored(monkeypatch: pytest.MonkeyPatch) -> None:
    lone = Domain(("a", "b"), (5, 5))
    assert to_ask(sums()[:, :2], lone) is None
    long = WIDE.with_sizes({"a": 2_000, "b": 2_000})
    requested = to_ask(sums(), long)
    assert requested is not None and not any({"a", "b"} <= set(r) for r in requested.tables)
    monkeypatch.setattr(c, "MOST_TRIPLES", math.comb(11, 3) - 1)
    assert to_ask(sums()) is None


def test_tables_of_many_records_are_scored_in_codes_that_the_model_records_fill() -> None:
    names = tuple(f"c{i:02d}" for i in range(9))
    domain, rows = Domain(names, (30,) * 9), 300_000
    codes = np.random.default_rng(0).integers(0, 30, (rows, 9))
    problem = problem_about(domain, ordered=dict.fromkeys(names, 30))
    source = exact(codes, domain, rho=0.03)
    requested = tables_to_score(source, problem, first_pass(source, problem))
    assert requested is not None and len(requested.tables) == math.comb(9, 3)
    assert max(requested.few.coarse.size(r) for r in requested.tables) <= c.MODEL_RECORDS / c.RECORDS_PER_CELL


def test_tables_get_their_part_until_it_is_spent_if_they_are_clear() -> None:
    source, problem = exact(sums(), WIDE, rho=RHO), problem_about(WIDE)
    pairs: dict[Clique, float] = dict.fromkeys(combinations(NAMES, 2), 1.0)
    m = Measuring(
        source=source,
        problem=problem,
        first=first_pass(source, problem),
        coarsening=Coarsening(WIDE, ()),
        parts=pairs,
        budget=RHO,
    )
    far: dict[Clique, float] = {SUM: 0.5 * ROWS, ("c", "d", "e"): 0.4 * ROWS}
    parts = parts_beside_pairs(m, far)
    assert parts == dict.fromkeys(far, pytest.approx(5 ** (2 / 3) / 55))  # 125 cells beside 55 pairs of 25
    assert parts_beside_pairs(m, {**far, SUM: 1.0}).keys() == {("c", "d", "e")}
    spent = parts_beside_pairs(m, dict.fromkeys(combinations("abcdef", 3), 0.5 * ROWS))
    assert sum(spent.values()) == pytest.approx(c.MOST_FOR_TRIPLES) and len(spent) == 3


@pytest.mark.long
def test_zeros_hold_in_records_of_tables_that_were_measured() -> None:
    forbidden = np.zeros((5, 5), dtype=bool)
    forbidden[0, 1:] = True
    rows = sums()
    rows[rows[:, 2] == 0, 3] = 0
    fitted = run(rows, zeros=(Zero(("c", "d"), forbidden),))
    assert SUM in large(fitted)
    codes = fitted.model.sample(ROWS, np.random.default_rng(0))
    assert not forbidden[codes[:, 2], codes[:, 3]].any()
    assert ((codes[:, 0] + codes[:, 1]) % 5 == codes[:, -1]).mean() > 0.85


@pytest.mark.parametrize(
    ("hidden", "cells"),
    [(("a", "b"), 1_000), (("a", "b", "c"), 1_000), (("a", "b", "c"), 100_000)],
    ids=["three columns", "four, beside a tree of pairs", "four, in one clique"],
)
def test_a_parity_of_yes_no_columns_is_measured_alone(hidden: Clique, cells: int) -> None:
    domain = Domain(NAMES, (2,) * len(NAMES))
    rows = np.random.default_rng(0).integers(0, 2, (ROWS, len(NAMES)))
    rows[:, -1] = rows[:, : len(hidden)].sum(axis=1) % 2
    blend, rng = Blend(clique_cells=cells), np.random.default_rng(0)
    fitted = blend.run(exact(rows, domain, rho=RHO), problem_about(domain), rng=rng)
    assert [r for r in large(fitted) if len(r) > 3] == [r for r in [(*hidden, "y")] if len(r) > 3]
    codes = fitted.model.sample(ROWS, rng)
    assert (codes[:, : len(hidden)].sum(axis=1) % 2 == codes[:, -1]).mean() > 0.95
