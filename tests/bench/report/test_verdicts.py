from __future__ import annotations

from dataclasses import replace

from synth.bench.report.tally import Outcome, outcomes_of
from synth.bench.report.verdicts import broken, comparisons, losses
from synth.bench.trials.results import FAILED, Record


def figures(method: str, part: str, *runs: dict[str, float], epsilon: float | None = 1.0) -> list[Record]:
    return [
        Record(
            table="adult",
            method=method,
            epsilon=epsilon,
            delta=1e-9,
            run=i,
            figure=figure,
            value=value,
            part=part,
        )
        for i, told in enumerate(runs)
        for figure, value in told.items()
    ]


BLEND = figures("blend", "mechanism", {"seconds": 2.0, "tvd2": 0.03}, {"seconds": 4.0, "tvd2": 0.034})
FAST = figures("mbi-mst", "peer", {"seconds": 100.0, "tvd2": 0.06})
CLOSE = figures("dpmm-aim", "peer", {"seconds": 300.0, "tvd2": 0.04})


def lines(*groups: list[Record]) -> list[Outcome]:
    return outcomes_of([record for group in groups for record in group])


def test_time_is_set_against_the_fastest_and_error_against_the_most_accurate() -> None:
    (told,) = map(str, comparisons(lines(BLEND, FAST, CLOSE)))
    assert told.startswith("adult, epsilon 1, blend: ")
    assert "37.5 (25.0 to 50.0) times as fast as mbi-mst (3.00 s against 100.0 s)" in told
    assert "0.800 (0.750 to 0.850) times that of dpmm-aim (0.0400)" in told


def test_cpu_time_is_told_beside_the_clock() -> None:
    ours = figures("blend", "mechanism", {"seconds": 2.0, "cpu_seconds": 1.0})
    peer = figures("mbi-mst", "peer", {"seconds": 100.0, "cpu_seconds": 90.0})
    (told,) = map(str, comparisons(lines(ours, peer)))
    assert "50.0 times as fast as mbi-mst" in told
    assert "90.0 times less CPU time than mbi-mst (1.00 s against 90.0 s)" in told


def test_without_libraries_there_is_nothing_to_compare() -> None:
    assert list(comparisons(lines(BLEND))) == []


def test_winning_everywhere_is_no_loss() -> None:
    assert losses(lines(BLEND, FAST, CLOSE)).all == ()


def test_a_library_that_is_better_is_named_with_both_figures() -> None:
    better = figures("dpmm-aim", "peer", {"seconds": 1.0, "tvd2": 0.02})
    told = losses(lines(BLEND, FAST, better)).libraries
    assert len(told) == 2 and all("dpmm-aim" in line for line in told)
    assert any("2-way TVD" in line and "0.0200 against 0.0320" in line for line in told)
    assert any("time" in line and "1.00 s against 3.00 s" in line for line in told)


def test_the_default_is_held_against_our_own_methods_and_against_exact_columns() -> None:
    aim = figures("aim", "mechanism", {"tvd2": 0.025})
    product = figures("product", "reference", {"tvd2": 0.02}, epsilon=None)
    told = losses(lines(BLEND, aim, product))
    (own,), (exact,) = told.own, told.product
    assert "aim has a lower 2-way TVD than blend: 0.0250 against 0.0320" in own
    assert "product of exact columns (not private) has a lower 2-way TVD than aim" in exact


def test_failures_are_told_ours_as_losses_and_theirs_apart() -> None:
    def failed(method: str, part: str) -> list[Record]:
        return [
            Record(
                table="adult",
                method=method,
                epsilon=1.0,
                delta=1e-9,
                run=0,
                figure=FAILED,
                value=1.0,
                part=part,
                note="stopped after 60 seconds",
            )
        ]

    every = lines(BLEND, failed("aim", "mechanism"), failed("dpmm-aim", "peer"))
    assert "aim failed 1 times: stopped after 60 seconds." in losses(every).failures[0]
    assert list(broken(every)) == [
        "adult, epsilon 1: dpmm-aim gave no table in 1 runs: stopped after 60 seconds."
    ]


def test_a_workload_of_its_own_is_judged_by_its_own_error() -> None:
    def target(records: list[Record]) -> list[Record]:
        return [replace(r, task="target-3way") for r in records]

    blend = figures("blend", "mechanism", {"tvd2": 0.03, "workload_error": 0.2})
    aim = figures("aim", "mechanism", {"tvd2": 0.02, "workload_error": 0.3})
    assert losses(lines(target(blend), target(aim))).all == ()
    aim = figures("aim", "mechanism", {"tvd2": 0.04, "workload_error": 0.1})
    (told,) = losses(lines(target(blend), target(aim))).own
    assert (
        told
        == "adult, target-3way, epsilon 1: aim has a lower workload error than blend: 0.1000 against 0.2000."
    )
