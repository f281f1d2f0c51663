"""Overlapping tables become consistent, without negative cells, and the more precise table has more
weight.
"""

from fractions import Fraction

import numpy as np
import pytest

from synth.core.domain import Clique, Domain
from synth.core.zeros import Zero
from synth.models.estimates.consistency import agreed, consistent_tables, margin
from synth.models.pgm import Estimate
from tests.models.examples import evidence_of, measurement

DOMAIN = Domain(("a", "b", "c"), (3, 2, 4))


def stated(clique: Clique, counts: object, variance: float = 1.0) -> Estimate:
    return Estimate(clique, np.array(counts, dtype=float), Fraction(variance))


def test_shared_columns_are_the_means_of_what_all_tables_say_weighed_by_precision() -> None:
    ab = stated(("a", "b"), [[30, 30], [10, 10], [10, 10]], 4)
    bc = stated(("b", "c"), [[10, 10, 10, 10], [15, 15, 15, 15]], 1)
    b = stated(("b",), [60, 40], 2)
    tables = agreed(DOMAIN, [ab, bc, b], total=100)
    assert set(tables) == {("a", "b"), ("b", "c")}
    says, weights = np.array([50.0, 40.0, 60.0]), np.array([1 / (4 * 3), 1 / (1 * 4), 1 / 2])
    expected = says @ weights / weights.sum()
    for clique, table in tables.items():
        np.testing.assert_allclose(margin(table, clique, ("b",))[0], expected, atol=1e-9)
        np.testing.assert_allclose(table.sum(), 100)
    np.testing.assert_allclose(
        np.diff(tables["a", "b"], axis=1), tables["a", "b"].sum() * 0 + 100 / 3 - 2 * expected / 3
    )


def test_noise_below_zero_goes_and_tables_still_agree() -> None:
    rng = np.random.default_rng(0)
    true = rng.multinomial(1000, rng.dirichlet(np.full(24, 0.2))).reshape(3, 2, 4)
    noisy = [
        stated(r, true.sum(axis=2 - ["c", "b", "a"].index(rest)) + rng.normal(0, 15, DOMAIN.shape(r)), 225)
        for r, rest in ((("a", "b"), "c"), (("a", "c"), "b"), (("b", "c"), "a"))
    ]
    tables = agreed(DOMAIN, noisy, total=1000)
    assert min(t.min() for t in tables.values()) >= 0
    for name in "abc":
        sums = [margin(t, r, (name,)) for r, t in tables.items() if name in r]
        assert np.abs(sums[0] - sums[1]).max() < 5


def test_a_wide_table_and_a_pair_agree_on_the_columns_they_share() -> None:
    rng = np.random.default_rng(1)
    wide = stated(("a", "b", "c"), rng.uniform(50, 60, (3, 2, 4)), 9)
    pair = stated(("b", "a"), [[300, 100, 500], [200, 150, 70]], 1)
    tables = agreed(DOMAIN, [wide, pair], total=1320)
    assert set(tables) == {("a", "b", "c")}
    sums = tables["a", "b", "c"].sum(axis=2)
    assert np.abs(sums - pair.counts.T).max() < np.abs(wide.counts.sum(axis=2) - pair.counts.T).max() / 5


def test_repeats_are_averaged_and_forbidden_cells_stay_empty() -> None:
    forbidden = np.zeros((3, 2), dtype=bool)
    forbidden[0, 1] = True
    twice = [
        stated(("a", "b"), [[40, 0], [20, 20], [10, 10]], 1),
        stated(("a", "b"), [[30, 9], [30, 30], [10, 10]], 3),
    ]
    table = agreed(DOMAIN, twice, total=100, zeros=[Zero(("a", "b"), forbidden)])["a", "b"]
    np.testing.assert_allclose(
        table, np.array([[37.5, 0], [22.5, 22.5], [10, 10]]) - [[0.5, 0], [0.5, 0.5], [0.5, 0.5]]
    )
    with pytest.raises(ValueError, match="no possible cell"):
        agreed(DOMAIN, twice, total=100, zeros=[Zero(("a",), np.ones(3, dtype=bool))])


def test_evidence_in_groups_agrees_in_groups_and_every_column_is_in_a_table() -> None:
    counts = np.array([[30, 10], [20, 40]])
    coarse = measurement(("a", "b"), counts, groups={"a": (0, 1, 1)})
    column = measurement(("a",), [42, 30, 28])
    known = consistent_tables(evidence_of(DOMAIN, (coarse, column), 100))
    assert known.domain.sizes == (2, 2, 4) and set(known.tables) == {("a", "b"), ("c",)}
    np.testing.assert_allclose(known.tables["c",], 25)
    assert [len(c) for c in known.columns()] == [2, 2, 4]
    assert 40 < known.columns()[0][0] < 42
