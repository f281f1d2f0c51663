"""A release that starts from a public table."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from synth import pipeline
from synth.core.codebook import Codebook
from synth.core.discretisation import declared_axes
from synth.core.errors import Mistake
from synth.core.schema import Schema
from synth.dictionaries import load_schema
from synth.mechanisms import MECHANISMS
from synth.mechanisms.shared.recipe import followers
from synth.private.ledger import Ledger
from synth.release import bundle
from synth.release.opened import open_bundle
from synth.release.plan import Plan
from synth.release.reading.starting import MOST_ROWS, StartingTable, read_start
from synth.release.verify import verify
from synth.rules import parse_rules

COLUMNS: list[dict[str, Any]] = [
    {"name": "age", "kind": "integer", "min": 0, "max": 99, "bins": 10, "blank": False},
    {"name": "work", "kind": "category", "values": ["none", "paid", "own"]},
    {"name": "day", "kind": "date", "min": "2020-01-01", "max": "2020-12-31", "bins": 4},
    {"name": "size", "kind": "category", "values": [1, 2, 3], "blank": False},
]


@pytest.fixture
def schema() -> Schema:
    return load_schema({"name": "s", "population": "p", "unit": {"max_rows": 1}, "columns": COLUMNS})


@pytest.fixture
def public(tmp_path: Path) -> Path:
    path = tmp_path / "public.csv"
    lines = ["Size , extra,WORK,age", "1,x,paid,44", "2,y,own,9", "3,z,robot,120", "2,,,30"]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_columns_are_matched_by_name_and_unknown_cells_get_any_code(schema: Schema, public: Path) -> None:
    table = read_start(public, schema, source=" a public  sample\n")
    assert table.source == "a public sample" and table.absent == ("day",) and len(table.digest) == 64
    codebook = Codebook(schema=schema, axes=declared_axes(schema, parse_rules([], schema)))
    start, outside = table.encoded(codebook, seed=1)
    assert outside == {"age": 1, "work": 1}
    assert start.codes.shape == (4, 4) and (start.codes < np.array(codebook.domain.sizes)).all()
    assert start.codes[:, 3].tolist() == [0, 1, 2, 1] and start.codes[[0, 1, 3], 0].tolist() == [4, 0, 3]
    assert start.codes[:, 1].tolist() == [1, 2, 3, 3], "what is not declared is missing"
    assert np.array_equal(table.encoded(codebook, seed=1)[0].codes, start.codes)


def test_values_of_a_package_outside_the_domain_are_counted(schema: Schema) -> None:
    """The package has other domains: its numbers go further, and its days are texts."""
    values = {
        "age": [99, 100, None], "work": ["own", "robot", None], "day": ["spring"] * 3, "size": [3, 4, 1],
    }  # fmt: skip
    table = StartingTable(frame=pd.DataFrame(values), source="x", digest="0" * 64, absent=(), has_texts=False)
    codebook = Codebook(schema=schema, axes=declared_axes(schema, parse_rules([], schema)))
    start, outside = table.encoded(codebook, seed=1)
    assert outside == {"age": 1, "work": 1, "day": 3, "size": 1}
    assert start.codes[0, [0, 1, 3]].tolist() == [9, 2, 2] and start.codes[1, 1] == 3


def test_a_long_table_is_sampled(schema: Schema, tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    path.write_text("size\n" + "2\n" * (MOST_ROWS + 7))
    codebook = Codebook(schema=schema, axes=declared_axes(schema, parse_rules([], schema)))
    start, _ = read_start(path, schema, source="x").encoded(codebook, seed=1)
    assert len(start.codes) == MOST_ROWS and set(start.codes[:, 3].tolist()) == {1}


@pytest.mark.parametrize(
    ("content", "source", "words"),
    [
        (b"age\n1\n", " ", "--start-source"), (b"other\n1\n", "x", "none of the declared columns"),
        (b"age\n", "x", "no row"), (b"", "x", "no row"), (b"age,work\n1\n", "x", "too few or too many"),
        (b"age,AGE\n1,2\n", "x", "more than once"), (b"age\n\xff\n", "x", "not CSV text in UTF-8"),
        (None, "x", "no readable starting table"),
    ],
)  # fmt: skip
def test_a_table_that_cannot_be_used_is_refused(
    content: bytes | None, source: str, words: str, schema: Schema, tmp_path: Path
) -> None:
    path = tmp_path / "public.csv"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(Mistake, match=words):
        read_start(path, schema, source=source)


def test_every_other_method_and_generator_is_refused_by_name_before_anything_is_reserved(
    schema: Schema, public: Path, tmp_path: Path
) -> None:
    plan = Plan(schema=schema, rules=parse_rules([], schema), epsilon=1, delta=1e-5, method="blend")
    plan.check_starting_table()
    others = [{"method": name} for name in MECHANISMS if name != "blend"]
    others += [{"generator": name} for name in followers(MECHANISMS["blend"]) if name != "blend"]
    for other in others:
        words = "+".join(["blend", *other.values()]) if "generator" in other else other["method"]
        with pytest.raises(Mistake, match=re.escape(f"The method {words!r} cannot start from a public")):
            replace(plan, **other).check_starting_table()  # type: ignore[arg-type]
    ledger, data = Ledger(tmp_path / "ledger.sqlite"), tmp_path / "private.csv"
    ledger.open_population("p", units=10**14, reason="test", protects=schema.protects)
    data.write_text("age,work,day,size\n1,paid,2020-01-01,2\n")
    start = read_start(public, schema, source="a sample")
    with pytest.raises(Mistake, match="cannot start from a public table"):
        pipeline.release(replace(plan, method="mst"), data=data, ledger=ledger, run="r", start=start)
    assert not ledger.runs()


def test_the_package_has_the_start_and_repeats_the_table(
    schema: Schema, public: Path, tmp_path: Path
) -> None:
    """The second release starts from the package of the first one, whose source is its own name."""
    rng = np.random.default_rng(2)
    lines = [f"{a},{'paid' if a > 40 else 'none'},2020-0{d}-01,{s}" for a, d, s in zip(
        rng.integers(0, 99, 900), rng.integers(1, 9, 900), rng.integers(1, 4, 900), strict=True)]  # fmt: skip
    data = tmp_path / "private.csv"
    data.write_text("\n".join(["age,work,day,size", *lines]) + "\n")
    ledger = Ledger(tmp_path / "ledger.sqlite")
    ledger.open_population("p", units=10**14, reason="test", protects=schema.protects)
    plan = Plan(schema=schema, rules=parse_rules([], schema), epsilon=2, delta=1e-9, verdict=0.05, seed=3)
    start = read_start(public, schema, source="a <public> sample")
    for run in ("first", "second"):
        made = pipeline.release(plan, data=data, ledger=ledger, run=run, start=start)
        place = bundle.write(made, tmp_path / run)
        assert verify(place).problems == ()
        opened = open_bundle(place)
        kept = opened.evidence.start
        assert kept is not None and made.evidence.start is not None
        assert np.array_equal(kept.codes, made.evidence.start.codes) and kept.source == start.source
        again = pipeline.regenerate(
            replace(plan, rows=len(made.table)), opened.evidence, opened.privacy, first=opened
        )
        assert np.array_equal(again.codes, made.codes)
        assert (
            f"{start.source} ({len(kept.codes):,} rows used" in opened.statement["outside_the_guarantee"][-1]
        )
        start = read_start(place, schema)
    assert start.source.endswith("of s") and not start.absent
    statement = place / "privacy/statement.json"
    stated = json.loads(statement.read_text())
    stated["outside_the_guarantee"].pop()
    statement.write_text(json.dumps(stated))
    assert any("starting table" in problem for problem in verify(place).problems)
