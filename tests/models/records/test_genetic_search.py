"""Children are evaluated exactly by the changes that they cause, and only improvements are applied."""

import numpy as np
import pytest

from synth.core.domain import Domain
from synth.core.zeros import Zero
from synth.models.records import genetic_search
from synth.models.records.genetic_search import generation
from synth.models.records.gradual_update import Guard, Target

DOMAIN = Domain(("a", "b", "c"), (4, 3, 5))


def records(seed: int, count: int = 1000) -> np.ndarray:
    codes = np.random.default_rng(seed).integers(0, DOMAIN.sizes, (count, 3))
    codes[:, 1] = np.where(np.arange(count) % 3, codes[:, 0] % 3, codes[:, 1]) if seed else codes[:, 1]
    return np.ascontiguousarray(codes.T, dtype=np.int32)


def targets() -> list[Target]:
    """Return a pair, a triple and a column with the counts of other records."""
    wanted, made = records(7), []
    for axes in ((0, 1), (0, 1, 2), (2,)):
        shape = tuple(DOMAIN.sizes[i] for i in axes)
        bare = Target(axes, shape, np.zeros(int(np.prod(shape))))
        counts = np.bincount(bare.cells(wanted), minlength=bare.counts.size).astype(float)
        made.append(Target(axes, shape, counts))
    return made


def fitness(some: np.ndarray) -> float:
    return sum(
        float(np.square(np.bincount(t.cells(some), minlength=t.counts.size) - t.counts).sum())
        for t in targets()
    )


@pytest.mark.parametrize("column", [0, 1, 2])
def test_what_a_child_changes_is_the_change_of_the_fitness(column: int) -> None:
    parent, size, rng = records(0), DOMAIN.sizes[column], np.random.default_rng(1)
    tables = genetic_search._around(parent, column, [t for t in targets() if column in t.axes], size)
    some = np.arange(40)
    children = rng.integers(0, size, (3, 40)).astype(np.int32)
    change = tables.change(some, parent[column, some], children)
    for k, row in np.ndindex(3, 40):
        child = parent.copy()
        child[column, row] = children[k, row]
        assert change[k, row] == pytest.approx(fitness(child) - fitness(parent), abs=1e-2)


def bred(start: np.ndarray, generations: int, guards: tuple[Guard, ...] = ()) -> np.ndarray:
    some, rng = start.copy(), np.random.default_rng(2)
    for _ in range(generations):
        for i, size in enumerate(DOMAIN.sizes):
            generation(some, i, targets(), size=size, ordered=size, batch=0.1, guards=guards, rng=rng)
    return some


def test_a_generation_never_makes_the_fitness_worse_and_many_come_near() -> None:
    first, last = records(0), fitness(records(0))
    for _ in range(3):
        first = bred(first, 1)
        assert fitness(first) < last
        last = fitness(first)
    near = bred(records(0), 25)
    assert all(t.gap(near) < 0.02 for t in targets()) and targets()[1].gap(records(0)) > 0.3


def test_a_batch_that_overshoots_is_undone() -> None:
    """Two records that would both fill the one free place in a cell do not improve the loss together."""
    parent = np.zeros((1, 100), dtype=np.int32)
    target = Target((0,), (2,), np.array([99.0, 1.0]))
    tables = genetic_search._around(parent, 0, [target], 2)
    some = np.arange(3)
    genetic_search._settle(parent, 0, some, np.ones(3, dtype=np.int32), tables)
    assert parent.sum() == 0 and tables.gaps[0].tolist() == [1, -1]
    genetic_search._settle(parent, 0, some[:1], np.ones(1, dtype=np.int32), tables)
    assert parent.sum() == 1 and not tables.gaps[0].any()


def test_no_child_is_born_in_a_forbidden_cell() -> None:
    forbidden = np.zeros((4, 5), dtype=bool)
    forbidden[1, :3] = True
    start = records(0)
    start[0, forbidden[start[0], start[2]]] = 0
    guards = tuple(Guard.of(DOMAIN, [Zero(("a", "c"), forbidden)]))
    kept = bred(start, 5, guards)
    assert not forbidden[kept[0], kept[2]].any() and fitness(kept) < fitness(start)
    free = bred(start, 5)
    assert forbidden[free[0], free[2]].any()
