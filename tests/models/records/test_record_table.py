"""A table of records as a model: its cells, and draws of more and of fewer records."""

import numpy as np

from synth.core.axis import Grouping
from synth.core.domain import Domain
from synth.models.coarse import Coarsening
from synth.models.records.record_table import RecordTable

DOMAIN = Domain(("a", "b"), (3, 2))
CODES = np.array([[0, 0], [0, 1], [1, 1], [1, 1]])
TABLE = RecordTable(
    Coarsening(DOMAIN, (Grouping(column="a", group_of=(0, 1, 1), weights=(1.0, 3.0, 1.0)),)),
    100.0,
    CODES,
    True,
)


def test_counts_are_scaled_to_the_total_and_spread_within_groups() -> None:
    np.testing.assert_allclose(TABLE.project(("a", "b")), [[25, 25], [0, 37.5], [0, 12.5]])
    np.testing.assert_allclose(TABLE.project_many([("b",)])[0], [25, 75])
    assert TABLE.cells == 8 and TABLE.cliques == (("a", "b"),)


def test_every_record_comes_equally_often_and_the_rest_evenly() -> None:
    drawn = TABLE.sample(4_002, np.random.default_rng(0))
    held = np.bincount(2 * np.minimum(drawn[:, 0], 1) + drawn[:, 1], minlength=4)
    assert np.abs(held - 4_002 / 4 * np.array([1, 1, 0, 2])).max() <= 2
    fine = (drawn[:, 0] == 2).sum()
    assert abs(fine - 2_001 / 4) < 6 * (2_001 * 3 / 16) ** 0.5
    assert len(TABLE.sample(0, np.random.default_rng(0))) == 0
