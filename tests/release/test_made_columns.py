"""Columns of the published table that are not modelled as they stand, from a file to a verified package."""

import io
import random
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import synth
from synth.analyst.conditions import conditions_in
from synth.core.errors import Mistake
from synth.core.numbers import about
from synth.core.schema import Schema
from synth.dictionaries import dump_schema, load_schema, read_draft
from synth.dictionaries.remarks import header_remarks
from synth.pipeline import refitted
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
    {"name": "hobby", "kind": "category", "values": ["sport", "art", "film"], "separator": ";"},
    {
        "name": "skill",
        "kind": "category",
        "values": ["c", "r"],
        "separator": "/",
        "blank": False,
        "joint": False,
    },
    {"name": "uses", "kind": "category", "values": [*"klmnopq", "x"], "separator": "|", "exclusive": "x"},
    {"name": "bus", "kind": "category", "values": [0, 1]},
    {"name": "walk", "kind": "category", "values": ["0", "1"], "blank": False},
    {"name": "left", "kind": "category", "values": ["X"]},
    {"name": "right", "kind": "category", "values": ["X"]},
    {
        "name": "region",
        "kind": "category",
        "values": ["n", "s", "w"],
        "totals": [200, 150, 61],
        "blank": False,
    },
    {"name": "sex", "kind": "ordered", "values": ["f", "m"], "totals": [211, 200], "blank": False},
    {"name": "p", "kind": "integer", "min": 0, "max": 100, "bins": 10},
    {"name": "q", "kind": "integer", "min": 0, "max": 100, "bins": 10, "limit": "100 - p"},
    {"name": "r", "kind": "integer", "formula": "100 - p - q"},
    {"name": "w", "kind": "decimal", "min": 0, "max": 20, "is_weight": True},
]
GROUPS = [
    {"name": "way", "columns": ["bus", "walk"]},
    {"name": "side", "columns": ["left", "right"], "chosen": "X", "at_most": True},
]
DOCUMENT = {
    "name": "t",
    "population": "p",
    "unit": {"max_rows": 1},
    "columns": COLUMNS,
    "groups": GROUPS,
}
RULES = (
    "if 'hobby: art' is yes then way is bus", "if side is none then 'skill: c' is yes",
    "never 'uses: k' is yes and 'uses: l' is yes", "if 'uses: x' is yes then 'hobby: film' is no",
)  # fmt: skip
ROWS = 400
WHOLE = dict.fromkeys(("a", "b", "total"), "Int64")


def write_table(path: Path) -> Path:
    draw = random.Random(1)
    lines = [",".join(column["name"] for column in COLUMNS)]
    for i in range(ROWS):
        a, b, born = draw.choice([*range(10), ""]), draw.randrange(3), draw.randrange(1950, 2001)
        visit = f"{draw.randrange(2010, 2021)}-03-04" if i % 9 else ""
        hobby = ";".join(draw.choice([["sport"], ["sport", "film"], ["art", "sport"], [], ["chess"]]))
        uses = draw.choice(["x", "", "k|q", "m|n|o|q", "l|p", "q|x"])
        hobby = "sport" if uses == "x" else hobby
        skill, side = draw.choice(["c", "r", "c/r", ""]), draw.choice(["X,", ",X", ","])
        way = "1,0" if "art" in hobby else draw.choice(["1,0", "0,1", "1,1", ",0"])
        skill = "c" if side == "," else skill
        lines.append(f"P-{i + 1:05d},0,{a},{b},{visit},{born},0,0,{i},{hobby},{skill},{uses},{way},{side},")
        p = draw.randrange(101)
        parts = f"{p},{100 - p if i % 2 else draw.randrange(101 - p)},0"
        lines[-1] += f"{draw.choice('nnnsw')},{'f' if i % 3 else 'm'},{parts},{10 * draw.random():.3f}"
    path.write_text("\n".join(lines))
    return path


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> tuple[Synthesis, Path]:
    folder = tmp_path_factory.mktemp("made")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MARGINALIA_HOME", str(folder / "home"))
        return run(write_table(folder / "t.csv"), load_schema(DOCUMENT))


def run(data: Path, schema: Schema) -> tuple[Synthesis, Path]:
    ledger = data.parent / "ledger.sqlite"
    synth.open_budget(schema, epsilon=20, delta=1e-9, reason="a test", ledger=ledger)
    made = synth.synthesize(
        data, schema, epsilon=5, delta=1e-9, method="mst", rules=RULES, ledger=ledger, most_unfit=1
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


def test_options_and_groups_are_written_as_in_the_file(released: tuple[Synthesis, Path]) -> None:
    _, out = released
    table = pd.read_csv(out / "data" / "synthetic.csv", dtype=str, keep_default_na=False)
    assert set(table["hobby"]) <= {
        "",
        "sport",
        "sport;film",
        "sport;art",
        "art",
        "film",
        "art;film",
        "sport;art;film",
    }
    assert set(table["skill"]) <= {"", "c", "r", "c/r"} and (table["hobby"] == "").mean() > 0.2
    assert set(zip(table["bus"], table["walk"], strict=True)) <= {("1", "0"), ("0", "1"), ("", "0")}
    assert set(zip(table["left"], table["right"], strict=True)) == {("X", ""), ("", "X"), ("", "")}
    assert (table["bus"][table["hobby"].str.contains("art")] != "0").all()
    uses = table["uses"]
    assert (uses == "x").mean() > 0.1 and (uses == "").mean() > 0.1 and uses.str.contains("q").mean() > 0.3
    assert not uses.str.contains("x")[uses != "x"].any() and not uses.str.contains(r"k\|l").any()
    assert not table["hobby"][uses == "x"].str.contains("film").any()
    assert table["skill"][(table["left"] + table["right"]) == ""].str.startswith("c").all()


def test_an_analyst_reads_the_rows_of_the_package_as_they_were_drawn(
    released: tuple[Synthesis, Path],
) -> None:
    made, out = released
    kit = synth.open(out)
    assert np.array_equal(kit.measured.released.codes, made.codes)
    table = made.table.head(40).assign(p=None)
    filled = kit.impute(table)
    assert filled.table["p"].notna().all() and "Columns of groups and multiple-choice" in filled.sentence
    left = ["hobby", "skill", "uses", "bus", "walk", "left", "right"]
    assert filled.table[left].equals(table[left])


def test_an_analyst_asks_about_options_by_the_name_of_the_column(
    released: tuple[Synthesis, Path],
) -> None:
    kit, cells = synth.open(released[1]), released[0].table["uses"].fillna("")
    released_rows = kit.measured.released.codes
    for given, expected in (
        ({"uses": "q"}, cells.str.contains("q").sum()),
        ({"uses: q": "no"}, ((cells != "") & ~cells.str.contains("q")).sum()),
        ({"uses": "q|k"}, (cells == "k|q").sum()),
        ({"uses": ["k", "l"]}, cells.str.contains("[kl]").sum()),
        ({"uses: k": True, "uses: q": "yes"}, cells.str.contains("k.*q").sum()),
        ({"uses": "x"}, (cells == "x").sum()),
        ({"uses": None}, (cells == "").sum()),
    ):
        found = np.ones(len(cells), dtype=bool)
        for one in conditions_in(given, kit.measured.codebook):
            found &= one.inner[released_rows[:, kit.measured.domain.axis(one.column)]]
        assert found.sum() == expected > 0, given
    with pytest.raises(Mistake, match=r"has no option 'z'\. Its options are: k, l"):
        conditions_in({"uses": "z"}, kit.measured.codebook)


def test_parts_sum_to_a_hundred(released: tuple[Synthesis, Path]) -> None:
    known = released[0].table[["p", "q", "r"]].dropna()
    assert len(known) > ROWS / 2 and (known.sum(axis=1) == 100).all() and (known >= 0).all(axis=None)
    assert (known["r"] == 0).any()


def test_strata_have_their_totals_and_weights_are_explained(released: tuple[Synthesis, Path]) -> None:
    made, out = released
    assert made.table["region"].value_counts().to_dict() == {"n": 200, "s": 150, "w": 61}
    assert made.table["sex"].value_counts().to_dict() == {"f": 211, "m": 200}
    assert f"add up to {about(made.table['w'].sum(), digits=6)}." in _report(out)


def _report(out: Path) -> str:
    return (out / Layout(rehearsal=False).plain_report).read_text()


def test_the_package_is_verified_and_describes_the_columns(released: tuple[Synthesis, Path]) -> None:
    _, out = released
    assert verify(out).problems == ()
    opened = open_bundle(out)
    assert (opened.codes == released[0].codes).all()
    assert (opened.coded().codes == released[0].codes).all()
    draft = read_draft((out / "dictionary.csv").read_bytes(), name="dictionary.csv").document["columns"]
    stated = {entry["name"]: entry for entry in draft}
    assert stated["region"]["totals"] == [200, 150, 61] and stated["w"]["is_weight"] is True
    assert stated["part"]["formula"] == "100 * a / total" and stated["id"]["id_format"] == "P-{:04d}"
    assert "year(visit)" in _report(out) and " one is " in _report(out)
    assert dump_schema(load_schema(DOCUMENT))["columns"][0]["id_format"] == "P-{:04d}"


@pytest.mark.parametrize(
    ("column", "said"),
    [
        ("id", "generated IDs"),
        ("total", "computed by its formula"),
        ("hobby", "do not fit the declaration"),
        ("q", "above its limit"),
        ("left", "outside its declared domain"),
    ],
)
def test_a_changed_cell_is_noticed(
    released: tuple[Synthesis, Path], tmp_path: Path, column: str, said: str
) -> None:
    files = dict(open_bundle(released[1]).files)
    frame = pd.read_csv(io.BytesIO(files["data/synthetic.csv"]), dtype=str, keep_default_na=False)
    frame[column] = "77"
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
        schema=schema, rules=parse_rules(list(RULES), schema), epsilon=5, delta=1e-9, method="mst", rows=950
    )
    write_rows(plan, made.evidence, refitted(plan, made.evidence), tmp_path / "more.csv")
    table = pd.read_csv(tmp_path / "more.csv", dtype=WHOLE)
    assert table["id"].tolist() == [f"P-{i + 1:04d}" for i in range(950)]
    assert table["total"].equals(table["a"] + table["b"])


def test_columns_that_are_made_need_not_be_in_the_file() -> None:
    schema = load_schema(DOCUMENT)
    names = [column.name for column in schema.read]
    assert "hobby" in names and "bus" in names and not {"total", "id", "key", "r"} & {*names}
    assert header_remarks(names, schema) == ()
    assert header_remarks(names[1:], schema) == ("Column 'a' is not in the header.",)
    (remark,) = header_remarks(["Person", "", "House"], schema)
    assert remark.startswith("None of the declared columns is in the header.")
