import numpy as np
import pytest

from synth.core.domain import Domain
from synth.core.schema import Neighbours
from synth.private.queries import Selection
from synth.private.scores import SCALE, LargestGap
from synth.private.terms import Terms

SCORE = LargestGap(cliques=(("a",), ("b",)), estimates=(np.array([1.25, 2.0]), np.array([0.0])))


def example(rng: np.random.Generator) -> tuple[LargestGap, list[tuple[int, ...]]]:
    """Candidates of several shapes (`tests/contracts/test_every_score.py`)."""
    shapes = [[(3,), (2, 2), (3, 4)][i] for i in rng.integers(0, 3, size=4)]
    estimates = tuple(rng.random(s) * 10 for s in shapes)
    return LargestGap(tuple((f"c{i}",) for i in range(4)), estimates), shapes


def test_its_swing_is_reached_by_one_record() -> None:
    """It comes nearer to one estimate and goes further from another; a one-sided swing would be wrong."""
    score = LargestGap((("a",), ("b",)), (np.array([9.0, 0.0]), np.array([0.0, 0.0])))
    before, after = np.array([4, 0]), np.array([5, 0])
    moves = [score.value(i, after) - score.value(i, before) for i in range(2)]
    assert moves == [-SCALE, SCALE] and moves[1] - moves[0] == score.swing(1)


@pytest.mark.parametrize("rows", [1, 3])
def test_replacing_a_unit_moves_it_as_far_as_adding_one(rows: int) -> None:
    """All rows of a unit leave one cell and others come into the other: each cell moves by as many rows, and
    so do the gaps, up in one candidate and down in the other."""
    score = LargestGap((("a",), ("b",)), (np.array([90.0, 0.0]), np.array([0.0, 0.0])))
    before, after = np.array([4, 40]), np.array([4 + rows, 40 - rows])
    moves = [score.value(i, after) - score.value(i, before) for i in range(2)]
    assert moves == [-rows * SCALE, -rows * SCALE]
    back = [score.value(i, before) - score.value(i, after) for i in range(2)]
    for relation in Neighbours:
        terms = Terms(rows=rows, neighbours=relation)
        requested = Selection(score)
        assert requested.moved(terms) == rows and max(back) == score.sensitivity(requested.moved(terms))
        assert requested.facts(terms)["swing"] == 2 * rows * SCALE


def test_what_it_says_of_a_table_bounds_all_of_its_cells() -> None:
    rng = np.random.default_rng(0)
    truth, released = rng.integers(0, 50, (3, 4)), rng.random((3, 4)) * 50
    score = LargestGap((("a", "b"),), (rng.random((3, 4)) * 50,))

    class Known:
        total = 1.0

        def counts(self, clique: tuple[str, ...]) -> np.ndarray:
            return released

    limit = score.value(0, truth) / SCALE
    (bound,) = score.bounds([limit], {("a", "b")}, Known(), beta=0.1).values()  # type: ignore[arg-type]
    assert np.abs(truth - released).sum() <= bound
    released = score.estimate(0)
    (bound,) = score.bounds([7.0], {("a", "b")}, Known(), beta=0.1).values()  # type: ignore[arg-type]
    assert bound == 12 * 7, "all cells may be off by as much as the worst one"


def test_facts_tell_questions_apart_and_not_their_rounding_dust() -> None:
    dust = LargestGap(SCORE.cliques, (np.array([1.25 + 1e-9, 2.0]), np.array([0.0])))
    other = LargestGap(SCORE.cliques, (np.array([1.30, 2.0]), np.array([0.0])))
    assert dust.facts() == SCORE.facts() != other.facts()
    assert SCORE.restored(SCORE.state()).facts() == SCORE.facts()


@pytest.mark.parametrize("wrong", [float("nan"), float("inf"), 1e300])
def test_estimates_that_fixed_point_does_not_hold_are_refused(wrong: float) -> None:
    domain = Domain(("a", "b"), (2, 1))
    assert SCORE.fits(domain) and not SCORE.fits(Domain(("a", "b"), (3, 1)))
    assert not LargestGap(SCORE.cliques, (np.array([wrong, 0.0]), np.array([0.0]))).fits(domain)


def test_it_needs_an_estimate_for_each_candidate() -> None:
    with pytest.raises(ValueError):
        LargestGap(SCORE.cliques, SCORE.estimates[:1])
