"""Test columns that are encoded while they are read, with the rows of each unit capped."""

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from synth.core.axis import Axis
from synth.core.schema import Column, Kind, Schema, Unit
from synth.private.encoding.columns import capped_rows, encode_columns
from synth.private.encoding.encode import encode
from synth.private.entropy import OS_ENTROPY, Rehearsal
from synth.private.reading.text_column import text_column

CANARY = "canary-91kd"
AXES = tuple(Axis(column=Column(name=name, kind=Kind.CATEGORY), labels=("u", "v")) for name in "ab")
ROW = st.tuples(st.sampled_from("xyz"), st.sampled_from(("u", "v", "", CANARY)), st.sampled_from("uv"))


def schema(*, most: int = 1, id_column: str | None = "who") -> Schema:
    return Schema(
        name="t",
        population="t",
        unit=Unit(max_rows=most, id_column=id_column),
        columns=tuple(axis.column for axis in AXES),
    )


@settings(max_examples=25, deadline=None)
@given(st.lists(st.lists(ROW, max_size=5), max_size=4), st.integers(1, 3))
def test_a_known_axis_gives_the_codes_that_its_texts_give(blocks: list[list], most: int) -> None:
    declared = schema(most=most)

    def columns(axes: tuple[Axis, ...]) -> list[list[int]]:
        rows = (
            {n: text_column([row[i] for row in block]) for i, n in enumerate(("who", "a", "b"))}
            for block in blocks
        )
        table = encode_columns(rows, declared, axes=axes, entropy=Rehearsal(5))
        assert set(table.coded) == set(axes)
        assert {axis.name for axis in table.coded} | set(table.texts) == {"a", "b"}
        codes = {axis.name: values for axis, values in table.coded.items()}
        for axis in AXES:
            if (column := table.texts.get(axis.name)) is not None:
                codes[axis.name] = encode(column.texts, axis, declared.file)[column.index]
        assert all(values.dtype == np.uint8 for values in codes.values())
        return [codes[axis.name].tolist() for axis in AXES]

    units = [row[0] for block in blocks for row in block]
    assert columns(()) == columns(AXES[:1]) == columns(AXES)
    assert len(columns(AXES)[0]) == sum(min(units.count(unit), most) for unit in set(units))


def test_a_long_column_grows_and_shows_nothing() -> None:
    block = {"a": text_column(["v"] * 50_000), "b": text_column([CANARY] * 50_000)}
    table = encode_columns([block] * 3, schema(id_column=None), axes=AXES[:1], entropy=Rehearsal(0))
    assert table.coded[AXES[0]].sum() == len(table.coded[AXES[0]]) == 150_000
    assert len(table.texts["b"].texts) == 1
    assert CANARY not in repr(table)


def test_a_unit_keeps_rows_at_random_and_equally_often() -> None:
    ids = np.array([0, 1, 0, 1, 0, 0], dtype=np.int32)
    draws = 3000
    kept = np.zeros(6)
    for _ in range(draws):
        rows = capped_rows(ids, np.zeros(6, dtype=bool), 2, entropy=OS_ENTROPY)
        assert Counter(ids[rows].tolist()) == {0: 2, 1: 2}
        kept[rows] += 1
    expected, sigma = draws / 2, (draws / 4) ** 0.5
    assert np.all(np.abs(kept[[0, 2, 4, 5]] - expected) < 6.5 * sigma)


def test_two_forms_of_an_id_are_one_unit() -> None:
    forms = ["José\u20131", " Jose\u0301-1", "José - 1", "O\u2019Neil", "O'Neil", "oneil"]
    wired = text_column([form.encode().decode("latin-1") for form in [*forms, "O\u2019Neil"]])
    many = wired.index.size
    block = {"id": wired, **dict.fromkeys("ab", text_column(["v"] * many))}
    unit = schema(id_column="id")
    table = encode_columns([block, block], unit, axes=AXES[:1], entropy=Rehearsal(0))
    assert len(table.coded[AXES[0]]) == 4 * unit.unit.max_rows


def test_what_one_unit_keeps_depends_on_no_other() -> None:
    most = 2
    ids = np.array([7, 7, 7, 9, 9, 9, 9], dtype=np.int32)
    both = capped_rows(ids, np.zeros(7, dtype=bool), most, entropy=Rehearsal(3))
    alone = capped_rows(ids[:3], np.zeros(3, dtype=bool), most, entropy=Prefix(Rehearsal(3), 56))
    assert both[both < 3].tolist() == alone.tolist()


class Prefix(Rehearsal):
    """Return the first bytes that a longer request to the same entropy would return."""

    def __init__(self, inner: Rehearsal, length: int) -> None:
        super().__init__(0)
        self._inner, self._length = inner, length

    def bytes(self, n: int) -> bytes:
        return self._inner.bytes(self._length)[:n]
