"""Records leave forbidden cells, for any structural zeros."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synth.core.domain import Domain
from synth.core.zeros import Zero
from synth.models.repair import repaired

DOMAIN = Domain(tuple("abcd"), (4, 3, 3, 2))
CLIQUES = [("a", "b"), ("b", "c"), ("a", "c", "d"), ("d",)]
COLUMNS = [np.ones(size) for size in DOMAIN.sizes]


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10_000), part=st.floats(0.05, 0.7))
def test_no_zero_is_broken_afterwards_and_whole_records_stay(seed: int, part: float) -> None:
    rng = np.random.default_rng(seed)
    zeros = [Zero(r, rng.random(DOMAIN.shape(r)) < part) for r in CLIQUES]
    codes = rng.integers(0, DOMAIN.sizes, size=(300, 4))
    possible = np.indices(DOMAIN.sizes).reshape(4, -1).T
    keeps = np.ones(len(possible), dtype=bool)
    for z in zeros:
        keeps &= ~z.forbidden[tuple(possible[:, i] for i in DOMAIN.axes(z.clique))]
    if not keeps.any():
        with pytest.raises(ValueError):
            repaired(codes, DOMAIN, zeros, COLUMNS, rng)
        return
    fixed, changed = repaired(codes, DOMAIN, zeros, COLUMNS, rng)
    broken = np.zeros(len(codes), dtype=bool)
    for z in zeros:
        assert not z.forbidden[tuple(fixed[:, i] for i in DOMAIN.axes(z.clique))].any()
        broken |= z.forbidden[tuple(codes[:, i] for i in DOMAIN.axes(z.clique))]
    assert changed >= broken.sum()
    np.testing.assert_array_equal(fixed[~broken], codes[~broken])


def test_new_codes_come_by_their_weights() -> None:
    zero = Zero(("a", "b"), np.zeros((4, 3), dtype=bool))
    zero.forbidden[0, :] = True
    columns = [np.array([5.0, 1.0, 3.0, 0.0]), *COLUMNS[1:]]
    codes = np.zeros((4000, 4), dtype=np.int64)
    fixed, changed = repaired(codes, DOMAIN, [zero], columns, np.random.default_rng(0))
    assert changed == 4000
    counts = np.bincount(fixed[:, 0], minlength=4)
    assert counts[0] == counts[3] == 0 and abs(counts[1] - 1000) < 5 * np.sqrt(4000 * 0.25 * 0.75)
