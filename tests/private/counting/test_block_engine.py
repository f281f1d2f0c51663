"""Counting by blocks: passes, rows at a time and cores do not show in what is counted."""

import math
from itertools import combinations

import numpy as np
import pytest

from synth.private.counting import block_engine, compiled
from synth.private.counting.block_engine import BlockEngine
from synth.private.counting.numpy_engine import NumpyEngine

SIZES = (2, 3, 1, 5, 300, 4)


def asked() -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    cliques = [*combinations(range(6), 2), *combinations(range(6), 3), (5, 0), (), (3,), (0, 1), (4, 3, 5)]
    return [(clique, tuple(SIZES[i] for i in clique)) for clique in cliques]


@pytest.mark.parametrize("cores, at_a_time, cells", [(1, 70, 50), (2, 1000, 65_535), (3, 100, 0)])
@pytest.mark.parametrize("worth", [0.0, math.inf], ids=["compiled", "numpy"])
def test_it_counts_as_one_table_after_the_other_is_counted(
    monkeypatch: pytest.MonkeyPatch, cores: int, at_a_time: int, cells: int, worth: float
) -> None:
    monkeypatch.setattr(compiled, "WORTH", worth)
    rng = np.random.default_rng(5)
    columns = [rng.integers(0, size, 20_001).astype(np.uint16) for size in SIZES]
    expected = NumpyEngine(columns).all_counts(asked())
    monkeypatch.setattr(block_engine, "cores", lambda: cores)
    monkeypatch.setattr(block_engine, "ROWS_AT_A_TIME", at_a_time)
    monkeypatch.setattr(block_engine, "CACHED_CELLS", cells)
    for table, truth in zip(BlockEngine(columns).all_counts(asked()), expected, strict=True):
        assert table.dtype == np.int64 and table.flags.c_contiguous
        np.testing.assert_array_equal(table, truth)


@pytest.mark.parametrize("worth", [0.0, math.inf], ids=["compiled", "numpy"])
def test_a_code_beyond_its_column_is_refused(monkeypatch: pytest.MonkeyPatch, worth: float) -> None:
    monkeypatch.setattr(compiled, "WORTH", worth)
    columns = [np.full(100, 4, dtype=np.uint8), np.ones(100, dtype=np.uint8)]
    with pytest.raises(ValueError, match="outside its column"):
        BlockEngine(columns).all_counts([((0, 1), (2, 2))])


def test_few_passes_count_many_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    passes: list[tuple[int, ...]] = []
    whole = BlockEngine._block
    monkeypatch.setattr(
        BlockEngine, "_block", lambda self, axes, *rest: (passes.append(axes), whole(self, axes, *rest))[1]
    )
    columns = [np.zeros(10_000, dtype=np.uint8)] * 6
    pairs = list(combinations(range(6), 2))
    BlockEngine(columns).all_counts([(pair, (2, 2)) for pair in pairs])
    assert passes == [(0, 1, 2, 3, 4, 5)]
    BlockEngine([column[:8] for column in columns]).all_counts([(pair, (2, 2)) for pair in pairs])
    assert len(passes) == 1 + len(pairs), "for few rows, summing a block is dearer than counting its tables"
