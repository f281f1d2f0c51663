"""Further tables of a finished run, by the real process: from its answers alone, and for free."""

from contextlib import closing
from pathlib import Path

import pytest

from synth.app.jobs import runner
from synth.app.jobs.kinds import further
from synth.app.jobs.spec import place_of
from synth.app.jobs.store import State, Task
from synth.core.errors import Mistake
from synth.private.ledger import Ledger
from synth.release.opened import open_bundle
from synth.release.verify import verify


def test_a_further_table_needs_no_private_file_and_charges_nothing(finished, tmp_path):
    spec, task = finished.spec(), Task(tmp_path / "further", "further")
    with closing(Ledger(Path(spec.ledger))) as ledger:
        before = ledger.balance(spec.population)
    order = further.order(run=spec.run, generators=["independent"], rows=123)
    runner.begin(task, order)
    assert runner.wait(task, seconds=600).state is State.DONE
    place = place_of(spec, "independent")
    assert verify(place).ok
    assert len((place / "data" / "synthetic.csv").read_text().splitlines()) == 124
    first, other = open_bundle(spec.out).statement, open_bundle(place).statement
    assert other["claim"] == first["claim"]
    with pytest.raises(Mistake, match="already"):
        further.order(run=spec.run, generators=["independent"], rows=123)
    with closing(Ledger(Path(spec.ledger))) as ledger:
        assert ledger.balance(spec.population) == before
