"""Test counting with numpy, in blocks of any size."""

import numpy as np
import pytest

from synth.private.counting import numpy_engine
from synth.private.counting.numpy_engine import NumpyEngine


@pytest.mark.parametrize("at_a_time", [1, 7, 1000])
def test_blocks_do_not_show(monkeypatch: pytest.MonkeyPatch, at_a_time: int) -> None:
    rng = np.random.default_rng(2)
    columns = [rng.integers(0, 3, 100).astype(np.uint8), rng.integers(0, 5, 100).astype(np.uint8)]
    coarse = np.array([0, 1, 0, 1, 1], dtype=np.uint8)
    whole = NumpyEngine(columns).counts((1, 0), (2, 3), groups={1: coarse})
    monkeypatch.setattr(numpy_engine, "ROWS_AT_A_TIME", at_a_time)
    np.testing.assert_array_equal(NumpyEngine(columns).counts((1, 0), (2, 3), groups={1: coarse}), whole)
    assert whole.sum() == 100
