"""A change is told as a sentence: no name of a field, no null, no exponent, and nothing but what changed."""

from __future__ import annotations

import json
from dataclasses import asdict, fields
from pathlib import Path

import pytest

from synth.app.project import declared, inputs
from synth.app.project.store import Budget, Method, Project
from synth.core.options import options_of
from synth.dictionaries import document
from synth.mechanisms import MECHANISMS
from synth.models.registry import GENERATORS

SCHEMA = json.loads((Path(document.__file__).with_name("schema.schema.json")).read_text())["properties"]
OF_COLUMNS = sorted(SCHEMA["columns"]["items"]["properties"].keys() - {"name"})


def test_every_field_that_can_change_has_words_of_its_own() -> None:
    """Whatever a schema, a budget or a method can hold: a new field that is forgotten here fails."""
    tops = set(SCHEMA) - {"$schema", "columns", "unit", "file"}
    names = [f"schema {field}" for field in tops]
    names += [f"schema {part} {field}" for part in ("unit", "file") for field in SCHEMA[part]["properties"]]
    names += [f"column age: {field}" for field in OF_COLUMNS]
    names += [f"budget {f.name}" for f in fields(Budget) if f.name not in ("weights", "importance")]
    own = {"options", "generator_options"}
    names += [f"method {f.name}" for f in fields(Method) if f.name not in own]
    names += [f"budget weights {part}" for part in inputs.PARTS]
    for kind in (*MECHANISMS.values(), *GENERATORS.values()):
        names += [f"method options {f.name}" for f in options_of(kind)]
    stated = {name: inputs.called(name) for name in names}
    for name, words in stated.items():
        assert "_" not in words and words not in (name, name.replace("_", " ")), name
    plain = {name: words for name, words in stated.items() if "options" not in name}
    assert len(set(plain.values())) == len(plain)


@pytest.mark.parametrize(
    ("name", "before", "after", "said"),
    [
        ("budget rows_about", "null", "26000", "the rough number of rows was set to 26,000"),
        ("budget rows_about", "26000", "null", "the rough number of rows was removed"),
        ("budget delta", "1e-07", "1e-09", "delta was changed from 0.0000001 to 0.000000001"),
        ("column age: max", None, "99", "the largest value of column age was set to 99"),
        (
            "column age: blank",
            "true",
            "false",
            "the setting that allows missing values of column age was changed from yes to no",
        ),
        ("column code: title", "1.50", "2e3", "the title of column code was changed from 1.50 to 2e3"),
        ("schema title", "", "Town", "the table's title was set to Town"),
        ("rule 'x'", None, "stated", "the rule 'x' was added"),
        (
            """rule '{"because": "the law", "sentence": "if a is 1 then b is 2"}'""",
            None,
            "stated",
            "the rule 'if a is 1 then b is 2' (the law) was added",
        ),
        ("method name", "blend", "mst", "the method was changed from Blend to MST"),
        ("method rows", None, "500", "the number of rows to make was set to 500"),
    ],
)
def test_a_change_is_a_sentence(name: str, before: str | None, after: str | None, said: str) -> None:
    assert inputs.change(name, before, after) == said


def test_the_names_in_old_logs_still_compare() -> None:
    """They are kept on disk, so they are not for changing."""
    project: Project = declared.demo()
    names = inputs.inputs_of(project)
    assert {"budget rows_about", "method name", "schema population", "column age: max"} <= set(names)
    assert names["budget epsilon"] == json.dumps(asdict(project.budget)["epsilon"])
