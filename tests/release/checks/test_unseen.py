"""Known truth, known noise: the estimate is unbiased, and a model's own answers never judge it."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from synth.core.domain import Clique, Domain
from synth.core.measurements.noisy import Measurement
from synth.core.table import CodeTable
from synth.release.checks.gls import Pool
from synth.release.checks.unseen import Contender, Pools, missed

DOMAIN = Domain(("a", "b", "c"), (6, 5, 4))
ROWS = 3000


def truth() -> CodeTable:
    rng = np.random.default_rng(0)
    a = rng.integers(0, 6, ROWS)
    return CodeTable(DOMAIN, np.stack([a, a % 5, rng.integers(0, 4, ROWS)], axis=1))


def shuffled() -> CodeTable:
    """The truth's one-way marginals, and none of its relations."""
    rng, codes = np.random.default_rng(1), truth().codes
    return CodeTable(DOMAIN, np.stack([rng.permutation(c) for c in codes.T], axis=1))


def noisy(cliques: list[Clique], *, sigma: float, rng: np.random.Generator) -> Pool:
    found = []
    for clique in cliques:
        counts = truth().counts(clique) + np.rint(rng.normal(0, sigma, DOMAIN.shape(clique))).astype(np.int64)
        found.append(Measurement(clique=clique, counts=counts, variance=Fraction(sigma**2), units=1))
    return Pool(DOMAIN, found)


EMPTY = Pool(DOMAIN, [])


def answers(fitted: Pool, held_back: Pool = EMPTY) -> Pools:
    return Pools(fitted=fitted, held_back=held_back, total=float(ROWS))


def everywhere(run: str, table: CodeTable, runs: str = "xy") -> Contender:
    return Contender(name=run, run=run, tables=dict.fromkeys(runs, table))


def test_the_error_is_recovered_through_the_noise_without_bias() -> None:
    rng = np.random.default_rng(2)
    pair: list[Clique] = [("a", "b")]
    real = float(((shuffled().project(("a", "b")) - truth().project(("a", "b"))) ** 2).mean())
    found = []
    for _ in range(300):
        known = {"x": answers(EMPTY, noisy(pair, sigma=30.0, rng=rng))}
        one = missed([everywhere("x", shuffled(), "x")], known, columns=2)["x"]
        assert one is not None
        found.append(one)
    squares = np.array([m.square for m in found])
    assert squares.mean() == pytest.approx(real, abs=6 * squares.std() / 300**0.5)
    assert np.mean([m.doubt for m in found]) == pytest.approx(squares.std(), rel=0.25)
    assert all(not m.is_lost for m in found)


@pytest.mark.parametrize(("sigma", "least", "most"), [(60.0, 0.9, 1.1), (2000.0, 1.05, 1.35)])
@pytest.mark.parametrize("columns", [1, 2])
def test_marginals_of_one_wide_answer_are_not_taken_as_so_many_answers(
    columns: int, sigma: float, least: float, most: float
) -> None:
    """The noise in all pairs of one answer is one noise; the doubt says how far it really goes, and a little
    too much where noise is all there is, since the part that depends on the error is never below nothing."""
    rng, found = np.random.default_rng(8), []
    flags = Domain(tuple("abcdefgh"), (2,) * 8)
    real = CodeTable(flags, rng.integers(0, 2, (3000, 8)))
    released = CodeTable(flags, np.ones((3000, 8), dtype=np.int64))
    counts = real.counts(flags.names)
    for _ in range(1000):
        noise = np.rint(rng.normal(0, sigma, counts.shape)).astype(np.int64)
        wide = Measurement(clique=flags.names, counts=counts + noise, variance=Fraction(sigma**2), units=1)
        known = {"x": answers(EMPTY, Pool(flags, [wide]))}
        one = missed([everywhere("x", released, "x")], known, columns=columns)["x"]
        assert one is not None
        found.append(one)
    squares = np.array([m.square for m in found])
    # The spread of 1000 draws is itself known to 2.2%.
    assert least < np.mean(np.square([m.doubt for m in found])) ** 0.5 / squares.std() < most
    off = [released.project(r) - real.project(r) for r in combinations(flags.names, columns)]
    mean = sum(float(np.square(t).sum()) for t in off) / sum(t.size for t in off)
    assert squares.mean() == pytest.approx(mean, abs=4 * squares.std() / 1000**0.5)


def test_a_table_is_never_judged_by_answers_its_own_model_saw() -> None:
    rng = np.random.default_rng(4)
    pool = noisy([("a", "b")], sigma=1.0, rng=rng)
    assert missed([everywhere("x", truth(), "x")], {"x": answers(pool)}, columns=2) == {"x": None}
    known = {"x": answers(pool), "y": answers(noisy([("b", "c")], sigma=1.0, rng=rng))}
    both = [everywhere("x", truth()), everywhere("y", shuffled())]
    assert missed(both, known, columns=2) == {"x": None, "y": None}  # no pair is new to both


def test_tables_are_compared_on_the_same_marginals_and_the_better_one_is_found() -> None:
    rng = np.random.default_rng(5)
    known = {
        "x": answers(noisy([("a", "b"), ("b", "c")], sigma=3.0, rng=rng)),
        "y": answers(noisy([("a", "b"), ("a", "c")], sigma=3.0, rng=rng)),
    }
    found = missed([everywhere("x", truth()), everywhere("y", shuffled())], known, columns=2)
    good, bad = found["x"], found["y"]
    assert good is not None and bad is not None
    assert good.marginals == bad.marginals == 1
    assert good.counts < bad.counts and not good.ties(bad)
    ones = missed([everywhere("x", truth()), everywhere("y", shuffled())], known, columns=1)
    assert ones["x"] is not None and ones["x"].marginals == 3
