"""Genetic search: tables of two and more columns come near, zeros hold, the seed decides."""

from __future__ import annotations

import numpy as np

from synth.core.domain import Domain
from synth.core.zeros import Zero
from synth.models.records.gsd import GeneticSearch
from tests.models.records.test_gum import DOMAIN, PAIRS, evidence, gap


def test_all_pairs_of_a_circle_and_a_triple_come_near() -> None:
    three = ("b", "c", "d")
    model = GeneticSearch().fit(evidence(*PAIRS, three))
    assert max(gap(model, r) for r in (*PAIRS, three)) < 0.03 and model.converged
    assert len(model.codes) == 4000


def test_zeros_over_columns_of_different_tables_hold_in_every_record() -> None:
    forbidden = np.zeros((4, 2), dtype=bool)
    forbidden[0, 0] = True
    wide = np.zeros((4, 3, 6), dtype=bool)
    wide[1, 2, :4] = True
    zeros = (Zero(("a", "d"), forbidden), Zero(("a", "b", "c"), wide))
    model = GeneticSearch(records=900).fit(evidence(*PAIRS, zeros=zeros))
    codes = model.sample(5_000, np.random.default_rng(0))
    assert not forbidden[codes[:, 0], codes[:, 3]].any()
    assert not wide[codes[:, 0], codes[:, 1], codes[:, 2]].any()


def test_the_seed_decides_and_fewer_generations_are_further_off() -> None:
    one, other, third = (GeneticSearch(generations=3).fit(evidence(*PAIRS), seed=s) for s in (1, 1, 2))
    np.testing.assert_array_equal(one.codes, other.codes)
    assert not np.array_equal(one.codes, third.codes)
    assert GeneticSearch().rough().generations < GeneticSearch().generations


def test_its_time_follows_columns_generations_and_records() -> None:
    wide = Domain(tuple(map(str, range(40))), (5,) * 40)
    fast, slow = GeneticSearch().seconds(DOMAIN), GeneticSearch().seconds(wide)
    assert fast[0] < slow[0] < slow[1] and fast[1] < slow[1] < 90
    assert GeneticSearch(generations=5).seconds(DOMAIN)[1] < fast[1]
