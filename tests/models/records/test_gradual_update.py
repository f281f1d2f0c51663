"""One update of one marginal: it gets closer, no faster than allowed, by copies or only in its own
columns.
"""

import numpy as np

from synth.core.domain import Domain
from synth.core.zeros import Zero
from synth.models.records.gradual_update import Guard, Target, update

DOMAIN = Domain(("a", "b", "c"), (4, 3, 5))
WANTED = np.array([[400, 50, 0], [50, 300, 25], [0, 75, 50], [25, 20, 5]])
TARGET = Target((0, 1), (4, 3), WANTED.reshape(-1).astype(float))


def records() -> np.ndarray:
    codes = np.random.default_rng(0).integers(0, DOMAIN.sizes, (1000, 3))
    return np.ascontiguousarray(codes.T, dtype=np.int32)


def updated(*, alpha: float = 1.0, copied: float = 0.0, zeros: tuple[Zero, ...] = ()) -> np.ndarray:
    after = records()
    guards = Guard.of(DOMAIN, zeros)
    update(after, TARGET, alpha=alpha, copied=copied, guards=guards, rng=np.random.default_rng(1))
    return after


def test_replacing_changes_the_columns_of_the_marginal_alone() -> None:
    before, after = records(), updated()
    np.testing.assert_array_equal(before[2], after[2])
    held = np.bincount(TARGET.cells(before), minlength=12)
    reached = np.bincount(TARGET.cells(after), minlength=12)
    growing = held < TARGET.counts
    expected = np.minimum(TARGET.counts, 2 * held)[growing]
    assert np.abs(reached[growing] - expected).max() <= 1 and reached.sum() == 1000


def test_a_cell_grows_by_alpha_and_others_give_up_the_same_part() -> None:
    held = np.bincount(TARGET.cells(records()), minlength=12)
    reached = np.bincount(TARGET.cells(updated(alpha=0.25)), minlength=12)
    growing = held < TARGET.counts
    assert np.abs(reached - np.minimum(TARGET.counts, 1.25 * held))[growing].max() <= 1
    given, own = (held - reached)[~growing], held[~growing]
    excess = own - TARGET.counts[~growing]
    part = (given / own).max()
    assert np.abs(given - np.minimum(excess, part * own)).max() <= 2.5


def test_copies_are_whole_records() -> None:
    before = {tuple(column) for column in records().T.tolist()}
    after = {tuple(column) for column in updated(copied=1.0).T.tolist()}
    assert after <= before and TARGET.gap(updated(copied=1.0)) < 0.7 * TARGET.gap(records())


def test_an_empty_cell_is_filled_by_its_share_of_alpha() -> None:
    some = records()
    some[1, TARGET.cells(some) == 0] = 2
    update(some, TARGET, alpha=0.5, copied=1.0, guards=(), rng=np.random.default_rng(0))
    assert abs(int((TARGET.cells(some) == 0).sum()) - 200) <= 1


def test_no_record_enters_a_forbidden_cell_of_columns_beside_the_marginal() -> None:
    forbidden = np.zeros((4, 5), dtype=bool)
    forbidden[0, :4] = True
    kept, zero = records(), Zero(("a", "c"), forbidden)
    kept[0, forbidden[kept[0], kept[2]]] = 1
    guards = Guard.of(DOMAIN, (zero,))
    update(kept, TARGET, alpha=1.0, copied=0.0, guards=guards, rng=np.random.default_rng(1))
    assert not forbidden[kept[0], kept[2]].any()
    free = updated()
    assert forbidden[free[0], free[2]].any()


def test_records_at_their_target_stay() -> None:
    at = records()
    own = Target((0, 1), (4, 3), np.bincount(TARGET.cells(at), minlength=12).astype(float))
    update(at, own, alpha=1.0, copied=0.5, guards=(), rng=np.random.default_rng(1))
    np.testing.assert_array_equal(at, records())
    assert own.gap(at) == 0
