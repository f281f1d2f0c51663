import json

import pytest

from synth.cli import main
from synth.private.ledger import Ledger
from tests.dates import more_than_the_day


@pytest.mark.parametrize("generator", ["refined", "independent"])
def test_another_table_costs_nothing_and_verifies(bundle, tmp_path, capsys, generator):
    ledger = Ledger(bundle.parent / "ledger.sqlite")
    before = ledger.balance("survey-2024")
    out = tmp_path / "again"
    given = ["--out", str(out), "--rows", "123", "--method-of-generation", generator]
    assert main(["regenerate", str(bundle), *given]) == 0
    assert "no budget was spent" in capsys.readouterr().out
    assert len((out / "data/synthetic.csv").read_text().splitlines()) == 124
    assert main(["verify", str(out)]) == 0 and more_than_the_day(out) == []
    assert ledger.balance("survey-2024") == before
    stated, first = (json.loads((p / "privacy/statement.json").read_text()) for p in (out, bundle))
    assert (stated["rho"], stated["spend"]) == (first["rho"], first["spend"])
    assert stated["method"]["generator"] == generator
    stands_for = [
        json.loads((p / "measurements/measurements.json").read_text())["total"] for p in (out, bundle)
    ]
    assert stands_for[0] == stands_for[1]


def test_what_is_not_a_bundle_or_not_a_generator_is_named(bundle, tmp_path, capsys):
    assert main(["regenerate", str(tmp_path), "--out", str(tmp_path / "x")]) == 2
    assert "no release package" in capsys.readouterr().err
    out = str(tmp_path / "y")
    assert main(["regenerate", str(bundle), "--out", out, "--method-of-generation", "magic"]) == 2
    assert "'magic'" in capsys.readouterr().err


@pytest.mark.parametrize("typed", ["--out", "--file"])
def test_a_place_that_cannot_be_written_to_is_no_fault_of_the_program(bundle, tmp_path, capsys, typed):
    (tmp_path / "file").touch()
    place = tmp_path / "file" / "rows.csv"
    assert main(["regenerate", str(bundle), typed, str(place)]) == 2
    err = capsys.readouterr().err
    assert f"{str(place)!r} cannot be written to (Not a directory)" in err and "The program failed" not in err


def test_options_of_a_generator_are_kept_and_what_is_none_is_named(bundle, tmp_path, capsys):
    out, again = tmp_path / "shrunken", tmp_path / "again"
    given = ["--generator", "refined", "--option", "ridge=5", "--rows", "50"]
    assert main(["regenerate", str(bundle), "--out", str(out), *given]) == 0
    assert main(["verify", str(out)]) == 0
    spec = json.loads((out / "config/spec.json").read_text())
    stated = json.loads((out / "privacy/statement.json").read_text())["method"]
    assert spec["generator_options"] == stated["generator_options"] == {"ridge": 5}
    assert main(["regenerate", str(out), "--out", str(again)]) == 0
    assert json.loads((again / "config/spec.json").read_text())["generator_options"] == {"ridge": 5}
    plain = json.loads((bundle / "config/spec.json").read_text())
    assert "generator_options" not in plain
    capsys.readouterr()
    for typed, said in (("magic=1", "magic"), ("ridge=-1", "Shrinkage"), ("ridge", "name=value")):
        place = str(tmp_path / "no")
        given = ["--generator", "refined", "--option", typed]
        assert main(["regenerate", str(bundle), "--out", place, *given]) == 2
        assert said in capsys.readouterr().err


def test_rows_alone_go_into_a_file_in_blocks(bundle, tmp_path, capsys):
    ledger = Ledger(bundle.parent / "ledger.sqlite")
    before, file = ledger.balance("survey-2024"), tmp_path / "rows.csv"
    assert main(["regenerate", str(bundle), "--file", str(file), "--rows", "321"]) == 0
    stated = capsys.readouterr()
    assert (
        "Wrote 321 rows" in stated.out
        and "no budget was spent" in stated.out
        and "321 of 321 rows" in stated.err
    )
    assert len(file.read_text().splitlines()) == 322 and (tmp_path / "rows.csv.checks.json").exists()
    assert ledger.balance("survey-2024") == before
    assert main(["regenerate", str(bundle), "--file", str(file)]) == 2
    assert "already" in capsys.readouterr().err
    assert main(["regenerate", str(bundle), "--file", str(tmp_path / "rows.xlsx")]) == 2
    with pytest.raises(SystemExit):
        main(["regenerate", str(bundle), "--file", str(tmp_path / "a.csv"), "--out", str(tmp_path / "b")])
