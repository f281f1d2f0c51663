"""Which rows of a unit stay: at random, and whatever others hold."""

from collections import Counter

import numpy as np

from synth.private.encoding.cap import capped_rows
from synth.private.entropy import OS_ENTROPY, Rehearsal


def test_a_unit_keeps_rows_at_random_and_equally_often() -> None:
    ids = np.array([0, 1, 0, 1, 0, 0], dtype=np.int32)
    draws = 3000
    kept = np.zeros(6)
    for _ in range(draws):
        rows = capped_rows(ids, np.zeros(6, dtype=bool), 2, entropy=OS_ENTROPY)
        assert Counter(ids[rows].tolist()) == {0: 2, 1: 2}
        kept[rows] += 1
    expected, sigma = draws / 2, (draws / 4) ** 0.5
    assert np.all(np.abs(kept[[0, 2, 4, 5]] - expected) < 6.5 * sigma)


def test_what_one_unit_keeps_depends_on_no_other() -> None:
    most = 2
    ids = np.array([7, 7, 7, 9, 9, 9, 9], dtype=np.int32)
    both = capped_rows(ids, np.zeros(7, dtype=bool), most, entropy=Rehearsal(3))
    alone = capped_rows(ids[:3], np.zeros(3, dtype=bool), most, entropy=Prefix(Rehearsal(3), 56))
    assert both[both < 3].tolist() == alone.tolist()


class Prefix(Rehearsal):
    """The first bytes that a longer request of the same entropy would have given."""

    def __init__(self, inner: Rehearsal, length: int) -> None:
        super().__init__(0)
        self._inner, self._length = inner, length

    def bytes(self, n: int) -> bytes:
        return self._inner.bytes(self._length)[:n]
