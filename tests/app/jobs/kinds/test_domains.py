"""Columns are read off a file that is declared public, and off no other."""

from pathlib import Path

import pytest

from synth.app.jobs.kinds.domains import columns_in
from synth.core.errors import Mistake

CANARY = "canary-88wq"
READ = {"provenance": "read from file"}


def test_a_private_file_is_refused_by_the_process_itself(tmp_path: Path) -> None:
    place = tmp_path / "t.csv"
    place.write_text(f"age,ward\n3,{CANARY}\n", encoding="utf-8")
    for schema in ({}, {"file_is_public": False}, {"file_is_public": None}):
        with pytest.raises(Mistake, match="not read from a private file") as caught:
            columns_in(str(place), schema)
        assert CANARY not in str(caught.value)


def test_columns_are_read_in_their_own_form_which_they_keep(tmp_path: Path) -> None:
    place = tmp_path / "t.csv"
    place.write_text('pay,born,score\n"1.234,5",3.4.1999,7\n"2,5",31.12.1999,8\n-9,1.2.2000,-9\n')
    own = {"decimal_sign": ",", "thousands": ".", "missing": ["-9"]}
    columns = [{"name": "pay", "kind": None, **own}, {"name": "born", "date_order": "day-month-year"}]
    pay, born, score = columns_in(str(place), {"file_is_public": True, "columns": columns})
    assert pay == {"name": "pay", "kind": "decimal", "min": 2.5, "max": 1234.5, **own} | READ
    assert born.items() >= {"min": "1999-04-03", "max": "2000-02-01", **columns[1]}.items()
    assert (score["min"], score["max"]) == (-9, 8)
