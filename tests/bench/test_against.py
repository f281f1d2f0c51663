"""A page read back: what it prints of other methods is what the default is held against."""

from __future__ import annotations

import sys
from itertools import product
from pathlib import Path

import pytest

from synth.bench import against
from synth.bench.report.report import html
from synth.bench.report.standing import standings
from synth.bench.report.tally import Outcome, outcomes_of
from synth.bench.trials.results import FAILED, Record, write_csv
from synth.bench.trials.trial import Part

TOLD = {"sessions": [{"started": "2026-11-21 04:00 UTC", "preset": "default", "command": "bench"}]}


def records(method: str, *values: float, table: str = "adult", epsilon: float = 1.0) -> list[Record]:
    return [
        Record(
            table=table,
            method=method,
            epsilon=epsilon,
            delta=1e-9,
            run=run,
            figure=figure,
            value=value * times,
        )
        for run, value in enumerate(values)
        for figure, times in (("tvd2", 1.0), ("tvd3", 2.0))
    ]


OTHERS = [
    *(
        r
        for t, e in product(("adult", "nltcs"), (0.1, 1.0))
        for r in records("aim", 0.2, 0.3, 0.25, table=t, epsilon=e)
    ),
    *records("mst", 0.1, 0.4),
    *records("grove", 0.5),
    Record(
        table="adult", method="gsd", epsilon=1.0, delta=1e-9, run=0, figure=FAILED, value=0.0, note="stopped"
    ),
]
DEFAULT = [*records("blend", 0.21, 0.22), *records("blend", 0.4, 0.4, table="nltcs", epsilon=0.1)]


def cells(outcomes: list[Outcome]) -> dict[tuple[object, ...], tuple[float | None, float | None]]:
    return {
        (o.table, o.method, o.epsilon, figure): (o.mean(figure), o.spread(figure))
        for o in outcomes
        for figure in ("tvd2", "tvd3")
        if o.mean(figure) is not None
    }


def test_what_a_page_prints_of_others_is_read_back_with_its_spread() -> None:
    found = cells(list(against.printed(html([*DEFAULT, *OTHERS], TOLD))))
    meant = cells(outcomes_of(OTHERS))
    assert found.keys() == meant.keys() and len(found) == 12
    for cell, (mean, spread) in meant.items():
        told_mean, told_spread = found[cell]
        assert told_mean == pytest.approx(mean, abs=5.1e-5), cell  # as printed
        assert told_spread == (None if spread is None else pytest.approx(spread, abs=1e-4)), cell


@pytest.mark.parametrize("runs", range(2, 8))
def test_so_many_runs_have_the_printed_mean_and_spread(runs: int) -> None:
    outcome = Outcome("adult", "all-2way", "", Part.MECHANISM, "aim", 1.0)
    outcome.figures["tvd2"] = against._runs("0.2500 (0.0310)", runs)
    assert outcome.runs == runs
    assert outcome.mean("tvd2") == pytest.approx(0.25)
    assert outcome.spread("tvd2") == pytest.approx(0.031)


def test_it_tells_what_all_figures_together_would(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.html"
    page.write_text(html([*records("blend", 9.0), *OTHERS], TOLD), encoding="utf-8")  # an older default
    write_csv(DEFAULT, tmp_path / "results.csv")
    monkeypatch.setattr(sys, "argv", ["against", str(tmp_path), str(page)])
    against.main()
    together = list(standings(outcomes_of([*DEFAULT, *OTHERS])))
    assert [one.holds for one in together] == [True, True, False, False]
    told = capsys.readouterr().out.splitlines()
    assert "in 1 of 2 cells" in told[0] and "In both at once: 1 of 2." in told
    assert sum("nltcs, epsilon 0.1" in line and "aim" in line for line in told) == 2
    assert any("both would hold in 1 to 1 of" in line for line in told)


def test_cells_that_hang_on_the_last_printed_digit_are_counted() -> None:
    for ours, told in ((0.20002, "0 to 1"), (0.19998, "0 to 1"), (0.2001, "0 to 0"), (0.1999, "1 to 1")):
        found = against.against(outcomes_of(records("blend", ours)), outcomes_of(records("aim", 0.2)))
        assert any(f"both would hold in {told} of" in line for line in found), ours
