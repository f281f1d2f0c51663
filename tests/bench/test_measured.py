"""Figures of the benchmark for the app: means of the usual runs, with where they come from."""

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from synth.app.project.spend.measured import read
from synth.bench import measured
from synth.bench.measured import Folder, cells_of, document, main
from synth.bench.tables.tables import schema_of
from synth.bench.trials.results import FAILED, LAST, Record, write_csv
from synth.core.errors import Mistake

ONE = Record(table="adult", method="aim", epsilon=1.0, delta=1e-9, run=0, figure="tvd2", value=0.04)
SESSION = {
    "started": "2026-11-22 17:00 UTC",
    "command": "python -m synth bench --sets adult --out /somewhere/private",
    "machine": "x86_64 Chip",
    "cores": "1",
    "marginalia": "0.5.0",
    "commit": "abc",
}


def runs(method: str, *errors: float, **changes: Any) -> list[Record]:
    """All figures of a method, once for every error of pairs."""
    stated: list[Record] = []
    for run, error in enumerate(errors):
        figures = {"tvd1": error / 2, "tvd2": error, "tvd3": error * 2, "cpu_seconds": 3.0, "seconds": 30.0}
        for figure, value in (figures | {LAST: 40.0}).items():
            stated.append(replace(ONE, method=method, run=run, figure=figure, value=value, **changes))
    return stated


def found(name: str) -> Any:
    """A small table in the place of a public one."""
    schema = schema_of(name, {"a": 2, "b": 3, "c": 4}, ["c"])
    return SimpleNamespace(schema=schema, name=name)


@pytest.fixture(autouse=True)
def rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measured, "read", lambda table: SimpleNamespace(rows=123))


def test_a_cell_is_the_mean_over_its_runs_and_its_time_that_of_one_core() -> None:
    (cell,) = cells_of(runs("aim", 0.02, 0.04)).values()
    means = {"runs": 2, "columns": 0.015, "pairs": 0.03, "triples": 0.06, "seconds": 3.0}
    spreads = {"columns_spread": 0.007071, "pairs_spread": 0.01414, "triples_spread": 0.02828}
    assert cell == means | spreads
    (alone,) = cells_of(runs("aim", 0.02)).values()
    assert not [name for name in alone if "spread" in name]


def test_what_no_record_can_say_is_told_of_all_sessions_of_its_folder() -> None:
    """Records do not name their session: neither the last one's date nor its commit is theirs."""
    early = SESSION | {"started": "2026-11-21 09:00 UTC", "commit": "aaa", "command": "python -m synth bench"}
    last = SESSION | {"started": "2026-11-23 10:00 UTC", "marginalia": "0.6.0", "commit": "ccc"}
    folder = Folder(records=[*runs("aim", 0.02, 0.04), *runs("mst", 0.05)], sessions=(SESSION, early, last))
    (comparison,) = read(document([folder], find=found))
    (source,) = {f.source for f in comparison.findings}
    assert (source.started, source.until) == ("2026-11-21 09:00 UTC", "2026-11-23 10:00 UTC")
    assert (source.commit, source.version, source.sessions) == ("aaa, abc, ccc", "0.5.0, 0.6.0", 3)
    assert source.machine == "x86_64 Chip" and source.newest == source.until
    one = Folder(records=[], sessions=(SESSION,)).source
    assert one["started"] == SESSION["started"] and "until" not in one


def test_only_the_usual_runs_of_our_methods_count() -> None:
    assert not cells_of(runs("aim", 0.02, variant="rules"))
    assert not cells_of(runs("aim", 0.02, task="target-3way"))
    assert not cells_of(runs("mbi-mst", 0.02, part="peer"))
    assert not cells_of(runs("aim", 0.02, table="of-nobody"))
    assert not cells_of(runs("aim+gum", 0.02))
    assert not cells_of([*runs("aim", 0.02), replace(ONE, figure=FAILED, value=1.0)])
    assert not cells_of([ONE]), "a cell without a time"


def test_the_cell_with_more_runs_is_taken_and_of_equals_the_later_one() -> None:
    late = SESSION | {"started": "2026-11-23 09:00 UTC", "commit": "def"}
    first = Folder(records=[*runs("aim", 0.02, 0.04), *runs("mst", 0.05)], sessions=(SESSION,))
    second = Folder(records=[*runs("aim", 0.9), *runs("mst", 0.06)], sessions=(late,))
    for order in ([first, second], [second, first]):
        (comparison,) = read(document(order, find=found))
        by = comparison.by_method(workload=2)
        assert (by["aim"].pairs, by["aim"].source.commit) == (0.03, "abc")
        assert (by["mst"].pairs, by["mst"].source.commit) == (0.06, "def")


def test_what_is_written_tells_the_public_shape_and_never_where_results_were_put() -> None:
    folder = Folder(records=[*runs("aim", 0.02), *runs("mst", 0.03, task="all-3way")], sessions=(SESSION,))
    (comparison,) = read(document([folder], find=found))
    assert (comparison.shape.columns, comparison.shape.ordered, comparison.shape.rows) == (3, 1, 123)
    assert comparison.title == "Adult" and not comparison.is_invented
    finding = comparison.of("mst", workload=2)
    assert finding is not None and finding.workload == 3
    assert "somewhere" not in json.dumps(document([folder], find=found))


def test_a_folder_that_holds_no_benchmark_is_named(tmp_path: Path) -> None:
    with pytest.raises(Mistake, match="There is no benchmark in"):
        main([str(tmp_path)])


def test_the_command_writes_what_the_app_can_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_csv([*runs("aim", 0.02), *runs("mst", 0.03)], tmp_path / "results.csv")
    (tmp_path / "machine.json").write_text(json.dumps({"sessions": [SESSION]}))
    monkeypatch.setattr(measured.document, "__kwdefaults__", {"find": found})
    assert main([str(tmp_path), "--out", str(tmp_path / "to.json")]) == 0
    assert len(read(json.loads((tmp_path / "to.json").read_text()))) == 1
