import json

import pytest

from synth.release.layout import (
    CHECKSUMS,
    CITATION,
    DATAPACKAGE,
    LICENSE,
    README,
    Layout,
    canonical,
    json_text,
    marked,
)


def test_contract_paths_of_a_release() -> None:
    assert Layout().csv == "data/synthetic.csv"
    assert Layout().statement == "privacy/statement.json"


def test_every_file_of_a_rehearsal_that_carries_results_says_so() -> None:
    plain = {DATAPACKAGE, README, LICENSE, CITATION}
    assert all(
        "REHEARSAL" in path.rpartition("/")[2] for path in Layout(rehearsal=True).files if path not in plain
    )
    assert not any("REHEARSAL" in path for path in Layout().files)
    assert "REHEARSAL" in Layout(rehearsal=True).zip_name("x")
    assert CHECKSUMS not in Layout().files


def test_a_rehearsal_says_so_where_it_is_named_alone() -> None:
    assert marked({"rehearsal": True}, "t") == "REHEARSAL, not a release: t"
    assert marked({"rehearsal": False}, "t") == "t"


def test_json_keeps_floats_and_refuses_what_json_does_not_know() -> None:
    assert json.loads(json_text({"x": 0.1 + 0.2}))["x"] == 0.1 + 0.2
    with pytest.raises(ValueError):
        json_text(float("nan"))


def test_canonical_text_does_not_depend_on_the_order_of_keys() -> None:
    assert canonical({"a": 1, "b": 2}) == canonical({"b": 2, "a": 1})
