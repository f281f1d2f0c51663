"""Tables of three columns that no pair explains: found among many, measured beside the pairs, and kept."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from synth.core.codebook import Codebook
from synth.core.domain import Clique, Domain
from synth.core.progress import Progress
from synth.core.table import CodeTable
from synth.core.zeros import Zero
from synth.mechanisms import few_triples
from synth.mechanisms.base import Fitted, Problem
from synth.mechanisms.blend import Blend
from synth.mechanisms.few_triples import (
    CHEAP,
    CHEAP_ENOUGH,
    FAINT,
    HELD,
    MOST_PART,
    RECORDS,
    TriplesToAsk,
    parts_of_price,
    triples_to_ask,
)
from synth.mechanisms.first_look import first_look
from synth.mechanisms.selection.workload import Workload
from synth.models.mixture import MixtureOfProducts
from synth.private.counting.codes import Codes
from synth.private.exact import Exact

ROWS, RHO = 10_000, 0.05
NAMES = (*"abcdefghij", "y")
WIDE = Domain(NAMES, (5,) * len(NAMES))
SUM: Clique = ("a", "b", "y")


def sums(*, hides: bool = True) -> np.ndarray:
    """Even columns of five codes; the last is the sum of the first two modulo five, or one of them."""
    columns = np.random.default_rng(0).integers(0, 5, (ROWS, len(NAMES) - 1))
    return np.column_stack([columns, (columns[:, 0] + columns[:, 1]) % 5 if hides else columns[:, 0]])


def problem_of(domain: Domain, **told: object) -> Problem:
    zeros = told.pop("zeros", ())
    book = Codebook.plain(domain, zeros=zeros)  # type: ignore[arg-type]
    return Problem(workload=Workload.all_kway(domain, 2), codebook=book, **told)  # type: ignore[arg-type]


def run(rows: np.ndarray, *, rho: float = RHO, domain: Domain = WIDE, **told: object) -> Fitted:
    source = Exact(Codes.of(rows, domain), domain, rho=rho)
    fitted = Blend().run(source, problem_of(domain, **told), rng=np.random.default_rng(0))
    assert source.left.rho == pytest.approx(0, abs=1e-12)
    return fitted


def large(fitted: Fitted) -> list[Clique]:
    return [m.clique for m in fitted.evidence.measurements if len(m.clique) > 2]


def test_a_relation_that_no_pair_shows_is_found_measured_and_kept_in_the_records() -> None:
    fitted = run(sums())
    assert large(fitted) == [SUM]
    codes = fitted.model.sample(ROWS, np.random.default_rng(0))
    assert ((codes[:, 0] + codes[:, 1]) % 5 == codes[:, -1]).mean() > 0.9
    real, drawn = CodeTable(WIDE, sums()), CodeTable(WIDE, codes)
    off = [np.abs(real.project(r) - drawn.project(r)).sum() / 2 / ROWS for r in combinations(NAMES, 2)]
    assert np.mean(off) < 0.02


def test_the_model_tells_the_table_as_it_was_measured_with_the_pairs_of_all_others() -> None:
    model = run(sums()).model
    assert SUM in model.cliques
    table = model.project(SUM)
    a, b, y = np.indices(table.shape)
    assert table[(a + b) % 5 == y].sum() > 0.9 * table.sum()
    np.testing.assert_allclose(table.sum(axis=2), model.project(("a", "b")), rtol=0.02, atol=2)


def test_the_pairs_get_all_but_the_look_and_a_small_part_for_the_table() -> None:
    fitted = run(sums())
    spent: dict[int, float] = {}
    for m in fitted.evidence.measurements:
        spent[len(m.clique)] = spent.get(len(m.clique), 0.0) + m.rho
    first, triples = fitted.evidence.scores
    rest = RHO - spent[1] - first.units * 1e-12
    assert {len(r) for r in triples.score.cliques} == {3}
    assert triples.units * 1e-12 < CHEAP * rest
    assert triples.sigma == pytest.approx(FAINT * ROWS, rel=0.05)
    assert 0 < spent[3] < MOST_PART * rest and spent[2] > (1 - MOST_PART - CHEAP) * rest
    once = {m.clique for m in fitted.evidence.measurements if len(m.clique) == 2}
    assert len([m for m in fitted.evidence.measurements if len(m.clique) == 2]) == 2 * len(once)


def test_what_pairs_explain_is_not_measured() -> None:
    rng = np.random.default_rng(1)
    chain = [rng.integers(0, 5, ROWS)]
    for _ in NAMES[1:]:
        chain.append(np.where(rng.random(ROWS) < 0.7, chain[-1], rng.integers(0, 5, ROWS)))
    for rows in (sums(hides=False), np.column_stack(chain)):
        fitted = run(rows)
        assert len(fitted.evidence.scores) == 2 and not large(fitted)


@pytest.mark.parametrize(
    "told", [{"rho": 0.0005}, {"generator": MixtureOfProducts()}], ids=["too dear", "could not keep them"]
)
def test_nothing_is_looked_at_where_it_is_too_dear_or_nobody_would_keep_it(told: dict[str, object]) -> None:
    fitted = run(sums(), **told)  # type: ignore[arg-type]
    assert len(fitted.evidence.scores) == 1 and not large(fitted)


def to_ask(rows: np.ndarray, domain: Domain = WIDE, *, rho: float = RHO) -> TriplesToAsk | None:
    source, problem = Exact(Codes.of(rows, domain), domain, rho=rho), problem_of(domain)
    return triples_to_ask(source, problem, first_look(source, problem))


def test_the_price_of_a_look_follows_from_public_sizes_and_noisy_columns_alone() -> None:
    for rows in (sums(), sums(hides=False)):
        asked = to_ask(rows)
        assert asked is not None and len(asked.tables) == math.comb(11, 3)
        assert asked.rho == pytest.approx(math.comb(11, 3) / (FAINT * ROWS) ** 2 / 2, rel=0.05)


def test_a_look_may_cost_more_where_the_table_is_for_more_than_pairs() -> None:
    asked = []
    for k in (2, 3):
        source = Exact(Codes.of(sums(), WIDE), WIDE, rho=0.0035)
        problem = replace(problem_of(WIDE), workload=Workload.all_kway(WIDE, k))
        asked.append(triples_to_ask(source, problem, first_look(source, problem)))
    assert asked[0] is None and asked[1] is not None
    assert CHEAP < asked[1].rho / 0.003 < CHEAP_ENOUGH


def test_too_many_tables_and_too_large_ones_are_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    lone = Domain(("a", "b"), (5, 5))
    assert to_ask(sums()[:, :2], lone) is None
    long = WIDE.with_sizes({"a": 2_000, "b": 2_000})
    asked = to_ask(sums(), long)
    assert asked is not None and not any({"a", "b"} <= set(r) for r in asked.tables)
    monkeypatch.setattr(few_triples, "MOST_TABLES", math.comb(11, 3) - 1)
    assert to_ask(sums()) is None


def test_of_many_records_all_tables_are_looked_at_in_as_few_codes_as_records_of_the_model_fill() -> None:
    names = tuple(f"c{i:02d}" for i in range(9))
    domain, rows = Domain(names, (30,) * 9), 300_000
    codes = np.random.default_rng(0).integers(0, 30, (rows, 9))
    book = Codebook.plain(domain, ordered=dict.fromkeys(names, 30))
    problem = Problem(workload=Workload.all_kway(domain, 2), codebook=book)
    source = Exact(Codes.of(codes, domain), domain, rho=0.03)
    asked = triples_to_ask(source, problem, first_look(source, problem))
    assert asked is not None and len(asked.tables) == math.comb(9, 3)
    assert max(asked.few.coarse.size(r) for r in asked.tables) <= RECORDS / HELD
    fitted = Blend().run(
        Exact(Codes.of(codes, domain), domain, rho=0.03), problem, rng=np.random.default_rng(0)
    )
    assert len(fitted.evidence.scores) == 2 and not large(fitted)


def test_tables_get_their_part_until_it_is_spent_and_none_that_would_not_be_clear() -> None:
    source = Exact(Codes.of(sums(), WIDE), WIDE, rho=RHO)
    pairs = list(combinations(NAMES, 2))
    far = {SUM: 0.5 * ROWS, ("c", "d", "e"): 0.4 * ROWS}
    parts = parts_of_price(WIDE, far, pairs, source=source)
    assert parts == dict.fromkeys(far, pytest.approx(5 ** (2 / 3) / 55))  # of 125 cells beside 55 pairs of 25
    assert parts_of_price(WIDE, {**far, SUM: 1.0}, pairs, source=source).keys() == {("c", "d", "e")}
    many = dict.fromkeys(combinations("abcdef", 3), 0.5 * ROWS)
    spent = parts_of_price(WIDE, many, pairs, source=source)
    assert sum(spent.values()) == pytest.approx(MOST_PART) and len(spent) == 3


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


def test_what_happens_is_told() -> None:
    heard: list[Progress] = []
    run(sums(), report=heard.append)
    assert any(said.fact == "looking at 165 tables of three columns" for said in heard)
    done = [said.done for said in heard if said.stage in ("columns", "score", "measure")]
    assert done == sorted(done)
