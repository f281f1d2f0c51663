"""Test the kit's least squares against a pseudoinverse without atoms and merged projections."""

from itertools import product
from math import erf, prod, sqrt
from typing import Any

import numpy as np
import pytest

from synth.core.accounting import Noise
from synth.core.domain import Clique, Domain
from synth.core.measurements.interactions import centred
from synth.core.zeros import Zero, allowed_cells
from synth.estimates import least_squares
from synth.estimates.concentration import PROXIES
from synth.estimates.estimated import half_width
from synth.estimates.facts import Fact
from synth.estimates.least_squares import Solution, System

DOMAIN = Domain(("a", "b", "c"), (4, 3, 2))


def drawn_facts(rng: np.random.Generator) -> list[Fact]:
    """Return random tables, some of them in groups, and interactions."""
    found = []
    for _ in range(rng.integers(2, 7)):
        clique = DOMAIN.clique(rng.choice(DOMAIN.names, rng.integers(0, 4), replace=False))
        is_whole = len(clique) > 1 and bool(rng.random() < 0.3)
        groups = {}
        for name, size in zip(clique, DOMAIN.shape(clique), strict=True):
            is_fine = is_whole or size == 2 or rng.random() < 0.5
            groups[name] = np.arange(size) if is_fine else np.sort([0, 1, *rng.integers(0, 2, size - 2)])
        counts = rng.normal(50, 9, [g.max() + 1 for g in groups.values()])
        found.append(
            Fact(
                clique=clique,
                groups=groups,
                counts=centred(counts) if is_whole else counts,
                variance=float(rng.choice([0.5, 3.0, 40.0, 2500.0])),
                is_interaction=is_whole,
            )
        )
    return found


def dense(facts: list[Fact], query: Any, columns: Clique, allowed: Any, total: float | None) -> Any:
    """Return the estimate and variance over all cells of the columns, or None if the query is not in the
    range.
    """
    design, counts, weights = [np.zeros((1, allowed.size))], [np.zeros(1)], [np.ones(1)]
    for fact in facts:
        away = tuple(i for i, name in enumerate(fact.clique) if name not in columns)
        if fact.is_interaction and away:
            continue
        matrix = np.ones((1, 1))
        for name, size in zip(columns, DOMAIN.shape(columns), strict=True):
            part = np.ones((1, size))
            if name in fact.clique:
                part = np.eye(fact.groups[name].max() + 1)[fact.groups[name]].T
                part = part - 1 / size if fact.is_interaction else part
            matrix = np.kron(matrix, part)
        summed = fact.counts.sum(axis=away)
        design.append(matrix)
        counts.append(summed.ravel())
        weights.append(np.full(summed.size, summed.size / fact.counts.size / fact.variance))
    matrix, y, root = np.vstack(design), np.concatenate(counts), np.sqrt(np.concatenate(weights))
    free, base = np.eye(allowed.size)[:, allowed], np.zeros(allowed.size)
    if total is not None:  # the unknowns sum to it
        base = allowed * total / allowed.sum()
        free = free @ np.linalg.svd(np.ones((1, int(allowed.sum()))))[2][1:].T
    small, q = matrix @ free, free.T @ query
    if np.abs(np.linalg.pinv(small, rcond=1e-9) @ small @ q - q).max(initial=0.0) > 1e-7:
        return None
    inverse = np.linalg.pinv(root[:, None] * small, rcond=1e-9)
    estimate = query @ (base + free @ inverse @ (root * (y - matrix @ base)))
    return float(estimate), float(np.square(inverse.T @ q).sum())


@pytest.mark.parametrize(
    ("atoms", "sums"), [(700, 0), (0, 700), (0, 0)], ids=["of atoms", "of sums", "gradients"]
)
def test_answers_and_refusals_are_those_of_a_dense_solve(
    atoms: int, sums: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(least_squares, "DENSE", atoms)
    monkeypatch.setattr(least_squares, "MOST_SUMS", sums)
    kinds = set()
    for seed in range(200):
        rng = np.random.default_rng([71, seed])
        facts, columns = drawn_facts(rng), DOMAIN.clique(rng.choice(DOMAIN.names, 3)[: rng.integers(1, 4)])
        total = 1000.0 if rng.random() < 0.3 else None
        zeros = [Zero(columns[:2], rng.random(DOMAIN.shape(columns[:2])) < 0.2 * (rng.random() < 0.5))]
        term = {name: rng.integers(0, 3, DOMAIN.size([name])).astype(float) for name in columns}
        allowed = allowed_cells(DOMAIN, columns, zeros).ravel()
        query = np.ones(1)
        for name in columns:
            query = np.kron(query, term[name])
        systems = [System(DOMAIN, some, columns, zeros, total) for some in (facts, facts[::-1])]
        is_split = any(
            len(set(term[name][systems[0].atoms[name] == atom])) > 1
            for name in columns
            for atom in systems[0].atoms[name]
        )
        if not (query * allowed).any() or (is_split and not allowed.all()):
            continue  # a count of nothing, or only a zero could tell the codes of an atom apart
        want = dense(facts, query * allowed, columns, allowed, total)
        kinds.add((want is None, bool(allowed.all()), total is None))
        for system in systems:
            got = system.solve([term])
            assert (got is None) == (want is None), seed
            if got is not None:
                assert got.estimate == pytest.approx(want[0], rel=1e-9, abs=1e-6)
                assert got.variance == pytest.approx(want[1], rel=1e-9, abs=1e-6)
    assert len(kinds) == 8


def test_intervals_hold_for_whole_numbers_with_little_noise() -> None:
    """Return every outcome of two rounded or discrete noise values, with its probability."""
    outcomes = np.arange(-30, 31)
    pairs = ((1.0, 0.0), (1.0, 1.0), (1.0, 0.5), (1.0, -1.0))
    for sigma, weights, level in product((0.1, 0.3, 0.5, 1.0, 1.5, 2.0, 3.0), pairs, (0.95, 0.999)):
        below = np.array([erf((k - 0.5) / sigma / sqrt(2)) for k in range(-30, 32)])
        discrete = np.exp(-(outcomes**2) / (2 * sigma**2))
        laws = {Noise.ROUNDED: np.diff(below) / 2, Noise.DISCRETE: discrete / discrete.sum()}
        for noise, law in laws.items():
            proxy = PROXIES[noise](sigma**2)
            variance = proxy * sum(w * w for w in weights)
            solution = Solution(estimate=0.0, variance=variance, weights={}, largest=1.0, least=proxy)
            error = np.abs(np.add.outer(weights[0] * outcomes, weights[1] * outcomes))
            held = np.outer(law, law)[error <= half_width(solution, level)].sum()
            assert held >= level - 1e-9, (sigma, weights, level)


def test_a_question_with_many_cells_takes_no_dense_solve() -> None:
    """Three columns of 20 codes with noisy pairs have 8,000 unknowns, which a few dozen steps solve."""
    domain, rng = Domain(("a", "b", "c"), (20, 20, 20)), np.random.default_rng(72)
    facts = [
        Fact(clique=r, groups={n: np.arange(20) for n in r}, counts=rng.normal(9, 1, (20, 20)), variance=v)
        for r, v in ((("a", "b"), 4.0), (("b", "c"), 9.0), (("a", "c"), 1.0))
    ]
    system, half = System(domain, facts, domain.names), np.repeat([1.0, 0.0], 10)
    assert prod(system.shape) > least_squares.DENSE and "_dense" not in vars(system)
    found = system.solve([{"a": half, "b": half}])
    alone = System(domain, facts, ("a", "b")).solve([{"a": half, "b": half}])
    assert found is not None and alone is not None and found.variance <= alone.variance
    assert system.solve([{"a": half, "b": half, "c": half}]) is None
    assert found.estimate == pytest.approx(alone.estimate, rel=1e-6) and "_dense" not in vars(system)
