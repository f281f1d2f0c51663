"""The default against its rivals: what counts as a win, and what is said of a loss."""

from dataclasses import replace

import pytest

from synth.bench.privacy.gate_verdict import Gate, Verdict
from synth.bench.report.comparison import findings, standings
from synth.bench.report.tally import outcomes_of
from synth.bench.trials.results import FAILED, Record
from synth.bench.trials.trial import Part

ONE = Record(table="adult", method="blend", epsilon=1.0, delta=1e-9, run=0, figure="tvd2", value=0.04)


def runs(method: str, *values: float, **changes: object) -> list[Record]:
    return [replace(ONE, method=method, run=i, value=v, **changes) for i, v in enumerate(values)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("ours", "theirs", "holds"),
    [
        ((0.03, 0.03), (0.04, 0.04), True),
        ((0.05, 0.05), (0.04, 0.04), False),
        ((0.044, 0.048), (0.030, 0.050), True),  # behind by 1.15, within two standard errors
        ((0.05,), (0.04,), False),  # one run has no noise to hide behind
    ],
)
def test_level_is_within_two_errors(ours: tuple[float, ...], theirs: tuple[float, ...], holds: bool) -> None:
    records = [*runs("blend", *ours), *runs("aim", *theirs), *runs("mst", 0.9, 0.9)]
    (one,) = standings(outcomes_of(records), Part.MECHANISM)
    assert (one.rival, one.holds) == ("aim", holds)
    assert one.ratio == pytest.approx(sum(ours) / len(ours) / 0.04)
    assert (one.noise is None) is (len(ours) == 1)


def test_only_the_same_cell_is_compared() -> None:
    others = [*runs("aim", 0.01, epsilon=10.0), *runs("aim", 0.01, table="nltcs")]
    others += [*runs("aim", 0.01, variant="rules"), *runs("aim", 0.01, part="peer")]
    assert not list(standings(outcomes_of([ONE, *others]), Part.MECHANISM))


def test_libraries_are_compared_in_error_time_and_memory() -> None:
    records = [*runs("blend", 0.04), *runs("dpmm-mst", 0.06, part="peer")]
    for figure, value in (("seconds", 2.0), ("peak_mb", 300.0)):
        records += runs("blend", value, figure=figure) + runs("dpmm-mst", 100.0, figure=figure, part="peer")
    found = {one.figure: one for one in standings(outcomes_of(records), Part.PEER)}
    assert found["seconds"].ratio == 0.02 and found["tvd2"].holds and not found["peak_mb"].holds
    (lost,) = findings(outcomes_of(records)).lost
    assert lost == "adult, epsilon 1: peak memory 300 MB, 3.00 times the 100 MB of dpmm-mst (one run)."


def test_the_summary_counts_cells_and_failures_are_named() -> None:
    records = [*runs("blend", 0.04), *runs("aim", 0.05), *runs("blend", 0.2, epsilon=0.1)]
    records += runs("aim", 0.1, epsilon=0.1)
    records += [replace(ONE, method="gem", figure=FAILED, note="stopped after 9 seconds")]
    stated = findings(outcomes_of(records))
    assert stated.own[0].startswith("2-way TVD: the default is first or level with the first in 1 of 2 cells")
    assert (
        "at most 2.00" in stated.own[0]
        and stated.own[1] == "Pairs and triples in the same cell: 1 of 2 cells."
    )
    assert stated.failed == ["adult, all-2way, epsilon 1: gem failed 1 times: stopped after 9 seconds."]


def test_what_does_not_pass_the_gate_beats_nothing() -> None:
    failed = Verdict(
        entry="dpmm-mst", versions="dpmm==0.1.9", command="", epsilon=1.0, delta=1e-5,
        draws=3, declared=0.03, spent=0.03, findings=("It was seen to fail.",),
    )  # fmt: skip
    peers = [record for name in ("dpmm-mst", "dpmm-aim") for record in runs(name, 0.01, part="peer")]
    stated = findings(outcomes_of([*runs("blend", 0.04), *peers]), Gate([failed]))
    assert not stated.lost and not stated.libraries
    assert stated.left_out == [
        "dpmm-mst: does not pass at the privacy gate.",
        "dpmm-aim: not judged at the privacy gate.",
    ]
