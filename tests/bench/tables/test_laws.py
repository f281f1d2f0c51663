from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from synth.bench.tables.laws import LAWS


@pytest.mark.parametrize("name", LAWS)
def test_a_law_gives_the_same_wide_dependent_table_each_time(name: str) -> None:
    law = replace(LAWS[name], rows=8_000)
    (codes,) = law.blocks()
    sizes = np.array(list(law.sizes.values()))
    assert codes.shape == (law.rows, len(sizes)) and codes.dtype == np.int64
    assert (codes.min(axis=0) >= 0).all() and (codes.max(axis=0) < sizes).all()
    assert (codes.max(axis=0) > 0).all(), "no column is constant"
    related = np.abs(np.corrcoef(codes.T) - np.eye(len(sizes)))
    assert related.max() > 20 / law.rows**0.5, "far beyond chance"
    (again,) = law.blocks()
    assert np.array_equal(codes, again)
