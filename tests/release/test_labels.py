"""Labels, bands, finer codes and units: from the declaration through a release to every paper of it."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

import synth
from synth.release import verify
from synth.schema_io import from_csv_dictionary

SCHEMA = {
    "name": "clinic",
    "population": "patients",
    "unit": {"max_rows": 1},
    "columns": [
        {
            "name": "sex",
            "kind": "category",
            "values": ["1", "2"],
            "labels": ["male", "=female"],
            "blank": False,
        }
        | {"write_labels": True},
        {"name": "ill", "kind": "category", "values": ["I", "J"], "labels": ["heart", "lung"], "blank": False}
        | {"reads": [["I*"], ["J*", "U07"]]},
        {"name": "age", "kind": "integer", "min": 0, "max": 120, "cuts": [18, 65], "blank": False}
        | {"labels": ["child", "adult", "old"], "measured_in": "years"},
        {"name": "day", "kind": "date", "min": "2020-01-01", "max": "2021-12-31", "blank": False}
        | {"cuts": ["2020-07-01"], "labels": ["before", "after"]},
    ],
}
ROWS = 4000


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of a table in which men have heart diseases, women others, and all are adults of 2021."""
    place = tmp_path_factory.mktemp("clinic")
    rng = np.random.default_rng(5)
    lines = ["sex,ill,age,day"]
    for _ in range(ROWS):
        sex = int(rng.integers(1, 3))
        ill = rng.choice(["I21", "I10", "I"]) if sex == 1 else rng.choice(["J45", "U07"])
        lines.append(f"{sex},{ill},{rng.integers(18, 65)},2021-0{rng.integers(1, 9)}-11")
    (place / "clinic.csv").write_text("\n".join(lines) + "\n")
    schema = synth.load_schema(SCHEMA)
    ledger = place / "ledger.sqlite"
    synth.open_line(schema, epsilon=20, delta=1e-6, reason="a test", ledger=ledger)
    result = synth.synthesize(place / "clinic.csv", schema, epsilon=10, delta=1e-6, ledger=ledger)
    return Path(synth.write_bundle(result, place / "release"))


def test_codes_of_a_finer_level_are_read_as_what_is_published(bundle: Path) -> None:
    table = pq.read_table(bundle / "data" / "synthetic.parquet").to_pandas()
    together = (table["sex"].astype(str) == "1") == (table["ill"].astype(str) == "I")
    assert together.mean() > 0.97
    assert table["age"].between(18, 64).mean() > 0.97
    assert (table["day"].astype(str) >= "2020-07-01").mean() > 0.97


def test_the_csv_holds_labels_where_they_are_asked_for_and_verifies(bundle: Path) -> None:
    rows = list(csv.DictReader(io.StringIO((bundle / "data" / "synthetic.csv").read_text())))
    assert {row["sex"] for row in rows} == {"male", "'=female"}, "no label can run in a spreadsheet"
    assert {row["ill"] for row in rows} == {"I", "J"}
    assert verify.verify(bundle).problems == ()


def test_every_paper_says_what_codes_and_bands_are_called(bundle: Path, tmp_path: Path) -> None:
    report = (bundle / "report" / "privacy_report.html").read_text()
    for word in ("male", "heart", "adult", "age (years)", "after"):
        assert word in report, word
    fields = {
        field["name"]: field
        for field in json.loads((bundle / "datapackage.json").read_text())["resources"][0]["schema"]["fields"]
    }
    assert [c["value"] for c in fields["sex"]["categories"]] == ["male", "'=female"]
    assert fields["ill"]["categories"][0] == {"value": "I", "label": "heart"}
    assert [band["label"] for band in fields["age"]["bands"]] == ["child", "adult", "old"]
    assert fields["age"]["unit"] == "years"
    again = from_csv_dictionary(bundle / "dictionary.csv", population="patients", max_rows=1)
    for column in synth.load_schema(SCHEMA).columns:
        read = again.column(column.name)
        for part in ("values", "labels", "reads", "cuts", "write_labels", "measured_in", "min", "max"):
            assert getattr(read, part) == getattr(column, part), (column.name, part)
