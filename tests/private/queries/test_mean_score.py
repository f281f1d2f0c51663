"""Test the noisy mean of scores."""

import numpy as np

from synth.core.domain import Domain
from synth.core.schema import Neighbours
from synth.private.counting.codes import Codes
from synth.private.exact_tables import ExactTables
from synth.private.queries import MeanScore, Scores
from synth.private.scores import SCALE, L1Gap, RangeGap
from synth.private.terms import Terms

DOMAIN = Domain(("a", "b"), (3, 2))
GAP = L1Gap((("a",), ("b",), ("a", "b")), (np.zeros(3), np.ones(2), np.ones((3, 2))), (1, 1, 1), (0.0,) * 3)
RANGES = RangeGap((("a",), ("a", "b")), (((0, 1),), ((2,), (0, 1))), np.array([3.0, 1.5]))
EXAMPLES = (MeanScore(GAP), MeanScore(RANGES), MeanScore(GAP, {"a": (0, 1, 2)}))


def test_it_is_the_mean_of_the_scores_rounded_down_and_moves_no_further_than_one() -> None:
    tables = ExactTables(Codes.of(np.array([[0, 1], [2, 0], [2, 1]]), DOMAIN), DOMAIN)
    for score in (GAP, RANGES):
        each = Scores(score).exact(tables)
        assert MeanScore(score).exact(tables).tolist() == [int(each.sum()) // len(each)]
    terms = Terms(rows=2, neighbours=Neighbours.REPLACE)
    assert MeanScore(GAP).l2_squared(terms) == (4 * SCALE) ** 2
    assert MeanScore(RANGES).l2_squared(terms) == (2 * SCALE) ** 2
