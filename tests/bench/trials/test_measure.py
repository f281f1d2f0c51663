from __future__ import annotations

import pytest

from synth.bench.trials.measure import records_of
from synth.bench.trials.results import LAST
from synth.bench.trials.trial import REFERENCE, Part, Trial

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("town")]


def trial(part: Part, method: str, *, limit: float = 600.0, repeats: int = 1) -> Trial:
    promise = {} if part is Part.REFERENCE else {"epsilon": 8.0, "delta": 1e-9}
    return Trial(part=part, table="titanic", method=method, limit=limit, repeats=repeats, **promise)


def test_a_mechanism_gives_figures_and_an_end() -> None:
    asked = trial(Part.MECHANISM, "independent")
    records = records_of(asked)
    assert {"seconds", "peak_mb", "tvd2", "tvd3", "workload_error"} <= {r.figure for r in records}
    assert records[-1].figure == LAST and {r.key for r in records} == {asked.key}


def test_runs_of_a_method_that_share_a_process_have_a_number_each() -> None:
    asked = trial(Part.MECHANISM, "independent", repeats=3)
    records = records_of(asked)
    times = {r.run: r.value for r in records if r.figure == "seconds"}
    assert sorted(times) == [0, 1, 2] and len(set(times.values())) == 3
    assert asked.key in {r.key for r in records if r.figure == LAST}


def test_all_references_are_one_trial_with_its_runs() -> None:
    asked = trial(Part.REFERENCE, REFERENCE, repeats=2)
    records = records_of(asked)
    assert {(r.method, r.run) for r in records} == {(m, i) for m in ("bootstrap", "product") for i in (0, 1)}
    ended = {r.key for r in records if r.figure == LAST}
    assert asked.key in ended and all(r.epsilon is None for r in records)
