import numpy as np
import pytest

from synth.core.domain import Domain
from synth.core.schema import Neighbours
from synth.private.counting.codes import Codes
from synth.private.exact_tables import ExactTables
from synth.private.queries import Scores
from synth.private.scores import SCALE, Dependence, InDif, L1Gap
from synth.private.terms import Paid, Terms

DOMAIN = Domain(("a", "b"), (3, 2))
TABLES = ExactTables(Codes.of(np.array([[0, 0], [0, 1], [2, 1], [2, 1]]), DOMAIN), DOMAIN)
TERMS = Terms(rows=3, neighbours=Neighbours.ADD_REMOVE)
GAP_OF_BOTH = L1Gap((("a",), ("b",)), (np.array([1.3, 2.0, -0.1]), np.zeros(2)), (3, 1), (0.5, 0.0))
CHILDREN = Dependence((("a", "b"), ("a", "b")), ("b", "a"), {"a": np.array([1, 2, 4.0]), "b": np.ones(2)})
EXAMPLES = tuple(Scores(score) for score in (GAP_OF_BOTH, CHILDREN, InDif((("a", "b"),))))
GAP = L1Gap((("a",), ("b",)), (np.zeros(2), np.zeros(2)), (2, 1), (0.0, 0.0))


def test_scores_of_groups_are_asked_of_tables_of_groups() -> None:
    query = Scores(GAP, {"a": (0, 1, 1)})
    assert query.fits(DOMAIN) and not Scores(GAP).fits(DOMAIN)
    assert (query.exact(TABLES) / SCALE).tolist() == [8.0, 4.0]


def test_its_noise_is_that_of_all_scores_together() -> None:
    """Two scores of sensitivity 2 * 3 change by at most 6 sqrt(2) in L2."""
    query = Scores(GAP, {"a": (0, 1, 1)})
    paid = Paid(units=10**12, part="m", step=0, terms=TERMS)
    answer = query.read(query.plain(query.exact(TABLES)), paid, domain=DOMAIN)
    assert answer.sigma == pytest.approx(6 * np.sqrt(2) / np.sqrt(2)) and answer.values.tolist() == [8, 4]
    assert query.facts(TERMS)["sensitivity"] == 6 * SCALE


def test_a_batch_without_candidates_or_of_unknown_columns_does_not_fit() -> None:
    assert not Scores(InDif(())).fits(DOMAIN) and not Scores(InDif((("a", "c"),))).fits(DOMAIN)
