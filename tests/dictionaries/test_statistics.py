from pathlib import Path

import pandas as pd
import pytest

from synth.core.errors import Mistake
from synth.dictionaries import read_draft
from synth.dictionaries.drafts import Format
from tests.dictionaries.test_excel import columns


def test_labels_of_a_statistics_package_come_without_a_row(tmp_path: Path) -> None:
    pyreadstat = pytest.importorskip("pyreadstat")
    frame = pd.DataFrame({"sex": [1.0, 2.0], "mood": [1.0, 1.0], "age": [31.0, 77777.0], "who": ["x", "Bo"]})
    for suffix, write, more in (
        (".sav", pyreadstat.write_sav, {"variable_measure": {"mood": "ordinal", "age": "scale"}}),
        (".dta", pyreadstat.write_dta, {}),
    ):
        write(
            frame,
            str(tmp_path / f"t{suffix}"),
            column_labels=["Sex", "Mood", "Age", "Name"],
            variable_value_labels={"sex": {1: "male", 2: "female"}, "mood": {1: "low", 2: "high", 3: "top"}},
            **more,
        )
        draft = read_draft((tmp_path / f"t{suffix}").read_bytes(), name=f"t{suffix}")
        found = columns(draft)
        assert draft.format is Format.STATISTICS
        assert (found["sex"]["values"], found["sex"]["labels"]) == (["1", "2"], ["male", "female"])
        assert (found["mood"]["values"], found["sex"]["title"]) == (["1", "2", "3"], "Sex")
        assert found["mood"]["kind"] == ("ordered" if more else "category")
        assert "max" not in found["age"] and "values" not in found["who"]
        assert "77777" not in str(draft) and "Bo" not in str(draft)


def test_codes_for_missing_are_no_values(tmp_path: Path) -> None:
    pyreadstat = pytest.importorskip("pyreadstat")
    frame = pd.DataFrame({"mood": [1.0, 2.0], "age": [31.0, 999.0]})
    labels = {"mood": {1: "low", 2: "high", -9: "refused"}}
    ranges = {"mood": [{"lo": -9, "hi": -1}], "age": [999]}
    path = tmp_path / "t.sav"
    pyreadstat.write_sav(frame, str(path), variable_value_labels=labels, missing_ranges=ranges)
    found = columns(read_draft(path.read_bytes(), name=path.name))
    assert found["mood"]["values"] == ["1", "2"]
    assert found["mood"]["description"] == "Missing in the source: -9 (refused), -9 to -1."
    assert found["age"]["description"] == "Missing in the source: 999."
    path, labels = tmp_path / "t.dta", {"mood": {1: "low", "a": "refused"}}
    pyreadstat.write_dta(frame, str(path), variable_value_labels=labels, missing_user_values={"mood": ["a"]})
    found = columns(read_draft(path.read_bytes(), name=path.name))
    assert (found["mood"]["values"], found["mood"]["labels"]) == (["1"], ["low"])


def test_what_is_no_file_of_a_statistics_package_is_told() -> None:
    pytest.importorskip("pyreadstat")
    with pytest.raises(Mistake, match=r"'t\.sav' cannot be read as a file of SPSS"):
        read_draft(b"name,kind\na,category\n", name="t.sav")
