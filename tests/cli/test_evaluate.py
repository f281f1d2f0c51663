import json

import pytest

from synth.cli import main


def test_the_stewards_numbers_come_under_a_mark_and_change_no_bundle(bundle, capsys):
    before = {p: p.stat().st_mtime_ns for p in bundle.rglob("*")}
    folder = bundle.parent
    given = [str(bundle), "--data", str(folder / "t.csv")]
    given += ["--holdout", str(folder / "holdout.csv"), "--target", "status"]
    assert main(["evaluate", *given]) == 0
    mark, numbers = capsys.readouterr().out.split("\n", 1)
    assert mark.startswith("NOT PRIVATE")
    stated = json.loads(numbers)
    assert 0 < stated["tvd"]["1-way"] < stated["tvd"]["2-way"] < 0.5
    assert [found["target"] for found in stated["utility"]] == ["status"]
    assert {p: p.stat().st_mtime_ns for p in bundle.rglob("*")} == before


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (["--target", "status"], "needs both"),
        (["--holdout", "no.csv", "--target", "mood"], "no column 'mood'"),
        (["--data", "no.csv"], "No table found at 'no.csv'"),
    ],
)
def test_mistakes_are_named(bundle, capsys, change, said):
    given = [str(bundle), "--data", str(bundle.parent / "t.csv")]
    assert main(["evaluate", *given, *change]) == 2
    assert said in capsys.readouterr().err
