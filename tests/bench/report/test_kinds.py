from __future__ import annotations

from dataclasses import replace

import pytest

from synth.bench.report.kinds import OTHER, first_of_each, kind_of, ranked
from synth.bench.report.tally import outcomes_of
from synth.bench.tables.tables import SETS
from synth.bench.trials.results import Record


def record(table: str, method: str, value: float, part: str = "mechanism") -> Record:
    return Record(
        table=table, method=method, epsilon=1.0, delta=1e-9, run=0, figure="tvd2", value=value, part=part
    )


RECORDS = [
    *(record("adult", m, e) for m, e in {"blend": 0.03, "aim": 0.04, "mst": 0.05}.items()),
    *(record("titanic", m, e) for m, e in {"blend": 0.15, "aim": 0.14}.items()),
    *(record("nltcs", m, e) for m, e in {"blend": 0.01, "aim": 0.02}.items()),
    record("adult", "dpmm-mst", 0.001, part="peer"),
]


@pytest.mark.parametrize(
    ("table", "kind"),
    [
        ("adult", "names and numbers mixed"),
        ("gauss50-32-bins", "numbers in order"),
        ("bank-ordered-split", "numbers in order"),
        ("chain-50", "invented, sparse"),
        ("factor-mixture", "invented, dense"),
        ("survey", "numbers in order"),
        ("survey-split", "numbers in order"),
        ("multi50", "numbers in order"),
        ("strokes", "numbers in order"),
        ("orders", "numbers in order"),
        ("xor-blocks", "two codes a column"),
        ("parity-3", "two codes a column"),
        ("codes", "names alone"),
        ("adult-10000-rows", "names and numbers mixed"),
        ("somewhere", OTHER),
    ],
)
def test_a_table_has_the_kind_of_its_longest_name(table: str, kind: str) -> None:
    assert kind_of(table) == kind


def test_a_kind_is_ranked_by_cells_that_all_have_and_libraries_are_none_of_ours() -> None:
    ranks = list(ranked(outcomes_of(RECORDS)))
    mixed = {one.method: (one.rank, one.cells, one.firsts) for one in ranks if "mixed" in one.kind}
    assert mixed == {"blend": (1.5, 2, 1), "aim": (1.5, 2, 1)}
    assert [one.method for one in first_of_each(ranks)] == ["aim", "blend"]


def test_firsts_by_single_runs_say_so() -> None:
    (first, _) = first_of_each(list(ranked(outcomes_of(RECORDS))))
    assert str(first).endswith("first in 1 of 2 (by one run).")
    again = [replace(r, run=1) for r in RECORDS]
    assert not any("one run" in str(one) for one in ranked(outcomes_of([*RECORDS, *again])))


def test_every_table_that_is_known_has_a_kind() -> None:
    assert OTHER not in {kind_of(name) for name in (*SETS, "chain-20", "adult-1000-rows")}


def test_a_method_alone_is_first_of_nothing() -> None:
    assert list(ranked(outcomes_of(RECORDS[:1]))) == []
