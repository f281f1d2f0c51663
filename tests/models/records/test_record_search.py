"""Initial records of a search, and records from which a search continues."""

import numpy as np

from synth.core.domain import Domain
from synth.core.zeros import Zero
from synth.models.estimates.consistency import consistent_tables
from synth.models.records.record_search import first_records, has_settled
from synth.models.records.record_table import RecordTable, count_of
from tests.models.examples import evidence_of

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


def test_a_search_has_settled_once_its_last_tenth_brought_little() -> None:
    assert has_settled([]) and has_settled([1.0])
    falling = [0.5**i for i in range(20)]
    assert not has_settled(falling) and has_settled(falling + [falling[-1]] * 5)
