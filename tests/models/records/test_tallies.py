from fractions import Fraction

import numpy as np
import pytest

from synth.core.domain import Domain
from synth.core.measurements.noisy import Measurement, NoisyNumbers
from synth.models.records.tallies import CALM, NOWHERE, Tally, tallies_of, weighed
from tests.models.examples import evidence_of, measurement

DOMAIN = Domain(("a", "b"), (4, 2))
RECORDS = np.argwhere(np.ones((4, 2)))


def table(clique: tuple[str, ...], counts: object, variance: float, **more: object) -> Measurement:
    return measurement(clique, counts, variance, **more)


def votes(candidates: list[list[int]], values: list[int], **requested: object) -> NoisyNumbers:
    stated = {"ask": "votes", "clique": ["a", "b"], "label": "", "places": [[0, 85, 170, 255], []]}
    return NoisyNumbers(
        requested={**stated, "candidates": candidates, **requested},
        values=np.array(values, dtype=np.int64),
        variance=Fraction(4),
        units=1,
    )


def tallies(*answers: object) -> list[Tally]:
    return tallies_of(evidence_of(DOMAIN, answers, 80))  # type: ignore[arg-type]


def test_a_record_is_counted_in_the_cell_of_a_table_and_of_a_vote() -> None:
    one, coarse, vote, labelled = tallies(
        table(("a", "b"), np.zeros((4, 2)), 1),
        table(("a",), [0, 0], 1, groups={"a": (0, 0, 1, 1)}),
        votes([[0, 0], [3, 0], [3, 1]], [1, 2, 3]),
        votes([[0, 0], [3, 0]], [1, 2], label="b"),
    )
    assert one.cell_of(RECORDS).tolist() == list(range(8))
    assert coarse.cell_of(RECORDS).tolist() == [0, 0, 0, 0, 1, 1, 1, 1]
    assert vote.cell_of(RECORDS).tolist() == [0, 0, 0, 0, 1, 2, 1, 2]
    assert labelled.cell_of(RECORDS).tolist() == [0, NOWHERE, 0, NOWHERE, 1, NOWHERE, 1, NOWHERE]
    assert vote.counts.tolist() == [1, 2, 3] and vote.variance == 4


def test_answers_of_the_room_and_the_generator_agree_on_who_votes_for_whom() -> None:
    """This also holds with groups of codes. Both sides count the same votes."""
    from synth.core.schema import Neighbours
    from synth.private.counting.codes import Codes
    from synth.private.exact_tables import ExactTables
    from synth.private.queries import Votes
    from synth.private.terms import Paid, Terms

    rng = np.random.default_rng(0)
    rows = np.stack([rng.integers(0, 4, 300), rng.integers(0, 2, 300)], axis=1)
    terms = Terms(rows=1, neighbours=Neighbours.ADD_REMOVE)
    for question in (
        Votes(("a", "b"), ((0, 1), (2, 0), (3, 0)), ((0, 85, 170, 255), ())),
        Votes(("a", "b"), ((0, 1), (2, 0), (3, 1)), ((0, 85, 170, 255), ()), label="b"),
        Votes(("a", "b"), ((0, 1), (1, 0), (1, 1)), ((), ()), groups={"a": (0, 1, 1, 0)}),
    ):
        exact = question.exact(ExactTables(Codes.of(rows, DOMAIN), DOMAIN))
        answer = question.read(
            question.plain(exact), Paid(units=1, part="m", step=0, terms=terms), domain=DOMAIN
        )
        (tally,) = tallies(answer)
        cells = tally.cell_of(rows)
        assert np.bincount(cells[cells != NOWHERE], minlength=3).tolist() == exact.tolist()


def test_without_noise_weights_have_every_table() -> None:
    known = tallies(table(("a",), [10, 20, 30, 20], 1e-12), table(("b",), [50, 30], 1e-12))
    found = weighed(known, RECORDS, np.full(8, 10.0), steps=30)
    expected = np.outer([10, 20, 30, 20], [50, 30]) / 80
    np.testing.assert_allclose(found.reshape(4, 2), expected, rtol=1e-6)


@pytest.mark.parametrize("variance", [1.0, 100.0])
def test_weights_are_where_noise_and_calm_hold_each_other(variance: float) -> None:
    """The gradient of the objective is zero: CALM log(w / base) = - sum of residuals / variance."""
    rng = np.random.default_rng(0)
    truth = np.array([[6, 9], [7, 8], [9, 12], [7, 20]])
    known = tallies(
        table(("a",), truth.sum(axis=1) + np.array([1, -2, 0, 2]), variance),
        table(("b",), truth.sum(axis=0) + np.array([2, -1]), variance),
        votes([[0, 0], [3, 0], [3, 1]], [30, 15, 33]),
    )
    base = rng.uniform(1, 20, 8)
    found = weighed(known, RECORDS, base, steps=3000)
    slope = CALM * np.log(found / base)
    for tally in known:
        cell = tally.cell_of(RECORDS)
        held = np.bincount(cell, weights=found, minlength=tally.counts.size)
        slope += ((held - tally.counts) / tally.variance)[cell]
    assert np.abs(slope).max() < 1e-6
