"""Test sums of waves and votes against a loop over the rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synth.core.domain import smallest_dtype
from synth.core.measurements.nearest import points_of
from synth.private.counting import rows
from synth.private.counting.rows import votes_of, wave_sums


@settings(max_examples=80, deadline=None)
@given(
    spans=st.lists(st.sampled_from([1, 2, 5, 300, 70_000]), min_size=1, max_size=4),
    many_rows=st.sampled_from([0, 1, 2, 257]),
    turn=st.sampled_from([4, 256, 65_536]),
    data=st.data(),
    seed=st.integers(0, 2**32),
)
def test_sums_are_exact(spans: list[int], many_rows: int, turn: int, data: st.DataObject, seed: int) -> None:
    """Test phases that exceed every code type, codes beyond the shape, and sums by a column."""
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, n, many_rows).astype(smallest_dtype(n)) for n in spans]
    shape = [max(1, n - data.draw(st.integers(0, 2))) for n in spans]
    by = data.draw(st.sampled_from([None, *(i for i, n in enumerate(shape) if n <= 300)]))
    frequencies = rng.integers(0, 65_536, (3, len(spans))).astype(np.uint16)
    wave = rng.integers(-20_000, 20_000, (turn, 2)).astype(np.int16)
    expected = np.zeros((1 if by is None else shape[by], 3, 2), dtype=np.int64)
    for row in range(many_rows):
        codes = [int(column[row]) for column in columns]
        if all(code < size for code, size in zip(codes, shape, strict=True)):
            for f, steps in enumerate(frequencies.tolist()):
                turned = sum(c * n for i, (c, n) in enumerate(zip(codes, steps, strict=True)) if i != by)
                expected[0 if by is None else codes[by], f] += wave[turned % turn]
    sums = wave_sums(columns, shape, frequencies=frequencies, wave=wave, by=by)
    assert sums.dtype == np.int64
    np.testing.assert_array_equal(sums, expected)


@settings(max_examples=80, deadline=None)
@given(
    spans=st.lists(st.sampled_from([1, 2, 5, 300]), min_size=1, max_size=4),
    many_rows=st.sampled_from([0, 1, 2, 257]),
    many=st.sampled_from([1, 2, 40]),
    data=st.data(),
    seed=st.integers(0, 2**32),
)
def test_votes_are_those_of_looking_at_every_candidate(
    spans: list[int], many_rows: int, many: int, data: st.DataObject, seed: int
) -> None:
    """Test ties, codes beyond the shape, columns without an order, and labels that no candidate has."""
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, n, many_rows).astype(smallest_dtype(n)) for n in spans]
    shape = [max(1, n - data.draw(st.integers(0, 2))) for n in spans]
    by = data.draw(st.sampled_from([None, *range(len(spans))]))
    candidates = np.stack([rng.integers(0, size, many) for size in shape], axis=1)
    points = [
        points_of(tuple(rng.integers(0, 256, size).tolist()) if rng.random() < 0.5 else (), size)
        for size in shape
    ]
    expected = np.zeros(many, dtype=np.int64)
    for row in range(many_rows):
        codes = [int(column[row]) for column in columns]
        if any(code >= size for code, size in zip(codes, shape, strict=True)):
            continue
        far = {
            m: sum(
                int(np.square(p[code] - p[c[i]]).sum())
                for i, (p, code) in enumerate(zip(points, codes, strict=True))
                if i != by
            )
            for m, c in enumerate(candidates)
            if by is None or c[by] == codes[by]
        }
        if far:
            expected[min(far, key=lambda m: (far[m], m))] += 1
    votes = votes_of(columns, shape, candidates=candidates, points=points, by=by)
    assert votes.dtype == np.int64
    np.testing.assert_array_equal(votes, expected)


@pytest.mark.parametrize("at_a_time", [1, 14, 2000])
def test_blocks_do_not_show_in_sums(monkeypatch: pytest.MonkeyPatch, at_a_time: int) -> None:
    rng = np.random.default_rng(2)
    columns = [rng.integers(0, 3, 100).astype(np.uint8), rng.integers(0, 5, 100).astype(np.uint8)]
    wave = np.array([[5], [0], [-5], [1]], dtype=np.int16)
    frequencies = np.array([[1, 0], [3, 0]], dtype=np.uint16)
    whole = wave_sums(columns, (3, 5), frequencies=frequencies, wave=wave, by=1)
    monkeypatch.setattr(rows, "PHASES_AT_A_TIME", at_a_time)
    again = wave_sums(columns, (3, 5), frequencies=frequencies, wave=wave, by=1)
    np.testing.assert_array_equal(again, whole)
    assert whole.any()
