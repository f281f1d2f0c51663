"""Counts that come in blocks of rows are those of the whole table."""

from itertools import combinations

import numpy as np
import pytest

from synth.core.domain import Domain
from synth.core.measurements.noisy import coarsened
from synth.core.model import Projectable
from synth.core.table import CodeTable, in_groups
from synth.release.checks.tally import Tally

DOMAIN = Domain(("a", "b", "c", "d"), (3, 2, 5, 300))


def test_every_marginal_within_a_block_is_that_of_all_rows() -> None:
    rng = np.random.default_rng(1)
    codes = np.stack([rng.integers(0, size, 1_000) for size in DOMAIN.sizes], axis=1)
    tally = Tally(DOMAIN, {(0, 1, 2): ((0, 1), (1, 2), (0, 2)), (0, 3): ((0, 3), (3,)), (2,): ((2,),)})
    for start, stop in ((0, 400), (400, 401), (401, 1_000)):
        part = CodeTable(DOMAIN, codes[start:stop])
        tally.add(part.rows, tally.counted(part))
    whole = CodeTable(DOMAIN, codes)
    assert tally.rows == 1_000 and isinstance(tally, Projectable)
    requested = [*combinations("abc", 2), ("c", "a"), ("d", "a"), ("d",), ("b",)]
    for clique in requested:
        np.testing.assert_array_equal(tally.counts(clique), whole.counts(clique))
        np.testing.assert_array_equal(tally.project(clique), whole.project(clique))


def test_only_the_tables_that_are_asked_for_are_kept_and_none_of_the_blocks() -> None:
    """Ten pairs and a triple of a block of five columns, and what lies within one of them."""
    domain = Domain(tuple("abcde"), (20, 3, 20, 2, 20))
    codes = np.random.default_rng(3).integers(0, domain.sizes, (70_000, 5)).astype(np.uint8)
    codes[:, 1] = 1
    pairs = (*combinations(range(5), 2), (0, 1, 3))
    tally = Tally(domain, {tuple(range(5)): pairs})
    for _ in range(2):
        tables = tally.counted(CodeTable(domain, codes))
        assert sum(table.size for table in tables) == sum(
            domain.size([domain.names[i] for i in r]) for r in pairs
        )
        tally.add(len(codes), tables)
    whole = CodeTable(domain, np.concatenate([codes, codes]))
    for clique in (*combinations("abcde", 2), ("d", "a", "b"), ("b",), ()):
        np.testing.assert_array_equal(tally.counts(clique), whole.counts(clique))
    with pytest.raises(StopIteration):
        tally.counts(("a", "b", "c"))


def test_a_large_clique_is_known_in_groups_alone() -> None:
    rng = np.random.default_rng(2)
    codes = np.stack([rng.integers(0, size, 1_000) for size in DOMAIN.sizes], axis=1)
    groups = {"d": tuple(i % 7 for i in range(300)), "c": (0, 0, 1, 1, 1)}
    tally = Tally(
        DOMAIN, {(0, 2): ((0, 2),)}, coarse=[(("c", "d"), groups), (("b", "d"), {"d": groups["d"]})]
    )
    for part in (CodeTable(DOMAIN, codes[:600]), CodeTable(DOMAIN, codes[600:])):
        tally.add(part.rows, tally.counted(part))
    whole = CodeTable(DOMAIN, codes)
    for clique in (("c", "d"), ("b", "d"), ("a", "c")):
        assert np.array_equal(
            in_groups(tally, clique, groups), coarsened(whole.project(clique), clique, groups)
        )
    with pytest.raises(StopIteration):
        tally.counts(("c", "d"))
    assert np.array_equal(tally.counts(("a", "c")), whole.counts(("a", "c")))
