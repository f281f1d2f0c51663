from __future__ import annotations

from synth.bench.report.grid import grids, parts_of
from synth.bench.report.tally import outcomes_of
from synth.bench.trials.results import Record

NAMES = [f"{s}+{g}" for s in ("aim", "mst", "mwem+compress") for g in ("gum", "network", "copula")]
OUTCOMES = outcomes_of(
    Record(table="adult", method=name, epsilon=1.0, delta=1e-9, run=0, figure="tvd2", value=0.01 * (i + 1))
    for i, name in enumerate(NAMES)
)


def test_selections_stand_down_and_generators_across_with_the_best_of_a_row() -> None:
    (grid,) = grids(OUTCOMES, OUTCOMES)
    assert grid.generators == ("gum", "network", "copula") and grid.title == "adult, epsilon 1"
    assert list(grid.rows) == ["aim", "mst", "mwem+compress"] and grid.best["aim"] == 0
    assert grid.is_single and grid.cell(grid.rows["mst"][1]) == "0.0500" and grid.cell(None) == "-"


def test_what_does_not_count_is_best_of_no_row() -> None:
    (grid,) = grids(OUTCOMES, [one for one in OUTCOMES if one.method != "aim+gum"])
    assert grid.best["aim"] == 1 and grid.rows["aim"][0] is not None
    (none,) = grids(OUTCOMES, [])
    assert set(none.best.values()) == {None}


def test_fewer_than_three_selections_or_generators_make_no_grid() -> None:
    assert list(grids(OUTCOMES[:8], OUTCOMES)) == []


def test_a_method_without_a_named_generator_has_its_own() -> None:
    assert parts_of("aim+compress") == ("aim+compress", parts_of("aim")[1])
    assert parts_of("aim+compress+gum") == ("aim+compress", "gum")
