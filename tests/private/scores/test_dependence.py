import numpy as np
import pytest

from synth.private.scores import SCALE, WHOLE, Dependence


def example(rng: np.random.Generator) -> tuple[Dependence, list[tuple[int, ...]]]:
    """The children's estimates have empty cells; children stand before, between and behind their parents
    (`tests/contracts/test_every_score.py`)."""
    score = Dependence(
        cliques=(("a", "b"), ("a", "b"), ("a", "b", "c"), ("b",)),
        children=("a", "b", "b", "b"),
        columns={"a": rng.integers(0, 3, 4) + np.eye(4)[0], "b": rng.random(3) * [1.0, 1.0, 1e-9]},
    )
    return score, [tuple({"a": 4, "b": 3}.get(name, 2) for name in clique) for clique in score.cliques]


def test_one_record_moves_a_dependence_by_nearly_two_and_candidates_apart_by_twice_that() -> None:
    score = Dependence((("a", "b"),), ("a",), {"a": np.array([1e6, 1.0])})
    before = np.array([[50, 50], [0, 0]])
    step = score.value(0, before + np.array([[0, 0], [1, 0]])) - score.value(0, before)
    assert 1.99 * SCALE < step <= score.sensitivity(1) == 2 * SCALE
    assert score.swing(1) == 4 * SCALE and score.sensitivity(3) == 6 * SCALE


DEPENDENCE = Dependence(
    cliques=(("a", "b", "c"), ("a", "b")),
    children=("b", "a"),
    columns={"a": np.array([3.0, 1.0]), "b": np.array([1.0, 0.0, 2.0])},
)


def test_a_dependence_is_the_distance_from_a_child_that_ignores_its_parents() -> None:
    counts = np.random.default_rng(0).integers(0, 50, size=(2, 3, 4))
    p = np.array([1 / 3, 0, 2 / 3])
    expected = np.abs(counts - p[:, None] * counts.sum(axis=1, keepdims=True)).sum()
    assert DEPENDENCE.value(0, counts) / SCALE == pytest.approx(
        expected, abs=counts.sum() * 4 / WHOLE + 1 / SCALE
    )
    parents = np.array([[40, 8, 4]])
    assert DEPENDENCE.value(1, np.array([[3], [1]]) * parents // 4) == 0
    assert DEPENDENCE.value(1, np.array([[4], [0]]) * parents // 4) == 2 * 52 * SCALE // 4


def test_more_parents_never_know_less_of_a_child() -> None:
    counts = np.random.default_rng(1).integers(0, 9, size=(2, 3, 4))
    fewer = Dependence((("b",), ("b", "c"), ("a", "b")), ("b",) * 3, DEPENDENCE.columns)
    sums = counts.sum(axis=(0, 2)), counts.sum(axis=0), counts.sum(axis=2)
    assert all(fewer.value(i, table) <= DEPENDENCE.value(0, counts) for i, table in enumerate(sums))


def test_large_tables_do_not_overflow_a_dependence() -> None:
    counts = np.array([[2**40, 0, 0], [0, 0, 0]])
    assert DEPENDENCE.value(1, counts) == 2**40 * SCALE // 2


@pytest.mark.parametrize("children", [("b",), ("c", "a"), ("b", "c")])
def test_a_dependence_needs_a_child_with_an_estimate_in_every_clique(children: tuple[str, ...]) -> None:
    with pytest.raises(ValueError):
        Dependence(DEPENDENCE.cliques, children, DEPENDENCE.columns)
