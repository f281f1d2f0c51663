from __future__ import annotations

import csv
from pathlib import Path

from synth.bench.results import Record, machine, table_of, write_csv


def record(run: int, figure: str, value: float, *, method: str = "aim") -> Record:
    return Record(table="adult", method=method, epsilon=1.0, delta=1e-9, run=run, figure=figure, value=value)


RECORDS = [
    record(0, "tvd2", 0.04),
    record(1, "tvd2", 0.06),
    record(0, "seconds", 1.0),
    record(1, "seconds", 2.0),
    Record(table="adult", method="product", epsilon=None, delta=None, run=0, figure="tvd2", value=0.077),
]


def test_the_table_gives_means_and_spread_over_runs() -> None:
    header, aim, product = table_of(RECORDS).splitlines()
    assert header.split()[:4] == ["table", "method", "epsilon", "runs"]
    assert "0.0500 (0.0141)" in aim and "1.50" in aim and aim.split()[3] == "2"
    assert product.split()[:3] == ["adult", "product", "-"] and "0.0770" in product and "(" not in product


def test_the_csv_has_one_figure_per_line(tmp_path: Path) -> None:
    write_csv(RECORDS, tmp_path / "r.csv")
    rows = list(csv.DictReader((tmp_path / "r.csv").read_text().splitlines()))
    assert len(rows) == len(RECORDS)
    assert rows[1] == {
        "table": "adult",
        "method": "aim",
        "epsilon": "1.0",
        "delta": "1e-09",
        "run": "1",
        "figure": "tvd2",
        "value": "0.06",
    }
    assert rows[-1]["epsilon"] == ""


def test_the_machine_is_described_without_its_name_or_paths() -> None:
    found = machine()
    assert {"machine", "cores", "python", "commit", "numpy"} <= set(found)
    assert not any("/" in value for key, value in found.items() if key not in ("machine", "system"))
