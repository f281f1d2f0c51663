"""Where a search among records begins, and what it goes on from."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from synth.core.domain import Domain
from synth.core.progress import Progress
from synth.core.zeros import Zero
from synth.models import pulse
from synth.models.base import Setting
from synth.models.estimates.consistency import consistent_tables
from synth.models.records.gum import GradualUpdates
from synth.models.records.record_search import Search, first_records, has_settled
from synth.models.records.record_table import RecordTable, count_of
from tests.models.examples import Kept, evidence_of

DOMAIN = Domain(("a", "b"), (2, 3))
FORBIDDEN = np.array([[False, False, False], [True, False, False]])
KNOWN = consistent_tables(evidence_of(DOMAIN, (), 9_000, zeros=[Zero(("a", "b"), FORBIDDEN)]))


def test_there_are_as_many_records_as_asked_or_as_there_seem_to_be() -> None:
    assert count_of(12, 9_000) == 12 and count_of(0, 9_000) == 9_000
    assert count_of(0, 3) == 2_000 and count_of(0, 1e7) == 100_000


def test_the_first_records_keep_zeros_and_those_of_an_earlier_table_are_taken_up() -> None:
    records = first_records(KNOWN, None, count=600, seed=0)
    assert not FORBIDDEN[records[0], records[1]].any()
    assert np.bincount(records[1], minlength=3).min() > 100
    earlier = RecordTable(KNOWN.coarsening, 3.0, np.array([[0, 2], [1, 1], [0, 2]]), True)
    again = first_records(KNOWN, earlier, count=6, seed=0)
    assert sorted(map(tuple, again.T.tolist())) == [(0, 2)] * 4 + [(1, 1)] * 2


def test_what_was_kept_is_found_by_the_same_fit_alone(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr(pulse, "PULSE_SECONDS", -1.0)
    kept, heard = Kept(), list[Progress]()

    def search(known=KNOWN, seed=0, rounds=50, records=40) -> tuple[Search, np.ndarray, int]:  # type: ignore[no-untyped-def]
        generator = GradualUpdates(records=records, rounds=rounds)
        own = Search(generator, known, known.tables, Setting(seed=seed, report=heard.append, checkpoint=kept))
        return own, *own.begun(rounds)

    own, records, begun = search()
    assert begun == 0
    moved = records[:, ::-1].copy()
    assert own.told(7, moved) == heard[0].loss and heard[0].steps == 7
    _, found, done = search()
    assert done == 7
    np.testing.assert_array_equal(found, moved)
    others = [dict(seed=1), dict(rounds=9), dict(records=41), dict(known=replace(KNOWN, total=8_999.0))]
    assert all(search(**other)[2] == 0 for other in others)


def test_a_search_has_settled_once_its_last_tenth_brought_little() -> None:
    assert has_settled([]) and has_settled([1.0])
    falling = [0.5**i for i in range(20)]
    assert not has_settled(falling) and has_settled(falling + [falling[-1]] * 5)
