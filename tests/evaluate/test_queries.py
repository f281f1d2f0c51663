import numpy as np
import pytest

from synth.core.domain import Domain
from synth.core.table import CodeTable
from synth.evaluate.queries import query_errors

DOMAIN = Domain(("a", "b", "c", "d"), (8, 2, 5, 3))
ORDERED = frozenset({"a", "c"})


def random_table(seed: int, rows: int = 4000) -> CodeTable:
    rng = np.random.default_rng(seed)
    return CodeTable(DOMAIN, np.stack([rng.integers(0, n, rows) for n in DOMAIN.sizes], axis=1))


def test_a_table_against_itself_has_no_error_and_the_draw_is_repeatable() -> None:
    real = random_table(0)
    found = query_errors(real, real, ordered=ORDERED, queries=50)
    assert (found.conjunction, found.counting, found.threshold) == (0.0, 0.0, 0.0)
    other = random_table(1)
    first, second = (query_errors(real, other, ordered=ORDERED, queries=50, seed=4) for _ in range(2))
    assert first == second


def test_errors_grow_with_the_distance_between_the_tables() -> None:
    real = random_table(0)
    shifted = CodeTable(DOMAIN, np.zeros_like(real.codes))
    near = query_errors(real, random_table(1), ordered=ORDERED, queries=300)
    far = query_errors(real, shifted, ordered=ORDERED, queries=300)
    for family in ("conjunction", "counting", "threshold"):
        assert getattr(near, family) < 0.02 < 0.03 < getattr(far, family) <= 1.0


def test_queries_are_conjunctions_of_all_three_columns() -> None:
    """Only the triple (x, y, z) jointly differs: one- and two-column prefixes would show no error."""
    rng = np.random.default_rng(2)
    x, y, w = rng.integers(0, 2, (3, 40_000))
    domain = Domain(("x", "y", "z"), (2, 2, 2))
    odd = CodeTable(domain, np.stack([x, y, x ^ y], axis=1))
    free = CodeTable(domain, np.stack([x, y, w], axis=1))
    found = query_errors(odd, free, ordered=frozenset(), queries=200)
    assert found.conjunction == pytest.approx(0.125, abs=0.02)


def test_a_column_that_can_never_be_cut_leaves_counting_out() -> None:
    real = CodeTable(Domain(("a",), (3,)), np.zeros((100, 1), dtype=int))
    found = query_errors(real, real, ordered=frozenset(), queries=5)
    assert found.counting is None and found.conjunction == 0.0
