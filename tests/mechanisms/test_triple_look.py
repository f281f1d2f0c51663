"""Tables of three columns: looked at where they are clear, measured where they show what no pair does."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from synth.core.codebook import Codebook
from synth.core.domain import Clique, Domain
from synth.core.progress import Progress
from synth.core.table import CodeTable
from synth.mechanisms.base import Fitted, Problem
from synth.mechanisms.blend import BEFORE_TRIPLES, TRIPLES_LOOK, Blend
from synth.mechanisms.first_look import FirstLook, first_look
from synth.mechanisms.selection.workload import Workload
from synth.mechanisms.triple_look import (
    OF_PAIR,
    TripleLook,
    look_at_triples,
    parts_of_interactions,
    prices_of_tables,
    triples_are_clear,
)
from synth.models.mixture import MixtureOfProducts
from synth.private.counting.codes import Codes
from synth.private.exact import Exact

ROWS, RHO = 10_000, 0.3
NAMES = (*"abcdefgh", "y")
EVEN = Domain(NAMES, (2,) * len(NAMES))
XOR: Clique = ("a", "b", "y")


def xor() -> np.ndarray:
    """Fair yes-no columns, the last of which is the XOR of the first two."""
    columns = np.random.default_rng(0).integers(0, 2, (ROWS, len(NAMES) - 1))
    return np.column_stack([columns, columns[:, 0] ^ columns[:, 1]])


def problem_of(domain: Domain, **told: object) -> Problem:
    return Problem(workload=Workload.all_kway(domain, 2), codebook=Codebook.plain(domain), **told)  # type: ignore[arg-type]


def run(*, rho: float = RHO, domain: Domain = EVEN, **told: object) -> Fitted:
    source = Exact(Codes.of(xor(), domain), domain, rho=rho)
    fitted = Blend().run(source, problem_of(domain, **told), rng=np.random.default_rng(0))
    assert source.left.rho == pytest.approx(0, abs=1e-12)
    return fitted


def large(fitted: Fitted) -> list[Clique]:
    return [m.clique for m in fitted.evidence.measurements if len(m.clique) > 2]


def test_a_relation_of_three_columns_is_found_measured_and_kept_in_the_records() -> None:
    fitted = run()
    assert large(fitted)[0] == XOR
    codes = fitted.model.sample(ROWS, np.random.default_rng(0))
    assert (codes[:, 0] ^ codes[:, 1] == codes[:, -1]).mean() > 0.97
    real, drawn = CodeTable(EVEN, xor()), CodeTable(EVEN, codes)
    off = [np.abs(real.project(r) - drawn.project(r)).sum() / 2 / ROWS for r in combinations(NAMES, 2)]
    assert np.mean(off) < 0.01


def test_the_price_is_split_over_pairs_the_look_and_the_tables_that_are_worth_it() -> None:
    fitted = run()
    first, triples = fitted.evidence.scores
    before, after = (
        [
            a
            for a in fitted.evidence.numbers
            if len(a.asked["clique"]) > 1 and (a.step < triples.step) is is_before
        ]
        for is_before in (True, False)
    )
    rest = RHO - sum(m.rho for m in fitted.evidence.measurements if len(m.clique) == 1)
    rest -= first.units * 1e-12
    units = [a.units for a in before]
    assert len(units) == 36 and max(units) == pytest.approx(min(units), rel=1e-6)
    assert sum(units) * 1e-12 == pytest.approx(BEFORE_TRIPLES * rest, rel=1e-6)
    again, large = ([a.units for a in after if len(a.asked["clique"]) == width] for width in (2, 3))
    assert len(again) == 36 and large == pytest.approx([OF_PAIR * np.mean(again)] * len(large), rel=1e-6)
    assert triples.units * 1e-12 == pytest.approx(TRIPLES_LOOK * (1 - BEFORE_TRIPLES) * rest, rel=1e-6)
    assert len(triples.score.cliques) == 84


@pytest.mark.parametrize(
    "told",
    [
        {"rho": 0.001},
        {"generator": MixtureOfProducts()},
    ],
    ids=["too noisy", "a generator that could not keep them"],
)
def test_nothing_but_pairs_is_looked_at_where_it_would_not_help(told: dict[str, object]) -> None:
    fitted = run(**told)  # type: ignore[arg-type]
    assert not large(fitted) and len(fitted.evidence.scores) == 1


class Known(CodeTable):
    """A table that stands for a model of it."""

    def project_many(self, cliques: list[Clique]) -> list[np.ndarray]:
        return [self.project(r) for r in cliques]


def looked(rows: np.ndarray, model: Known, *, rho: float = RHO) -> tuple[TripleLook, FirstLook, Exact]:
    source, problem = Exact(Codes.of(rows, EVEN), EVEN, rho=rho), problem_of(EVEN)
    first = first_look(source, problem)
    return look_at_triples(source, problem, first, model, share=0.1, done=0.5), first, source  # type: ignore[arg-type]


def test_where_the_model_knows_every_table_no_relation_is_bought_dearly() -> None:
    rows = xor()
    known, _, _ = looked(rows, Known(EVEN, rows))
    missed, _, source = looked(rows, Known(EVEN, rows[:, [*range(8), 7]]))
    bought, cheap = prices_of_tables(source, missed), prices_of_tables(source, known)
    assert next(iter(bought)) == XOR
    assert sum(bought.values()) == pytest.approx(source.left.rho)
    assert XOR not in cheap or cheap[XOR] < bought[XOR]


def test_interactions_of_three_columns_are_asked_for_a_fifth_where_they_are_further_off_than_noise() -> None:
    source = Exact(Codes.of(xor(), EVEN), EVEN, rho=RHO)
    pairs = dict.fromkeys(list(combinations(NAMES, 2))[:-1], 2.0)
    quiet = parts_of_interactions(source, dict.fromkeys(combinations(NAMES, 3), 1e-3), pairs)
    assert quiet == pairs
    lacking = ("g", "h", "y")  # the pair h, y gets no part of its own
    far = {("a", "b", "c"): 1e-3, XOR: 5_000.0, lacking: 4_000.0}
    parts = parts_of_interactions(source, far, pairs)
    assert parts == {**pairs, XOR: 0.4, lacking: 0.4, ("h", "y"): 0.4}
    assert list(parts)[:2] == [XOR, lacking]


def test_what_is_clear_follows_from_sizes_price_and_a_noisy_number_of_records_alone() -> None:
    problem, rows = problem_of(EVEN), xor()
    for rho, clear in ((0.3, True), (0.0005, False)):
        for some in (rows, np.zeros_like(rows)):
            source = Exact(Codes.of(some, EVEN), EVEN, rho=1.0)
            assert triples_are_clear(source, problem, first_look(source, problem), rho=rho) is clear
    lone = Domain(("a", "b"), (2, 2))
    source = Exact(Codes.of(rows[:, :2], lone), lone, rho=1.0)
    alone = problem_of(lone)
    assert not triples_are_clear(source, alone, first_look(source, alone), rho=1.0)


def test_interactions_are_clear_at_a_price_at_which_tables_are_not() -> None:
    problem, told = problem_of(EVEN), []
    for interactions in (False, True):
        source = Exact(Codes.of(xor(), EVEN), EVEN, rho=1.0)
        look = first_look(source, problem, interactions=interactions)
        told.append(triples_are_clear(source, problem, look, rho=0.01))
    assert told == [False, True]


def test_more_noise_will_do_where_the_table_is_for_more_than_pairs() -> None:
    source = Exact(Codes.of(xor(), EVEN), EVEN, rho=1.0)
    told = []
    for k in (2, 3):
        problem = replace(problem_of(EVEN), workload=Workload.all_kway(EVEN, k))
        told.append(triples_are_clear(source, problem, first_look(source, problem), rho=0.01))
    assert told == [False, True]


def test_what_happens_is_told() -> None:
    heard: list[Progress] = []
    run(report=heard.append)
    assert any("looking at 84 tables of three columns" in said.fact for said in heard)
    assert [said.done for said in heard if said.stage in ("columns", "score")] == sorted(
        said.done for said in heard if said.stage in ("columns", "score")
    )
