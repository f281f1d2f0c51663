"""Both ways of counting numbers agree, and the compiler is only started where it pays."""

from __future__ import annotations

import numpy as np
import pytest

from synth.counting import compiled
from synth.counting.compiled import WORTH, counter

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


def test_the_compiler_is_started_for_much_work_and_where_there_is_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert counter(WORTH - 1) is counter(0) is not counter(WORTH)
    monkeypatch.setattr(compiled, "find_spec", lambda name: None)
    assert counter(WORTH) is counter(0)


def test_a_compiler_that_is_switched_off_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    import numba

    monkeypatch.setattr(numba.config, "DISABLE_JIT", 1)
    compiled._compiled.cache_clear()
    assert counter(WORTH) is counter(0)
    compiled._compiled.cache_clear()
