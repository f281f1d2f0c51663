"""Gradual updates and genetic search: tables of two and more columns, groups of codes, zeros, and rounds."""

from dataclasses import replace

import numpy as np
import pytest

from synth.core.domain import Clique, Domain
from synth.core.evidence import Evidence
from synth.core.zeros import Zero
from synth.models.base import Generator
from synth.models.records.gsd import GeneticSearch
from synth.models.records.gum import GradualUpdates
from tests.models.examples import evidence_of, measurement

DOMAIN = Domain(tuple("abcd"), (4, 3, 6, 2))
SIGMA = 5


def rows(n: int = 4000) -> np.ndarray:
    rng = np.random.default_rng(3)
    a = rng.choice(4, n, p=[0.5, 0.3, 0.15, 0.05])
    b = np.where(rng.random(n) < 0.7, a % 3, rng.integers(0, 3, n))
    c = np.where(rng.random(n) < 0.6, a + b, rng.integers(0, 6, n))
    return np.stack([a, b, c, (b + c + (rng.random(n) < 0.2)) % 2], axis=1)


def table(clique: Clique) -> np.ndarray:
    counts = np.zeros(DOMAIN.shape(clique), dtype=np.int64)
    np.add.at(counts, tuple(rows()[:, i] for i in DOMAIN.axes(clique)), 1)
    return counts


def evidence(*cliques: Clique, zeros: tuple[Zero, ...] = ()) -> Evidence:
    rng = np.random.default_rng(1)
    answers = tuple(
        measurement(
            r, table(r) + np.rint(SIGMA * rng.standard_normal(DOMAIN.shape(r))).astype(np.int64), SIGMA**2
        )
        for r in cliques
    )
    return evidence_of(DOMAIN, answers, 4000, zeros=zeros)


PAIRS = (("a", "b"), ("a", "c"), ("b", "c"), ("b", "d"), ("c", "d"))


def gap(model: object, clique: Clique) -> float:
    return float(np.abs(model.project(clique) - table(clique)).sum()) / 2 / 4000  # type: ignore[attr-defined]


def test_all_pairs_of_a_circle_come_near() -> None:
    model = GradualUpdates().fit(evidence(*PAIRS))
    assert max(gap(model, r) for r in PAIRS) < 0.03 and model.converged
    assert len(model.codes) == 4000


def test_a_relation_of_three_columns_is_kept_where_it_was_measured() -> None:
    three = ("b", "c", "d")
    with_it, without = (GradualUpdates().fit(evidence(*PAIRS, *more)) for more in ((three,), ()))
    assert gap(with_it, three) < 0.03 < 0.08 < gap(without, three)


@pytest.mark.parametrize(
    "generator",
    [GradualUpdates(records=0), GradualUpdates(records=700), GeneticSearch(records=900)],
    ids=repr,
)
def test_zeros_over_columns_of_different_tables_hold_in_every_record(generator: Generator) -> None:
    forbidden = np.zeros((4, 2), dtype=bool)
    forbidden[0, 0] = True
    wide = np.zeros((4, 3, 6), dtype=bool)
    wide[1, 2, :4] = True
    zeros = (Zero(("a", "d"), forbidden), Zero(("a", "b", "c"), wide))
    codes = generator.fit(evidence(*PAIRS, zeros=zeros)).sample(9_000, np.random.default_rng(0))
    assert not forbidden[codes[:, 0], codes[:, 3]].any()
    assert not wide[codes[:, 0], codes[:, 1], codes[:, 2]].any()


def test_genetic_search_comes_near_all_pairs_of_a_circle_and_a_triple() -> None:
    three = ("b", "c", "d")
    model = GeneticSearch().fit(evidence(*PAIRS, three))
    assert max(gap(model, r) for r in (*PAIRS, three)) < 0.03 and model.converged
    assert len(model.codes) == 4000


def test_codes_in_groups_come_back_apart() -> None:
    stated = evidence(("a", "b"), ("c",))
    coarse = measurement(
        ("b", "c"),
        np.stack([table(("b", "c"))[:, :3].sum(axis=1), table(("b", "c"))[:, 3:].sum(axis=1)], axis=1),
        groups={"c": (0, 0, 0, 1, 1, 1)},
    )
    model = GradualUpdates().fit(replace(stated, answers=(*stated.answers, coarse)))
    assert model.domain == DOMAIN and gap(model, ("c",)) < 0.02
    assert np.unique(model.sample(4_000, np.random.default_rng(0))[:, 2]).size == 6


def test_more_rounds_come_nearer_and_the_seed_decides() -> None:
    few, many = (GradualUpdates(rounds=rounds).fit(evidence(*PAIRS)) for rounds in (3, 50))
    assert np.mean([gap(many, r) for r in PAIRS]) < np.mean([gap(few, r) for r in PAIRS])
    one, other, third = (GradualUpdates(rounds=3).fit(evidence(*PAIRS), seed=s) for s in (1, 1, 2))
    np.testing.assert_array_equal(one.codes, other.codes)
    assert not np.array_equal(one.codes, third.codes)
    assert GradualUpdates().rough().rounds < GradualUpdates().rounds
