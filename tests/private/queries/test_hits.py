"""Test counts of the rows that a public classifier predicts correctly."""

from dataclasses import replace

import numpy as np
import pytest

from synth.core.measurements.classifier import Classifier
from synth.core.schema import Neighbours
from synth.private.queries.hits import Hits
from synth.private.terms import Terms
from tests.private.queries.tables import DOMAIN, exact

OF_B = Classifier(
    label="b", clique=("a", "b"), offsets=np.array([0, 0]), weights=(np.array([[2, 1], [0, 3], [4, 4]]),)
)
OF_A = Classifier(
    label="a", clique=("a", "b"), offsets=np.array([1, 0, 0]), weights=(np.array([[0, 0, 5], [0, 1, 0]]),)
)
EXAMPLES = (Hits(OF_B, guess=1), Hits(OF_A, guess=0))


def test_it_counts_predicted_rows_and_guessed_rows_and_the_first_of_equal_labels_wins() -> None:
    assert exact(EXAMPLES[0], [(0, 0), (0, 1), (1, 1), (2, 0), (2, 1)]).tolist() == [3, 3]
    assert exact(EXAMPLES[1], [(2, 0), (0, 1), (1, 1), (0, 0)]).tolist() == [2, 2]
    assert exact(EXAMPLES[0], []).tolist() == [0, 0]


@pytest.mark.parametrize("rows", [1, 4])
@pytest.mark.parametrize("relation", Neighbours)
def test_the_worst_neighbours_are_as_far_apart_as_stated(relation: Neighbours, rows: int) -> None:
    terms, query = Terms(rows=rows, neighbours=relation), EXAMPLES[0]
    one = exact(query, [(1, 1)] * rows)
    other = exact(query, [(0, 0)] * rows if relation is Neighbours.REPLACE else [])
    moved = int(np.square(one - other).sum())
    assert moved == (rows**2 if relation is Neighbours.REPLACE else 2 * rows**2)
    assert moved <= query.l2_squared(terms) == 2 * rows**2


def test_a_classifier_of_another_shape_does_not_fit() -> None:
    whole = Hits(OF_B, guess=1)
    wrong = [
        replace(whole, guess=2),
        replace(whole, classifier=replace(OF_B, label="c")),
        replace(whole, classifier=replace(OF_B, offsets=np.array([0, 0, 0]))),
        replace(whole, classifier=replace(OF_B, offsets=np.array([0, 1 << 40]))),
        replace(whole, classifier=replace(OF_B, weights=(np.zeros((2, 2), dtype=np.int64),))),
        replace(whole, classifier=replace(OF_B, clique=("b",), weights=())),
    ]
    assert whole.fits(DOMAIN) and not any(query.fits(DOMAIN) for query in wrong)
