"""Every engine counts like counting on fingers: any table, any columns in any order, any groups."""

import copy
import math
import pickle
from collections.abc import Callable, Sequence
from itertools import permutations

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synth.core.axis import Grouping
from synth.core.domain import CodeColumn, Domain, smallest_dtype
from synth.core.errors import Refusal
from synth.private.counting import ENGINES
from synth.private.counting.codes import Codes
from synth.private.counting.database_engine import DatabaseEngine
from synth.private.counting.engine import Engine


def in_duckdb(columns: Sequence[np.ndarray]) -> Engine:
    """The engine of databases over these columns, kept in DuckDB."""
    ibis = pytest.importorskip("ibis", reason="the extra 'databases' is not installed")
    rows = len(columns[0]) if columns else 0
    names = [f"c{i}" for i in range(len(columns))] or ["c0"]
    held = {name: pa.array(c.astype(np.int64)) for name, c in zip(names, columns, strict=False)}
    base = duckdb.connect()
    base.register("given", pa.table(held or {"c0": pa.array([0] * rows, pa.int64())}))
    base.execute("CREATE TABLE t AS SELECT * FROM given")
    codes = ibis.table(dict.fromkeys(names, "int64"), name="t")
    return DatabaseEngine(lambda q: base.execute(ibis.to_sql(q, dialect="duckdb")).fetchall(), lambda: codes)


every = pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES.keys())
counting = pytest.mark.parametrize(
    "engine", [*ENGINES.values(), in_duckdb], ids=[*ENGINES.keys(), "database"]
)
"""Those that see rows, and those that have them counted elsewhere too."""
CANARY = 54_321


def table(rng: np.random.Generator, spans: list[int], rows: int) -> list[CodeColumn]:
    return [rng.integers(0, span, rows).astype(smallest_dtype(span)) for span in spans]


@counting
@settings(max_examples=80, deadline=None)
@given(
    spans=st.lists(st.sampled_from([1, 2, 5, 300]), min_size=1, max_size=6),
    rows=st.sampled_from([0, 1, 257, 9_000]),
    data=st.data(),
    seed=st.integers(0, 2**32),
)
def test_tables_are_those_of_counting_by_hand(
    engine: Callable[..., Engine], spans: list[int], rows: int, data: st.DataObject, seed: int
) -> None:
    """Cliques in any order and twice, groups, blanks beyond the domain, columns that are equal."""
    rng = np.random.default_rng(seed)
    domain = Domain(tuple("abcdef"[: len(spans)]), tuple(spans))
    columns = table(rng, [span + 1 for span in spans], rows)
    coarse, sizes = [], list(spans)
    for i, span in enumerate(spans):
        if data.draw(st.booleans()):
            sizes[i] = int(rng.integers(1, span + 1))
            group_of = [*range(sizes[i]), *rng.integers(0, sizes[i], span - sizes[i]).tolist()]
            coarse.append(Grouping(column=domain.names[i], group_of=tuple(group_of), weights=()))
    every = [list(c) for k in range(4) for c in permutations(range(len(spans)), k)]
    cliques = data.draw(st.lists(st.sampled_from(every), max_size=6))
    spanned = [span + 1 for span in spans]
    codes, single = (
        Codes(columns, domain, spans=spanned, engine=engine(columns)).grouped(coarse) for _ in range(2)
    )
    for _ in range(2):
        for axes, counts in zip(cliques, codes.all_counts(cliques), strict=True):
            cell, inside = np.zeros(rows, dtype=np.int64), np.ones(rows, dtype=bool)
            for axis in axes:
                group_of = {g.column: g.group_of for g in coarse}.get(domain.names[axis], range(spans[axis]))
                known = np.array([*group_of, -1])[columns[axis]]
                cell, inside = cell * sizes[axis] + known, inside & (known >= 0)
            shape = tuple(sizes[axis] for axis in axes)
            expected = np.bincount(cell[inside], minlength=math.prod(shape)).reshape(shape)
            for found in (counts, single.counts(axes)):
                assert found.dtype == np.int64 and found.shape == shape
                np.testing.assert_array_equal(found, expected)


@counting
@pytest.mark.parametrize("rows", [0, 1, 3])
def test_without_axes_one_cell_holds_all_rows(engine: Callable[..., Engine], rows: int) -> None:
    counts = engine([np.zeros(rows, dtype=np.uint8)]).counts((), ())
    assert counts.shape == () and counts.dtype == np.int64 and counts == rows
    assert engine([]).counts((), ()) == 0


@counting
def test_cells_are_found_where_their_number_passes_the_type_of_a_code(engine: Callable[..., Engine]) -> None:
    columns = [np.array([199, 0], dtype=np.uint8)] * 2 + [np.array([69_999, 1], dtype=np.uint32)]
    held = engine(columns)
    assert held.counts((0, 1), (200, 200))[199, 199] == 1
    counts = held.counts((1, 2), (200, 70_000))
    assert counts.sum() == 2 and counts[199, 69_999] == counts[0, 1] == 1


@counting
def test_coarse_codes_of_coarse_codes_are_counted(engine: Callable[..., Engine]) -> None:
    """Groupings are put together by `Codes`, codes beyond the domain among them."""
    columns = [np.array([0, 1, 2, 3, 4], dtype=np.uint8), np.array([1, 1, 0, 0, 1], dtype=np.uint8)]
    codes = Codes(columns, Domain(("a", "b"), (4, 2)), spans=(5, 2), engine=engine(columns))
    once = codes.grouped([Grouping(column="a", group_of=(0, 0, 1, 2), weights=(1.0,) * 4)])
    twice = once.grouped([Grouping(column="a", group_of=(0, 1, 1), weights=(1.0,) * 3)])
    assert once.counts((0, 1)).tolist() == [[0, 2], [1, 0], [1, 0]]
    assert twice.counts((0, 1)).tolist() == [[0, 2], [2, 0]]
    assert twice.rows == codes.rows == 5
    if twice.sees_rows:
        assert twice.columns[0].tolist() == [0, 0, 1, 1, 2]


@counting
def test_an_engine_keeps_what_it_holds_to_itself(engine: Callable[..., Engine]) -> None:
    held = engine([np.full(3, CANARY, dtype=np.uint16)])
    assert held.counts((0,), (CANARY + 1,))[CANARY] == 3
    assert str(CANARY) not in repr(held) + str(held)
    for attempt in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(Refusal):
            attempt(held)
