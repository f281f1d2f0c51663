import csv
import io
from dataclasses import replace
from pathlib import Path

from synth.core.axis import Axis
from synth.core.discretisation import axis_of, resolve_axes
from synth.dictionaries import load_schema, read_draft
from synth.release.documents.dictionary import HEADINGS, write
from synth.release.synthesis import Synthesis
from synth.rules import parse_rules


def lines_of(text: str) -> dict[str, dict[str, str]]:
    return {line["name"]: line for line in csv.DictReader(io.StringIO(text))}


def test_every_column_with_its_domain_its_steps_and_where_it_is_known_from(synthesis: Synthesis) -> None:
    text = write(synthesis.evidence.codebook.axes)
    assert text.splitlines()[0] == ",".join(HEADINGS)
    lines = lines_of(text)
    assert set(lines) == {"age", "marital", "income", "joined", "school", "ward", "'@note"}
    assert lines["age"]["min"] == "0" and lines["age"]["bins"] == "20"
    assert lines["age"]["starts"].split("|")[:4] == ["0", "5", "10", "15"]
    assert lines["joined"]["starts"].startswith("2011-01-01|")
    assert lines["school"]["blank"] == "no" and lines["age"]["blank"] == "yes"
    assert lines["'@note"]["outside"] == "other: Other" and lines["age"]["outside"] == "clamp"
    assert {line["known from"] for line in lines.values()} == {"not stated"}


def test_the_source_of_a_domain_survives_a_dictionary(estimated: Synthesis, tmp_path: Path) -> None:
    place = tmp_path / "dictionary.csv"
    place.write_text(write(estimated.evidence.codebook.axes), newline="")
    again = read_draft(place.read_bytes(), name="t.csv").completed(population="p", max_rows=1)
    assert [c.provenance for c in again.columns] == [c.provenance for c in estimated.schema.columns]
    assert {"estimated with budget", "not stated"} == {c.provenance.value for c in again.columns}


def test_what_is_exported_is_what_is_read_again() -> None:
    yes_no = {"kind": "category", "values": ["0", "1"]}
    columns = [
        {"name": "age", "kind": "integer", "min": 0, "max": 99, "outside": "missing", "missing": ["-9"]},
        {"name": "bus", **yes_no},
        {"name": "walk", **yes_no},
        {"name": "ward", "kind": "category", "values": ["a", "b"], "outside": "other", "other_label": "else"},
        {"name": "likes", "kind": "category", "values": ["x", "y"], "separator": ";"},
        {"name": "cost", "kind": "integer", "min": 0, "max": 9, "decimal_sign": ",", "thousands": ""},
        {"name": "pay", "kind": "integer", "min": 0, "max": 9, "decimal_sign": ",", "thousands": "."},
        {
            "name": "day",
            "kind": "date",
            "min": "2020-01-01",
            "max": "2020-12-31",
            "date_order": "day-month-year",
        },
        {"name": "stars", "kind": "decimal", "min": 0, "max": 1e17},  # too long for decimals
        {"name": "months", "kind": "integer", "formula": "12 * age"},
    ]
    groups = [{"name": "way", "columns": ["bus", "walk"], "chosen": "1", "at_most": True}]
    unit = {"max_rows": 1}
    document = {"name": "t", "population": "p", "unit": unit, "columns": columns, "groups": groups}
    schema = load_schema(document)
    axes = [Axis(column=column) if column.formula else axis_of(column) for column in schema.published]
    text = write(axes, groups=schema.groups)
    again = read_draft(text.encode(), name="t.csv").completed(population="p", max_rows=1)
    assert again.groups == schema.groups
    for before, after in zip(schema.columns, again.columns, strict=True):
        if before.outside is None and not before.formula:
            before = replace(before, outside=before.outside_rule)
        assert replace(after, provenance=before.provenance) == before


def test_no_label_code_or_unit_can_run_in_a_spreadsheet_and_all_come_back(tmp_path: Path) -> None:
    begins = {"labels": ["=1+1", "two"], "reads": [["+3"], []], "write_labels": True}
    banded = {"cuts": [5], "labels": ["@low", "high"], "measured_in": "-cmd"}
    schema = load_schema(
        {
            "name": "t",
            "population": "p",
            "unit": {"max_rows": 1},
            "columns": [
                {"name": "a", "kind": "category", "values": ["1", "2"], **begins},
                {"name": "b", "kind": "integer", "min": 0, "max": 9, **banded},
            ],
        }
    )
    text = write(resolve_axes(schema, parse_rules([], schema)))
    assert not any(cell[:1] in tuple("=+-@") for line in csv.reader(io.StringIO(text)) for cell in line)
    again = read_draft(text.encode(), name="d.csv").completed(population="p", max_rows=1)
    for column in schema.columns:
        read = again.column(column.name)
        assert (read.labels, read.reads, read.measured_in) == (
            column.labels,
            column.reads,
            column.measured_in,
        )
