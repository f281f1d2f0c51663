import numpy as np
import pytest

from synth.core.domain import Domain
from synth.core.measurements.half_spaces import HalfSpaces
from synth.core.schema import Neighbours
from synth.private.counting.codes import Codes
from synth.private.exact_tables import ExactTables
from synth.private.queries import Selection, is_of_rows
from synth.private.scores import SCALE, SideGap
from synth.private.terms import Terms

DOMAIN = Domain(("a", "b"), (3, 2))
PLANES = HalfSpaces(("a", "b"), ((0, 100, 255), ()), ((1, 0, 0), (-1, 0, 0)), (50, -50))
SCORE = SideGap(PLANES, np.array([[40.0, -40.25]]))


def example(rng: np.random.Generator) -> tuple[SideGap, list[tuple[int, ...]]]:
    """Planes through a table of two columns, sometimes by a label (`tests/contracts/test_every_score.py`)."""
    by_label = bool(rng.integers(2))
    steps = rng.integers(-9, 10, (4, 3 if by_label else 5)).tolist()
    spaces = HalfSpaces(
        ("a", "b"),
        ((), ()),
        tuple(map(tuple, steps)),
        tuple(rng.integers(-500, 500, 4).tolist()),
        "b" if by_label else "",
    )
    return SideGap(spaces, 40 * rng.standard_normal((2 if by_label else 1, 4))), [(3, 2)] * 4


@pytest.mark.parametrize("seed", range(5))
def test_the_room_gets_from_rows_what_a_table_says(seed: int) -> None:
    rng = np.random.default_rng(seed)
    score, _ = example(rng)
    rows = rng.integers(0, DOMAIN.sizes, (60, 2))
    counts = np.zeros(DOMAIN.sizes, dtype=np.int64)
    np.add.at(counts, tuple(rows.T), 1)
    found = Selection(score).exact(ExactTables(Codes.of(rows, DOMAIN), DOMAIN))
    assert found.tolist() == [score.value(i, counts) for i in range(4)]
    assert is_of_rows(Selection(score)) and not Selection(score).needs()


@pytest.mark.parametrize("relation", Neighbours)
def test_its_swing_is_reached_by_one_unit(relation: Neighbours) -> None:
    """It comes nearer to one estimate and goes further from another; a one-sided swing would be wrong."""
    rows, replaces = 3, relation is Neighbours.REPLACE
    query = Selection(SCORE)
    before, after = (
        np.array([[9, 0], [9, 0], [9, 0]]),
        np.array([[9 - rows * replaces, 0], [9 + rows, 0], [9, 0]]),
    )
    moves = [SCORE.value(i, after) - SCORE.value(i, before) for i in range(2)]
    moved = Terms(rows=rows, neighbours=relation).l1
    assert query.moved(Terms(rows=rows, neighbours=relation)) == moved
    assert max(map(abs, moves)) == SCORE.sensitivity(moved) == moved * SCALE
    one = SideGap(PLANES, np.array([[40.0, 40.0]]))
    moves = [one.value(i, after) - one.value(i, before) for i in range(2)]
    assert max(moves) - min(moves) == one.swing(moved)


def test_it_is_restored_from_its_state_and_says_nothing_of_tables() -> None:
    query = Selection(SCORE)
    terms = Terms(rows=1, neighbours=Neighbours.ADD_REMOVE)
    again = query.restored(query.facts(terms), query.state())
    assert isinstance(again.score, SideGap) and again.score.spaces == PLANES and query.fits(DOMAIN)
    assert again.facts(terms) == query.facts(terms)
    other = Selection(SideGap(PLANES, np.array([[40.0, -40.0]])))
    assert other.facts(terms) != query.facts(terms), "another estimate is another question"
    assert not SCORE.applies_to(DOMAIN, [("a", "b")]) and SCORE.forget([("a", "b")]) is SCORE


@pytest.mark.parametrize(
    "estimates",
    [np.zeros((1, 3)), np.zeros((2, 2)), np.full((1, 2), np.nan), np.full((1, 2), 1e300), np.zeros(2)],
)
def test_other_numbers_do_not_fit(estimates: np.ndarray) -> None:
    assert not Selection(SideGap(PLANES, estimates)).fits(DOMAIN)
