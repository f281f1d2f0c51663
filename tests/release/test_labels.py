"""Labels, bands, finer codes and units: from the declaration through a release to every paper of it."""

from __future__ import annotations

import csv
import io
import shutil
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

import synth
from synth.release import csv_text, verify
from synth.release.opened import open_bundle

SCHEMA = {
    "name": "clinic",
    "population": "patients",
    "unit": {"max_rows": 1},
    "columns": [
        {"name": "sex", "kind": "category", "values": ["1", "2"], "labels": ["male", "=female"]}
        | {"blank": False, "write_labels": True},
        {"name": "ill", "kind": "category", "values": ["I", "J"], "labels": ["heart", "lung"], "blank": False}
        | {"reads": [["I*"], ["J*", "U07"]]},
        {"name": "age", "kind": "integer", "min": 0, "max": 120, "cuts": [18, 65], "blank": False}
        | {"labels": ["child", "adult", "old"], "measured_in": "years", "write_labels": True},
        {"name": "warm", "kind": "decimal", "min": 34.0, "max": 42.0, "decimals": 1, "bins": 8},
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
    lines = ["sex,ill,age,warm,day"]
    for _ in range(ROWS):
        sex = int(rng.integers(1, 3))
        ill = rng.choice(["I21", "I10", "I"]) if sex == 1 else rng.choice(["J45", "U07"])
        lines.append(
            f"{sex},{ill},{rng.integers(18, 65)},{rng.uniform(36, 38):.1f},2021-0{rng.integers(1, 9)}-11"
        )
    (place / "clinic.csv").write_text("\n".join(lines) + "\n")
    schema = synth.load_schema(SCHEMA)
    ledger = place / "ledger.sqlite"
    synth.open_budget(schema, epsilon=20, delta=1e-6, reason="a test", ledger=ledger)
    rules = ["if sex is 1 then ill is only I", "if ill is J then day is at least 2020-07-01"]
    budget = {"epsilon": 10, "delta": 1e-6, "ledger": ledger}
    result = synth.synthesize(place / "clinic.csv", schema, rules=rules, **budget)
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
    assert {row["age"] for row in rows} <= {"child", "adult", "old"}
    assert verify.verify(bundle).problems == ()


def test_bands_in_the_csv_are_those_of_the_values_beside_it(bundle: Path) -> None:
    table = pq.read_table(bundle / "data" / "synthetic.parquet").to_pandas()
    rows = list(csv.DictReader(io.StringIO((bundle / "data" / "synthetic.csv").read_text())))
    bands = ["child" if age < 18 else "adult" if age < 65 else "old" for age in table["age"]]
    assert [row["age"] for row in rows] == bands
    read = open_bundle(bundle).values
    assert read["age"].tolist() == table["age"].tolist(), "what rules are held against are the values"


def test_a_wrong_or_unnamed_band_is_noticed(bundle: Path, tmp_path: Path) -> None:
    axes = open_bundle(bundle).evidence.codebook.axes
    text = (bundle / "data" / "synthetic.csv").read_text()
    for wrong, found in (("old", 0), ("toddler", 1)):
        changed = text.replace(",adult,", f",{wrong},", 1)
        assert changed != text
        assert csv_text.read(changed, axes).outside["age"] == found
        place = tmp_path / wrong
        shutil.copytree(bundle, place)
        (place / "data" / "synthetic.csv").write_text(changed, newline="")
        assert (
            "The CSV file and the Parquet file of the synthetic table differ."
            in verify.verify(place).problems
        )
