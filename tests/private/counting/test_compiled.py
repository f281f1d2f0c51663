"""Both ways of counting numbers agree, and the compiler is only started where it pays."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from synth.private.counting import compiled
from synth.private.counting.compiled import WORTH, counter

BOTH = pytest.mark.parametrize("numbers", [0.0, WORTH], ids=["numpy", "compiled"])


@BOTH
@pytest.mark.parametrize("kind", [np.uint8, np.uint16])
def test_every_number_is_counted_once(numbers: float, kind: type[np.unsignedinteger]) -> None:
    most = np.iinfo(kind).max
    cells = np.random.default_rng(0).integers(0, most, 5_000, endpoint=True).astype(kind)
    cells[:2] = 0, most
    counts = np.ones(most + 1, dtype=np.int64)
    counter(numbers)(cells, counts)
    np.testing.assert_array_equal(counts, 1 + np.bincount(cells, minlength=most + 1))


@BOTH
def test_nothing_is_counted_of_nothing(numbers: float) -> None:
    counts = np.zeros(256, dtype=np.int64)
    counter(numbers)(np.empty(0, dtype=np.uint8), counts)
    assert not counts.any()


@pytest.fixture
def fresh() -> Iterator[None]:
    """As in a process that has not compiled yet."""
    compiled._compiled.cache_clear()
    yield
    compiled._compiled.cache_clear()


@pytest.mark.usefixtures("fresh")
def test_the_compiler_is_started_for_much_work_and_where_there_is_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert counter(WORTH - 1) is counter(0) is not counter(WORTH)
    compiled._compiled.cache_clear()
    monkeypatch.setitem(sys.modules, "numba", None)  # as if it were not installed
    assert counter(WORTH) is counter(0)


@pytest.mark.usefixtures("fresh")
def test_a_compiler_that_is_switched_off_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    import numba

    monkeypatch.setattr(numba.config, "DISABLE_JIT", 1)
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
def test_a_compiler_that_is_broken_is_not_used(
    content: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "numba").mkdir()
    (tmp_path / "numba" / "__init__.py").write_text(content)
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in [name for name in sys.modules if name.partition(".")[0] == "numba"]:
        monkeypatch.delitem(sys.modules, name)
    assert counter(WORTH) is counter(0)
    assert counter(WORTH) is counter(0)  # nor when it is asked again
