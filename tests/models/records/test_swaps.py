import tracemalloc
from typing import Any

import numpy as np
import pytest

from synth.core.domain import Domain
from synth.core.table import CodeTable
from synth.core.zeros import Zero
from synth.models.records import swaps

DOMAIN = Domain(("a", "b", "c"), (4, 3, 5))
PAIRS = [("a", "b"), ("a", "c"), ("b", "c")]


def related(rows: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 4, rows)
    b = np.where(rng.random(rows) < 0.8, a % 3, rng.integers(0, 3, rows))
    return np.stack([a, b, (a + b) % 5], axis=1)


def shuffled(codes: np.ndarray) -> np.ndarray:
    rng = np.random.default_rng(9)
    return np.stack([rng.permutation(column) for column in codes.T], axis=1)


def gap(codes: np.ndarray, truth: np.ndarray) -> float:
    one, two = CodeTable(DOMAIN, codes), CodeTable(DOMAIN, truth)
    return float(sum(np.abs(one.counts(r) - two.counts(r)).sum() for r in PAIRS))


def targets(truth: np.ndarray) -> dict[tuple[str, ...], np.ndarray]:
    return {r: CodeTable(DOMAIN, truth).project(r) for r in PAIRS}


def test_pair_tables_come_nearer_and_columns_keep_their_counts() -> None:
    truth = related(3000, 0)
    start = shuffled(truth)
    found = swaps.swap(start, DOMAIN, targets(truth), rng=np.random.default_rng(0))
    assert gap(found, truth) < 0.1 * gap(start, truth)
    for i in range(3):
        assert (np.sort(found[:, i]) == np.sort(start[:, i])).all()


def test_the_tables_keep_count_of_every_swap() -> None:
    truth = related(500, 1)
    tables = swaps._Tables(DOMAIN, targets(truth))
    records = shuffled(truth).astype(np.int32)
    tables.count(records)
    cost = tables.cost()
    for i in tables.columns:
        swaps._sweep(records, i, tables, [], np.random.default_rng(i))
    followed, after = dict(tables._counts), tables.cost()
    tables.count(records)
    assert all((tables._counts[r] == followed[r]).all() for r in followed) and after < cost


def test_an_offer_costs_what_the_tables_say() -> None:
    """The cost is compared with the cost of the records with and without the swap, computed from new
    counts.
    """
    truth = related(60, 2)
    tables = swaps._Tables(DOMAIN, targets(truth))
    records = shuffled(truth).astype(np.int32)
    tables.count(records)
    before, around = tables.cost(), tables.around(0)
    costs = swaps._costs(around.rows(records), records[:, 0], around)
    for one, two in [(0, 1), (5, 9), (20, 33)]:
        if (records[one] != records[two]).all():
            trial = records.copy()
            trial[[one, two], 0] = records[[two, one], 0]
            tables.count(trial)
            said = costs[one, records[two, 0]] + costs[two, records[one, 0]]
            assert tables.cost() - before == pytest.approx(said, rel=1e-4, abs=1e-4)


def test_a_column_of_many_values_needs_room_for_its_pairs_and_no_more() -> None:
    wide = Domain(("a", "b", "c"), (50_000, 3, 2))
    rng = np.random.default_rng(0)
    many = rng.integers(0, 50_000, 3000)
    truth = np.stack([many, many % 3, many // 3 % 2], axis=1)
    table = CodeTable(wide, truth)
    wanted = {r: table.project(r) for r in PAIRS}
    tracemalloc.start()
    found = swaps.swap(shuffled(truth), wide, wanted, rng=np.random.default_rng(0))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 200e6
    start = CodeTable(wide, shuffled(truth))
    off = [
        sum(np.abs(t.counts(r) - table.counts(r)).sum() for r in PAIRS)
        for t in (CodeTable(wide, found), start)
    ]
    assert off[0] < 0.8 * off[1]


def test_columns_without_a_common_table_are_no_partners() -> None:
    truth = related(3000, 0)
    two = {r: CodeTable(DOMAIN, truth).project(r) for r in PAIRS[1:]}
    start = shuffled(truth)
    found = CodeTable(DOMAIN, swaps.swap(start, DOMAIN, two, rng=np.random.default_rng(0)))
    for r in two:
        before = np.abs(CodeTable(DOMAIN, start).counts(r) - two[r]).sum()
        assert np.abs(found.counts(r) - two[r]).sum() < 0.1 * before


def test_a_table_of_three_columns_is_aimed_at_as_pairs_are() -> None:
    """The target is a sum modulo two that no pair shows. The tables also update their counts."""
    rng = np.random.default_rng(3)
    domain, truth = Domain(("a", "b", "c"), (2, 3, 2)), rng.integers(0, (2, 3, 2), (4000, 3))
    truth[:, 2] = (truth[:, 0] + truth[:, 1]) % 2
    whole = {domain.names: CodeTable(domain, truth).project(domain.names)}
    start = shuffled(truth)
    found = swaps.swap(start, domain, whole, rng=rng)

    def off(codes: np.ndarray) -> float:
        return float(np.abs(CodeTable(domain, codes).counts(domain.names) - whole[domain.names]).sum())

    assert off(start) > 3000 and off(found) < 0.05 * off(start)
    assert (np.sort(found, axis=0) == np.sort(start, axis=0)).all()
    tables, records = swaps._Tables(domain, whole), start.astype(np.int32)
    tables.count(records)
    swaps._sweep(records, 1, tables, [], rng)
    followed = dict(tables._counts)
    tables.count(records)
    assert all((tables._counts[r] == followed[r]).all() for r in followed)


def test_a_sweep_that_overshoots_is_undone(monkeypatch: pytest.MonkeyPatch) -> None:
    """All swaps of a block are made at once. Each of them reduces the cost, but together they overshoot."""
    monkeypatch.setattr(swaps, "BATCH", 1e6)
    two = Domain(("a", "b"), (2, 2))
    codes = np.random.default_rng(0).integers(0, 2, (2000, 2))
    wanted = {("a", "b"): CodeTable(two, codes).project(("a", "b")) + np.array([[9.0, -9.0], [-9.0, 9.0]])}
    sweeps: list[np.ndarray] = []
    through = swaps._sweep

    def seen(records: np.ndarray, *rest: Any) -> bool:
        is_changed = through(records, *rest)
        sweeps.append(CodeTable(two, records.astype(np.int64)).project(("a", "b")))
        return is_changed

    monkeypatch.setattr(swaps, "_sweep", seen)
    found = swaps.swap(codes, two, wanted, rng=np.random.default_rng(0))
    assert np.abs(sweeps[0] - wanted["a", "b"]).sum() > 36
    assert (found == codes).all()


def test_records_that_are_near_enough_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    truth = related(800, 0)
    start = shuffled(truth)
    for part, same in ((1.01, True), (0.5, False)):
        near = part * gap(start, truth) / len(PAIRS)
        found = swaps.swap(start, DOMAIN, targets(truth), rng=np.random.default_rng(0), near=near)
        assert (found == start).all() == same
        assert same or gap(found, truth) < 0.8 * gap(start, truth)


@pytest.mark.parametrize("clique", [("a", "b"), ("a", "b", "c")])
def test_no_swap_enters_a_forbidden_cell(clique: tuple[str, ...]) -> None:
    rng = np.random.default_rng(3)
    forbidden = rng.random(DOMAIN.shape(clique)) < 0.3
    codes = rng.integers(0, DOMAIN.sizes, size=(4000, 3))
    at = tuple(codes[:, i] for i in DOMAIN.axes(clique))
    start = codes[~forbidden[at]]
    # Targets that draw the records into the forbidden cells.
    wanted = related(len(start), 5)
    zero = Zero(clique, forbidden)
    found = swaps.swap(start, DOMAIN, targets(wanted), rng=np.random.default_rng(0), zeros=[zero])
    assert not forbidden[tuple(found[:, i] for i in DOMAIN.axes(clique))].any()
    assert gap(found, wanted) < gap(start, wanted)


def test_when_work_is_short_fewer_swaps_are_offered() -> None:
    truth = related(2000, 0)
    start = shuffled(truth)
    whole = 2000 * 3 * sum(swaps._looks(n) for n in DOMAIN.sizes)
    gaps = []
    for share in (0.0, 0.1, 1.0):
        rng = np.random.default_rng(0)
        gaps.append(gap(swaps.swap(start, DOMAIN, targets(truth), rng=rng, work=share * whole), truth))
    assert gaps[0] == gap(start, truth) > gaps[1] > 1.3 * gaps[2]


def test_columns_that_are_kept_are_not_swapped_and_the_others_still_come_nearer() -> None:
    truth = related(3000, 0)
    start, names = shuffled(truth), DOMAIN.names
    found = swaps.swap(start, DOMAIN, targets(truth), rng=np.random.default_rng(0), kept=names[:2])
    before, after = (np.unique(codes[:, :2], axis=0, return_counts=True)[1] for codes in (start, found))
    np.testing.assert_array_equal(before, after)
    assert gap(found, truth) < 0.9 * gap(start, truth)


def test_work_is_counted_for_the_pairs_that_are_aimed_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two of thirty columns are in a pair. Work for three sweeps of these two columns suffices for three
    sweeps.
    """
    truth = related(2000, 3)[:, :2]
    domain = Domain(tuple(f"c{i}" for i in range(30)), (4, 3, *[2] * 28))
    codes = np.concatenate([shuffled(truth), np.zeros((2000, 28), dtype=np.int64)], axis=1)
    pair = ("c0", "c1")
    table = np.zeros((4, 3))
    np.add.at(table, tuple(truth.T), 1)
    looks = swaps._looks(4) + swaps._looks(3)
    monkeypatch.setattr(swaps, "WORK", 3 * 2000 * 2 * looks)
    found = swaps.swap(codes, domain, {pair: table}, rng=np.random.default_rng(0))
    left = np.abs(CodeTable(domain, found).project(pair) - table).sum()
    assert left < 0.1 * np.abs(CodeTable(domain, codes).project(pair) - table).sum()
