from collections.abc import Sequence
from itertools import combinations, pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from synth.core.domain import Clique, Domain
from synth.core.evidence import Evidence
from synth.core.table import CodeTable
from synth.core.zeros import Zero
from synth.models.mixture import trees_fit
from synth.models.mixture.descent import MixtureOptions
from synth.models.mixture.trees_fit import TOP, Forest, Trees, fit_trees
from synth.models.targets import Targets, targets_of
from tests.models.examples import evidence_of, noisy

DOMAIN = Domain(tuple("abcde"), (3, 4, 2, 3, 5))
ROWS = 20_000


def chain(seed: int = 1) -> CodeTable:
    """Return columns that equal the previous column with probability 0.7."""
    rng = np.random.default_rng(seed)
    codes = np.empty((ROWS, len(DOMAIN)), dtype=np.int64)
    for i, size in enumerate(DOMAIN.sizes):
        own = rng.integers(0, size, ROWS)
        leaning = rng.random(ROWS) < (0.7 if i else 0.0)
        codes[:, i] = np.where(leaning, (codes[:, i - 1] + 1) % size, own)
    return CodeTable(DOMAIN, codes)


def noisy_chain(
    cliques: Sequence[Clique], *, sigma: int, zeros: Sequence[Zero] = (), seed: int = 2
) -> Evidence:
    answers = noisy(chain(), [*((name,) for name in DOMAIN.names), *cliques], sigma=sigma, seed=seed)
    return evidence_of(DOMAIN, answers, ROWS, zeros=zeros)


def stated(cliques: Sequence[Clique], *, sigma: int, zeros: Sequence[Zero] = (), seed: int = 2) -> Targets:
    return targets_of(noisy_chain(cliques, sigma=sigma, zeros=zeros, seed=seed))


def any_trees(components: int = 3) -> Trees:
    """Return two separate trees, one of which has a column with two children."""
    rng = np.random.default_rng(3)
    forest = Forest(order=(1, 0, 2, 4, 3), parents=(1, TOP, TOP, 1, 2))
    sizes = (*DOMAIN.sizes, 1)
    tables = [
        rng.dirichlet(np.ones(sizes[i]), (components, sizes[forest.parents[i]])).astype(np.float32)
        for i in range(len(DOMAIN))
    ]
    return Trees(DOMAIN, forest, tuple(tables))


def joint(trees: Trees) -> NDArray[np.float64]:
    """Return the joint distribution of all columns, cell by cell."""
    whole = np.zeros(DOMAIN.sizes)
    for cell in np.ndindex(*DOMAIN.sizes):
        codes = (*cell, 0)
        given = [
            t[:, codes[p], codes[i]]
            for i, (t, p) in enumerate(zip(trees.tables, trees.forest.parents, strict=True))
        ]
        whole[cell] = np.prod(given, axis=0).mean()
    return whole


def test_tables_of_any_columns_are_sums_of_the_joint_distribution() -> None:
    trees = any_trees()
    whole = joint(trees)
    for size in range(len(DOMAIN) + 1):
        for axes in combinations(range(len(DOMAIN)), size):
            rest = tuple(i for i in range(len(DOMAIN)) if i not in axes)
            np.testing.assert_allclose(trees.table(axes), whole.sum(axis=rest), atol=1e-6)
            back = axes[::-1]
            np.testing.assert_allclose(trees.table(back), trees.table(axes).T, atol=1e-9)
    for a, b in combinations(range(len(DOMAIN)), 2):
        np.testing.assert_allclose(trees.pair(a, b), trees.table((a, b)), atol=1e-6)
        np.testing.assert_allclose(trees.pair(b, a), trees.table((b, a)), atol=1e-6)


def test_the_gradient_is_that_of_the_misfit(monkeypatch: pytest.MonkeyPatch) -> None:
    branching = Forest(order=(0, 1, 2, 3, 4), parents=(TOP, 0, 0, 1, 2))
    monkeypatch.setattr(Forest, "strongest", lambda *stated: branching)
    targets = stated([("a", "b"), ("a", "c"), ("c", "d"), ("b", "d"), ("b", "e"), ("c", "e")], sigma=30)
    options = MixtureOptions(components=2, iterations=1, pull=0.0)
    problem = trees_fit._Problem(targets, options)
    logits = problem.begun(np.random.default_rng(4))

    def misfit(at: NDArray[np.float32]) -> float:
        tables = tuple(trees_fit._softmax(part.astype(np.float64))[0] for part in problem.parts(at))
        trees, total = Trees(DOMAIN, problem.forest, tables), targets.total
        whole = 0.0
        for (a, b), table in targets.pairs.items():
            whole += total * ((trees.table((a, b)) - table.counts / total) ** 2).sum() / table.sigma**2 / 2
        for i, (counts, sigma) in enumerate(zip(targets.columns, targets.sigmas, strict=True)):
            whole += total * ((trees.table((i,)) - counts / total) ** 2).sum() / sigma**2 / 2
        return float(whole)

    slope = problem.gradient(logits)
    tables = tuple(trees_fit._softmax(part)[0] for part in problem.parts(logits))
    trees = Trees(DOMAIN, problem.forest, tables)
    for at, (i, table) in _some_logits(problem, tables):
        k, above, _ = at
        parent = problem.forest.parents[i]
        column = Trees(DOMAIN, problem.forest, tuple(t[k : k + 1] for t in tables))
        weight = 1.0 if parent == TOP else float(column.table((parent,))[above])
        expected = float(slope[_place(problem, i, at)]) * float(table[at]) * weight / trees.components
        step = np.zeros_like(logits, dtype=np.float64)
        step[_place(problem, i, at)] = 1e-4
        found = (misfit(logits.astype(np.float64) + step) - misfit(logits.astype(np.float64) - step)) / 2e-4
        assert expected == pytest.approx(found, rel=1e-2, abs=2e-4), (i, at)


def _some_logits(problem: trees_fit._Problem, tables: Sequence[NDArray[np.float32]]):  # type: ignore[no-untyped-def]
    rng = np.random.default_rng(5)
    for i, table in enumerate(tables):
        for _ in range(4):
            yield tuple(int(rng.integers(n)) for n in table.shape), (i, table)


def _place(problem: trees_fit._Problem, i: int, at: tuple[int, ...]) -> int:
    shapes = problem._shapes
    return int(sum(np.prod(s) for s in shapes[:i]) + np.ravel_multi_index(at, shapes[i]))


def test_the_forest_has_the_strongest_pairs_and_parents_before_children() -> None:
    forest = Forest.strongest(5, {(0, 1): 1.0, (0, 2): 3.0, (1, 2): 2.0, (3, 4): 0.0})
    edges = {frozenset((i, p)) for i, p in enumerate(forest.parents) if p != TOP}
    assert edges == {frozenset((0, 2)), frozenset((1, 2))}
    for i, parent in enumerate(forest.parents):
        assert parent == TOP or forest.order.index(parent) < forest.order.index(i)
    assert sorted(forest.order) == list(range(5))


def test_a_chain_is_found_and_answers_about_far_columns_teach_its_links() -> None:
    names = DOMAIN.names
    links, every = list(pairwise(names)), list(combinations(names, 2))
    truth, found = chain(), {}
    for label, cliques in (("links", links), ("all", every)):
        off = []
        for seed in range(6):
            targets = stated(cliques, sigma=400, seed=seed)
            trees = fit_trees(targets, options=MixtureOptions(components=1), rng=np.random.default_rng(seed))
            off += [
                np.abs(trees.pair(a, a + 1) - truth.project((names[a], names[a + 1])) / ROWS).sum()
                for a in range(4)
            ]
        found[label] = float(np.mean(off))
    assert found["all"] < 0.95 * found["links"]
    edges = {
        frozenset((i, p))
        for i, p in enumerate(fit_trees(stated(every, sigma=20), rng=np.random.default_rng(0)).forest.parents)
        if p != TOP
    }
    assert edges == {frozenset((i, i + 1)) for i in range(4)}


def test_records_are_drawn_from_the_trees() -> None:
    trees, rows = any_trees(), 30_000
    codes = trees.draw(rows, np.random.default_rng(6))
    assert codes.shape == (rows, len(DOMAIN))
    counts = np.zeros(DOMAIN.sizes)
    np.add.at(counts, tuple(codes.T), 1)
    expected = joint(trees) * rows
    squares = ((counts - expected) ** 2 / np.maximum(expected, 1e-9))[expected > 5]
    assert squares.sum() < squares.size + 4 * np.sqrt(2 * squares.size), "4 sigmas of independent draws"


def test_forbidden_cells_of_a_link_are_never_drawn() -> None:
    forbidden = np.zeros((3, 5), dtype=bool)
    forbidden[0, 1:] = True
    targets = stated(list(combinations(DOMAIN.names, 2)), sigma=50, zeros=[Zero(("a", "e"), forbidden)])
    trees = fit_trees(targets, rng=np.random.default_rng(7))
    codes = trees.draw(100_000, np.random.default_rng(8))
    assert not forbidden[codes[:, 0], codes[:, 4]].any()
