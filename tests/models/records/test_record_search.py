"""Where a search among records begins, and what it goes on from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from synth.core.codebook import Codebook
from synth.core.domain import Domain
from synth.core.evidence import Evidence
from synth.core.progress import Progress
from synth.core.zeros import Zero
from synth.models import pulse
from synth.models.estimates.consistency import consistent_tables
from synth.models.records.gum import GradualUpdates
from synth.models.records.record_search import Told, count_of, first_records, has_settled
from synth.models.records.record_table import RecordTable

DOMAIN = Domain(("a", "b"), (2, 3))
FORBIDDEN = np.array([[False, False, False], [True, False, False]])
KNOWN = consistent_tables(
    Evidence(codebook=Codebook.plain(DOMAIN, zeros=[Zero(("a", "b"), FORBIDDEN)]), answers=(), total=9_000.0)
)


class Kept:
    def __init__(self) -> None:
        self.arrays: dict[str, np.ndarray] = {}

    def load(self) -> dict[str, np.ndarray]:
        return self.arrays

    def save(self, arrays: Mapping[str, np.ndarray]) -> None:
        self.arrays = dict(arrays)


def test_there_are_as_many_records_as_asked_or_as_there_seem_to_be() -> None:
    assert count_of(KNOWN, 12) == 12 and count_of(KNOWN, 0) == 9_000
    assert (
        count_of(replace(KNOWN, total=3.0), 0) == 2_000 and count_of(replace(KNOWN, total=1e7), 0) == 100_000
    )


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

    def told(known=KNOWN, seed=0, **options: int) -> Told:  # type: ignore[no-untyped-def]
        own = GradualUpdates(**options)
        return Told(own, known, seed=seed, report=heard.append, checkpoint=kept)

    records = first_records(KNOWN, None, count=40, seed=0)
    told().round(7, 50, 0.25, records)
    assert (heard[0].steps, heard[0].loss) == (7, 0.25) and heard[0].fact.startswith("25.00 %")
    found, done = told().saved(columns=2, count=40)
    assert done == 7 and found is not None
    np.testing.assert_array_equal(found, records)
    for other in (told(seed=1), told(rounds=9), told(known=replace(KNOWN, total=8_999.0))):
        assert other.saved(columns=2, count=40) == (None, 0)
    assert told().saved(columns=2, count=41) == (None, 0)


def test_a_search_has_settled_once_its_last_tenth_brought_little() -> None:
    assert has_settled([]) and has_settled([1.0])
    falling = [0.5**i for i in range(20)]
    assert not has_settled(falling) and has_settled(falling + [falling[-1]] * 5)
