import csv
import gzip
from pathlib import Path

import pytest

from synth.bench.trials.results import FAILED, LAST, Record, Results, is_there, read_csv, write_csv
from synth.core.errors import Mistake


def record(run: int, figure: str, value: float, *, method: str = "aim", note: str = "") -> Record:
    return Record(
        table="adult", method=method, epsilon=1.0, delta=1e-9, run=run, figure=figure, value=value, note=note
    )


FIRST = [record(0, "tvd2", 0.04), record(0, LAST, 3.0)]
SECOND = [record(1, "tvd2", 0.1 + 0.2), record(1, LAST, 3.0)]
REFERENCE = Record(
    table="adult", method="product", epsilon=None, delta=None, run=0, figure="tvd2", value=0.077
)


def test_what_is_written_is_read_back_exactly(tmp_path: Path) -> None:
    stated = [*FIRST, *SECOND, REFERENCE, record(2, FAILED, 1.0, note='stopped, after "60" seconds')]
    write_csv(stated, tmp_path / "r.csv")
    assert read_csv(tmp_path / "r.csv") == stated
    rows = list(csv.DictReader((tmp_path / "r.csv").read_text().splitlines()))
    assert rows[0]["figure"] == "tvd2" and rows[0]["epsilon"] == "1.0" and rows[4]["epsilon"] == ""


def test_a_file_that_is_kept_compressed_is_read_as_well(tmp_path: Path) -> None:
    at = tmp_path / "r.csv"
    assert not is_there(at)
    write_csv(FIRST, at)
    (tmp_path / "r.csv.gz").write_bytes(gzip.compress(at.read_bytes()))
    at.unlink()
    assert is_there(at) and read_csv(at) == FIRST


def test_a_file_that_grew_is_taken_up_where_it_ended(tmp_path: Path) -> None:
    at = tmp_path / "r.csv"
    results = Results(at)
    results.add(FIRST)
    results.add(SECOND)
    again = Results(at)
    assert again.records == [*FIRST, *SECOND]
    assert again.finished() == {FIRST[0].key, SECOND[0].key}


@pytest.mark.parametrize("cut", [2, 20, 60])
def test_a_trial_that_was_cut_off_is_measured_again(tmp_path: Path, cut: int) -> None:
    at = tmp_path / "r.csv"
    results = Results(at)
    results.add(FIRST)
    results.add(SECOND)
    text = at.read_text()
    at.write_text(text[:-cut])
    assert Results(at).finished() == {FIRST[0].key}
    assert read_csv(at) == FIRST


def test_a_file_of_another_kind_is_a_mistake(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text("a,b\n1,2\n")
    with pytest.raises(Mistake, match=r"r\.csv"):
        Results(tmp_path / "r.csv")
    assert (tmp_path / "r.csv").read_text() == "a,b\n1,2\n"
