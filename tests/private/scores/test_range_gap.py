import numpy as np

from synth.core.domain import Domain
from synth.private.scores import SCALE, RangeGap

SHAPES = [(3,), (2, 2), (3, 4)]


def example(rng: np.random.Generator) -> tuple[RangeGap, list[tuple[int, ...]]]:
    """Random ranges of several shapes (`tests/contracts/test_every_score.py`)."""
    shapes = [SHAPES[i] for i in rng.integers(0, 3, size=4)]
    ranges = [tuple(tuple(range(rng.integers(1, size + 1))) for size in shape) for shape in shapes]
    cliques = tuple(tuple(f"c{i}{j}" for j in range(len(shape))) for i, shape in enumerate(shapes))
    return RangeGap(cliques, tuple(ranges), rng.random(4) * 10), shapes


def test_the_value_is_the_distance_of_the_rows_in_the_range() -> None:
    score = RangeGap((("a", "b"),), (((0, 2), (1,)),), np.array([2.5]))
    counts = np.array([[9, 1], [9, 9], [9, 3]])
    assert score.value(0, counts) == 1.5 * SCALE


def test_a_range_with_a_wrong_code_does_not_fit() -> None:
    domain = Domain(("a", "b"), (3, 2))
    for codes in ((), (0, 0), (1, 0), (3,), (-1, 0)):
        assert not RangeGap((("a",),), ((codes,),), np.array([1.0])).fits(domain), codes
    assert not RangeGap((("a",),), (((0,), (0,)),), np.array([1.0])).fits(domain)
    assert not RangeGap((("a",),), (((0,),),), np.array([np.nan])).fits(domain)
    assert RangeGap((("a",),), (((0, 2),),), np.array([1.0])).fits(domain)
