"""Genetic search: tables of two and more columns come near, zeros hold, the seed decides."""

import numpy as np

from synth.core.zeros import Zero
from synth.models.records.gsd import GeneticSearch
from tests.models.records.test_gum import PAIRS, evidence, gap


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
