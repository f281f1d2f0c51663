"""The default against our other methods: who is first, what is noise, and what is counted."""

from __future__ import annotations

import pytest

from synth.bench.report.standing import standings, summary, told_apart
from synth.bench.report.tally import Outcome, outcomes_of
from synth.bench.trials.results import Record


def records(method: str, *values: float, figure: str = "tvd2", **other: object) -> list[Record]:
    cell = {"table": "adult", "epsilon": 1.0, "delta": 1e-9, "part": "mechanism", **other}
    return [
        Record(method=method, run=run, figure=figure, value=value, **cell)  # type: ignore[arg-type]
        for run, value in enumerate(values)
    ]


def outcomes(*groups: list[Record]) -> list[Outcome]:
    return outcomes_of([record for group in groups for record in group])


def test_the_default_is_held_against_the_best_of_the_others() -> None:
    (one,) = standings(
        outcomes(records("blend", 2.0, 2.2), records("aim", 3.0, 3.0), records("mst", 4.0, 2.4))
    )
    assert (one.other, one.theirs, one.ours) == ("aim", 3.0, pytest.approx(2.1))
    assert one.holds and one.ratio == pytest.approx(0.7)


def test_behind_by_less_than_the_noise_is_level_and_by_more_is_not() -> None:
    ours = records("blend", 2.0, 2.2)  # a spread of .141, .1 for the mean of two
    (level,) = standings(outcomes(ours, records("aim", 1.91, 1.91)))
    (behind,) = standings(outcomes(ours, records("aim", 1.89, 1.89)))
    assert level.noise == pytest.approx(0.1)
    assert level.holds and not behind.holds
    assert str(behind) == (
        "adult, epsilon 1: 2-way TVD 2.10, 1.11 times the 1.89 of aim (2.1 standard errors)."
    )


def test_single_runs_have_no_noise_to_be_level_by() -> None:
    (one,) = standings(outcomes(records("blend", 2.0), records("aim", 1.99, 1.99)))
    assert one.noise is None and not one.holds and "(one run)" in str(one)


def test_cells_are_tables_at_an_epsilon_and_only_usual_runs_of_ours_count() -> None:
    found = list(
        standings(
            outcomes(
                records("blend", 1.0, 1.0),
                records("blend", 5.0, 5.0, epsilon=2.0),
                records("aim", 2.0, 2.0),
                records("aim", 4.0, 4.0, epsilon=2.0),
                records("mst", 0.1, 0.1, part="peer"),
                records("grove", 0.1, 0.1, variant="rules"),
                records("gsd", 0.1, 0.1, task="target-3way"),
            )
        )
    )
    assert [(one.epsilon, one.other, one.holds) for one in found] == [(1.0, "aim", True), (2.0, "aim", False)]


def test_without_the_default_or_without_others_nothing_is_said() -> None:
    assert list(standings(outcomes(records("aim", 1.0), records("mst", 2.0)))) == []
    assert list(standings(outcomes(records("blend", 1.0)))) == []
    assert summary([]) == []


def test_a_cell_holds_in_both_only_if_it_holds_in_each() -> None:
    triples = {"figure": "tvd3"}
    found = list(
        standings(
            outcomes(
                records("blend", 1.0, 1.0),
                records("aim", 2.0, 2.0),
                records("blend", 4.0, 4.0, **triples),
                records("aim", 2.0, **triples),
                records("blend", 1.0, 1.0, epsilon=2.0),
                records("aim", 0.5, 0.5, epsilon=2.0),
            )
        )
    )
    pairs, three, both, single = summary(found)
    assert "first or level with the first in 1 of 2 cells; its error is 1.00 times" in pairs
    assert "at most 2.00 times" in pairs and "in 0 of 1 cells" in three
    assert both == "In both at once: 0 of 2."
    assert single == "1 of the 3 comparisons are of one run, so that level means first there."


def test_level_by_noise_alone_is_told_where_the_gap_is_more_than_a_tenth() -> None:
    (noisy,) = standings(outcomes(records("blend", 1.0, 1.6), records("aim", 1.0, 1.0)))
    assert noisy.holds and noisy.hides and noisy.ratio == pytest.approx(1.3)
    assert summary([noisy])[-1] == "Of those counted as level 1 are behind by more than a tenth."
    (close,) = standings(outcomes(records("blend", 1.0, 1.1), records("aim", 1.0, 1.0)))
    (behind,) = standings(outcomes(records("blend", 1.3, 1.3), records("aim", 1.0, 1.0)))
    assert not close.hides and not behind.hides and "without any spread" in str(behind)


def test_two_errors_are_written_so_that_they_differ() -> None:
    assert told_apart(0.00031, 0.00029) == ("0.000310", "0.000290")
    assert told_apart(0.000300004, 0.0003) == ("0.000300004", "0.000300000")
    assert told_apart(0.5, 0.5) == ("0.500", "0.500")
