"""Test that counting in blocks returns the same counts as counting table by table, compiled or not."""

import math
import sys
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from synth.private.counting import block_engine
from synth.private.counting.block_engine import WORTH, BlockEngine, counter
from synth.private.counting.numpy_engine import NumpyEngine

SIZES = (2, 3, 1, 5, 300, 4)


def requested() -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    cliques = [*combinations(range(6), 2), *combinations(range(6), 3), (5, 0), (), (3,), (0, 1), (4, 3, 5)]
    return [(clique, tuple(SIZES[i] for i in clique)) for clique in cliques]


@pytest.mark.parametrize("cores, at_a_time, cells", [(1, 70, 50), (2, 1000, 65_535), (3, 100, 0)])
@pytest.mark.parametrize("worth", [0.0, math.inf], ids=["compiled", "numpy"])
def test_it_counts_as_one_table_after_the_other_is_counted(
    monkeypatch: pytest.MonkeyPatch, cores: int, at_a_time: int, cells: int, worth: float
) -> None:
    monkeypatch.setattr(block_engine, "WORTH", worth)
    rng = np.random.default_rng(5)
    columns = [rng.integers(0, size, 20_001).astype(np.uint16) for size in SIZES]
    expected = NumpyEngine(columns).all_counts(requested())
    monkeypatch.setattr(block_engine, "cores", lambda: cores)
    monkeypatch.setattr(block_engine, "ROWS_AT_A_TIME", at_a_time)
    monkeypatch.setattr(block_engine, "CACHED_CELLS", cells)
    for table, truth in zip(BlockEngine(columns).all_counts(requested()), expected, strict=True):
        assert table.dtype == np.int64 and table.flags.c_contiguous
        np.testing.assert_array_equal(table, truth)


@pytest.mark.parametrize("worth", [0.0, math.inf], ids=["compiled", "numpy"])
def test_a_code_beyond_its_column_is_refused(monkeypatch: pytest.MonkeyPatch, worth: float) -> None:
    monkeypatch.setattr(block_engine, "WORTH", worth)
    columns = [np.full(100, 4, dtype=np.uint8), np.ones(100, dtype=np.uint8)]
    with pytest.raises(ValueError, match="outside its column"):
        BlockEngine(columns).all_counts([((0, 1), (2, 2))])


@pytest.fixture
def fresh() -> Iterator[None]:
    """Reset the cache, as in a process that has not compiled yet."""
    block_engine._compiled.cache_clear()
    yield
    block_engine._compiled.cache_clear()


@pytest.mark.usefixtures("fresh")
def test_the_compiler_is_started_for_much_work_where_it_exists(monkeypatch: pytest.MonkeyPatch) -> None:
    assert counter(WORTH - 1) is counter(0) is not counter(WORTH)
    block_engine._compiled.cache_clear()
    monkeypatch.setitem(sys.modules, "numba", None)  # as if it were not installed
    assert counter(WORTH) is counter(0)


@pytest.mark.usefixtures("fresh")
@pytest.mark.parametrize(
    "content",
    [
        "raise ImportError('Numba needs NumPy 2.2 or less. Got NumPy 2.4.')",
        "raise OSError('libllvm.so: cannot open shared object file')",
        "def njit(*kinds, **options): raise RuntimeError('this processor is not known')",
        "def njit(*kinds, **options):\n    def fails(count): raise ValueError\n    return fails",
        "",
    ],
    ids=["other numpy", "no library", "no compiler", "not compiled", "half installed"],
)
def test_a_broken_compiler_is_not_used(content: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "numba").mkdir()
    (tmp_path / "numba" / "__init__.py").write_text(content)
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in [name for name in sys.modules if name.partition(".")[0] == "numba"]:
        monkeypatch.delitem(sys.modules, name)
    assert counter(WORTH) is counter(0)
    assert counter(WORTH) is counter(0)  # nor when it is asked again
