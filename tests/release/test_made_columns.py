"""Columns of the published table that are not modelled as they stand, from a file to a verified package."""

import io
import random
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import synth
from synth.core.schema import Schema
from synth.dictionaries import dump_schema, load_schema, read_draft
from synth.release.bundle import checksums
from synth.release.drawing import Drawing
from synth.release.layout import Layout
from synth.release.opened import open_bundle
from synth.release.plan import Plan
from synth.release.rows import write_rows
from synth.release.synthesis import Synthesis
from synth.release.verify import verify
from synth.rules import parse_rules

COLUMNS: list[dict[str, Any]] = [
    {"name": "id", "kind": "drop", "id_format": "P-{:04d}"},
    {"name": "total", "kind": "integer", "formula": "a + b"},
    {"name": "a", "kind": "integer", "min": 0, "max": 9},
    {"name": "b", "kind": "category", "values": [0, 1, 2]},
    {"name": "visit", "kind": "date", "min": "2010-01-01", "max": "2020-12-31"},
    {"name": "birth year", "kind": "integer", "min": 1950, "max": 2000},
    {"name": "age", "kind": "integer", "formula": "year(visit) - 'birth year'"},
    {"name": "part", "kind": "decimal", "formula": "100 * a / total", "decimals": 1},
    {"name": "key", "kind": "drop", "id_format": "uuid"},
]
DOCUMENT = {"name": "t", "population": "p", "unit": {"max_rows": 1}, "columns": COLUMNS}
ROWS = 400
WHOLE = dict.fromkeys(("a", "b", "total"), "Int64")


def write_table(path: Path) -> Path:
    draw = random.Random(1)
    lines = ["id,total,a,b,visit,birth year,age,part,key"]
    for i in range(ROWS):
        a, b, born = draw.choice([*range(10), ""]), draw.randrange(3), draw.randrange(1950, 2001)
        visit = f"{draw.randrange(2010, 2021)}-03-04" if i % 9 else ""
        lines.append(f"P-{i + 1:05d},0,{a},{b},{visit},{born},0,0,{i}")
    path.write_text("\n".join(lines))
    return path


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> tuple[Synthesis, Path]:
    folder = tmp_path_factory.mktemp("made")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MARGINALIA_HOME", str(folder / "home"))
        return run(write_table(folder / "t.csv"), load_schema(DOCUMENT))


def run(data: Path, schema: Schema, *, rules: tuple[str, ...] = ()) -> tuple[Synthesis, Path]:
    ledger = data.parent / "ledger.sqlite"
    synth.open_budget(schema, epsilon=20, delta=1e-9, reason="a test", ledger=ledger)
    made = synth.synthesize(
        data, schema, epsilon=5, delta=1e-9, method="independent", rules=rules, ledger=ledger
    )
    return made, synth.write_bundle(made, data.parent / "out")


def test_the_table_has_the_columns_of_the_file_with_computed_values_and_new_ids(
    released: tuple[Synthesis, Path],
) -> None:
    _, out = released
    table = pd.read_csv(out / "data" / "synthetic.csv", dtype=WHOLE)
    assert list(table) == [column["name"] for column in COLUMNS]
    assert table["total"].equals(table["a"] + table["b"]) and table["total"].isna().any()
    age = table["visit"].str[:4].astype(float) - table["birth year"]
    assert table["age"].equals(age) and age.isna().any()
    part = (100 * table["a"] / table["total"]).astype(float)
    assert ((table["part"] - part).abs().fillna(0) <= 0.05 + 1e-9).all()
    assert (table["part"].isna() == part.isna()).all()
    assert table["id"].tolist() == [f"P-{i + 1:04d}" for i in range(len(table))]
    assert table["key"].is_unique and table["key"].str.fullmatch(r"[0-9a-f-]{36}").all()


def test_the_package_is_verified_and_describes_the_columns(released: tuple[Synthesis, Path]) -> None:
    _, out = released
    assert verify(out).problems == ()
    draft = read_draft((out / "dictionary.csv").read_bytes(), name="dictionary.csv").document["columns"]
    told = {entry["name"]: entry for entry in draft}
    assert told["part"]["formula"] == "100 * a / total" and told["id"]["id_format"] == "P-{:04d}"
    assert "year(visit)" in (out / Layout(rehearsal=False).plain_report).read_text()
    assert dump_schema(load_schema(DOCUMENT))["columns"][0]["id_format"] == "P-{:04d}"


@pytest.mark.parametrize(("column", "said"), [("id", "generated ids"), ("total", "computed by its formula")])
def test_a_changed_cell_is_noticed(
    released: tuple[Synthesis, Path], tmp_path: Path, column: str, said: str
) -> None:
    files = dict(open_bundle(released[1]).files)
    frame = pd.read_csv(io.BytesIO(files["data/synthetic.csv"]), dtype=str, keep_default_na=False)
    frame.loc[0, column] = "77"
    files["data/synthetic.csv"] = frame.to_csv(index=False, lineterminator="\r\n").encode()
    del files["CHECKSUMS.sha256"]
    files["CHECKSUMS.sha256"] = checksums(files).encode()
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    assert any(said in problem for problem in verify(tmp_path).problems)


def test_rows_in_blocks_have_ids_of_their_own(
    released: tuple[Synthesis, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(Drawing.blocks.__kwdefaults__, "most", 100)
    made, _ = released
    schema = load_schema(DOCUMENT)
    plan = Plan(
        schema=schema, rules=parse_rules([], schema), epsilon=5, delta=1e-9, method="independent", rows=950
    )
    write_rows(plan, made.evidence, made.model, tmp_path / "more.csv")
    table = pd.read_csv(tmp_path / "more.csv", dtype=WHOLE)
    assert table["id"].tolist() == [f"P-{i + 1:04d}" for i in range(950)]
    assert table["total"].equals(table["a"] + table["b"])
