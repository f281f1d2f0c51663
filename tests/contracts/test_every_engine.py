"""Every engine counts like counting on fingers: any table, any columns in any order, any groups."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synth.axis import Grouping
from synth.counting import ENGINES
from synth.counting.codes import Codes
from synth.counting.engine import Engine
from synth.domain import CodeColumn, Domain, smallest_dtype
from synth.errors import Refusal

pytestmark = pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES.keys())
CANARY = 54_321


def table(rng: np.random.Generator, spans: list[int], rows: int) -> list[CodeColumn]:
    return [rng.integers(0, span, rows).astype(smallest_dtype(span)) for span in spans]


def by_hand(
    columns: list[CodeColumn], axes: list[int], shape: list[int], groups: dict[int, CodeColumn]
) -> np.ndarray:
    """One row after the other."""
    counts = np.zeros(shape, dtype=np.int64)
    for row in range(len(columns[0])):
        codes = [int(columns[axis][row]) for axis in axes]
        counts[tuple(int(groups[a][c]) if a in groups else c for a, c in zip(axes, codes, strict=True))] += 1
    return counts


@settings(max_examples=80, deadline=None)
@given(
    spans=st.lists(st.sampled_from([1, 2, 5, 300]), min_size=1, max_size=4),
    rows=st.sampled_from([0, 1, 2, 257]),
    data=st.data(),
    seed=st.integers(0, 2**32),
)
def test_counts_are_those_of_counting_by_hand(
    engine: type[Engine], spans: list[int], rows: int, data: st.DataObject, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    columns = table(rng, spans, rows)
    axes = data.draw(st.permutations(range(len(spans))))[: data.draw(st.integers(0, 2))]
    groups: dict[int, CodeColumn] = {}
    shape = [spans[axis] for axis in axes]
    for i, axis in enumerate(axes):
        if data.draw(st.booleans()):
            shape[i] = int(rng.integers(1, spans[axis] + 1))
            groups[axis] = rng.integers(0, shape[i], spans[axis]).astype(smallest_dtype(shape[i]))
    held = engine(columns)
    expected = by_hand(columns, axes, shape, groups)
    for _ in range(2):
        counts = held.counts(tuple(axes), tuple(shape), groups=groups)
        assert counts.dtype == np.int64 and counts.shape == tuple(shape)
        np.testing.assert_array_equal(counts, expected)
        counts += 1  # a new array every time


@settings(max_examples=80, deadline=None)
@given(
    spans=st.lists(st.sampled_from([1, 2, 5, 300, 70_000]), min_size=1, max_size=4),
    rows=st.sampled_from([0, 1, 2, 257]),
    turn=st.sampled_from([4, 256, 65_536]),
    data=st.data(),
    seed=st.integers(0, 2**32),
)
def test_sums_are_those_of_adding_by_hand(
    engine: type[Engine], spans: list[int], rows: int, turn: int, data: st.DataObject, seed: int
) -> None:
    """Phases that pass every type of a code, codes beyond the shape, groups, and sums by an axis."""
    rng = np.random.default_rng(seed)
    columns, held_axes = table(rng, spans, rows), data.draw(st.permutations(range(len(spans))))
    axes = held_axes[: data.draw(st.integers(1, len(spans)))]
    shape = [max(1, spans[axis] - data.draw(st.integers(0, 2))) for axis in axes]
    groups: dict[int, CodeColumn] = {}
    for axis in axes:
        if data.draw(st.booleans()):
            groups[axis] = rng.integers(0, spans[axis], spans[axis]).astype(smallest_dtype(spans[axis]))
    by = data.draw(st.sampled_from([None, *(i for i, n in enumerate(shape) if n <= 300)]))
    frequencies = rng.integers(0, 65_536, (3, len(axes))).astype(np.uint16)
    wave = rng.integers(-20_000, 20_000, (turn, 2)).astype(np.int16)
    expected = np.zeros((1 if by is None else shape[by], 3, 2), dtype=np.int64)
    for row in range(rows):
        codes = [int(columns[axis][row]) for axis in axes]
        codes = [int(groups[a][c]) if a in groups else c for a, c in zip(axes, codes, strict=True)]
        if all(code < size for code, size in zip(codes, shape, strict=True)):
            for f, steps in enumerate(frequencies.tolist()):
                turned = sum(c * n for i, (c, n) in enumerate(zip(codes, steps, strict=True)) if i != by)
                expected[0 if by is None else codes[by], f] += wave[turned % turn]
    sums = engine(columns).sums(axes, shape, frequencies=frequencies, wave=wave, by=by, groups=groups)
    assert sums.dtype == np.int64
    np.testing.assert_array_equal(sums, expected)


@pytest.mark.parametrize("rows", [0, 1, 3])
def test_without_axes_one_cell_holds_all_rows(engine: type[Engine], rows: int) -> None:
    counts = engine([np.zeros(rows, dtype=np.uint8)]).counts((), ())
    assert counts.shape == () and counts.dtype == np.int64 and counts == rows
    assert engine([]).counts((), ()) == 0


def test_a_column_of_no_codes_is_counted(engine: type[Engine]) -> None:
    assert engine([np.empty(0, dtype=np.int32)]).counts((0,), (0,)).tolist() == []


def test_cells_are_found_where_their_number_passes_the_type_of_a_code(engine: type[Engine]) -> None:
    columns = [np.array([199, 0], dtype=np.uint8)] * 2 + [np.array([69_999, 1], dtype=np.uint32)]
    held = engine(columns)
    assert held.counts((0, 1), (200, 200))[199, 199] == 1
    counts = held.counts((1, 2), (200, 70_000))
    assert counts.sum() == 2 and counts[199, 69_999] == counts[0, 1] == 1


def test_many_rows_and_many_cells(engine: type[Engine]) -> None:
    rng = np.random.default_rng(3)
    columns = table(rng, [7, 90_000], 300_000)
    held, cell = engine(columns), columns[0] * np.int64(90_000) + columns[1]
    np.testing.assert_array_equal(
        held.counts((0, 1), (7, 90_000)).ravel(), np.bincount(cell, minlength=630_000)
    )
    halves = (np.arange(90_000) >= 45_000).astype(np.uint8)
    coarse = held.counts((1, 0), (2, 7), groups={1: halves})
    np.testing.assert_array_equal(
        coarse.ravel(), np.bincount(halves[columns[1]].astype(int) * 7 + columns[0], minlength=14)
    )


def test_coarse_codes_of_coarse_codes_are_counted(engine: type[Engine]) -> None:
    """Groupings are put together by `Codes`, codes beyond the domain among them."""
    columns = [np.array([0, 1, 2, 3, 4], dtype=np.uint8), np.array([1, 1, 0, 0, 1], dtype=np.uint8)]
    codes = Codes(columns, Domain(("a", "b"), (4, 2)), spans=(5, 2), engine=engine(columns))
    once = codes.grouped([Grouping(column="a", group_of=(0, 0, 1, 2), weights=(1.0,) * 4)])
    twice = once.grouped([Grouping(column="a", group_of=(0, 1, 1), weights=(1.0,) * 3)])
    assert once.counts((0, 1)).tolist() == [[0, 2], [1, 0], [1, 0]]
    assert twice.counts((0, 1)).tolist() == [[0, 2], [2, 0]]
    assert twice.columns[0].tolist() == [0, 0, 1, 1, 2] and twice.rows == codes.rows == 5


def test_an_engine_keeps_what_it_holds_to_itself(engine: type[Engine]) -> None:
    held = engine([np.full(3, CANARY, dtype=np.uint16)])
    assert held.counts((0,), (CANARY + 1,))[CANARY] == 3
    assert str(CANARY) not in repr(held) + str(held)
    for attempt in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(Refusal):
            attempt(held)
