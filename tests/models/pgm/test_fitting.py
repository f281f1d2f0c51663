"""The fit reaches the optimum, by its conditions and compared with the reference, with unequal noise,
structural zeros and warm starts.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize

from synth.core.domain import Clique, Domain
from synth.core.graphs.junction import JunctionGraph
from synth.core.measurements.noisy import Measurement
from synth.core.zeros import Zero
from synth.models import pgm
from tests.models.examples import measurement
from tests.models.pgm import brute_force

Measure = Callable[..., list[Measurement]]

EXACT = pgm.FitOptions(tolerance=1e-6, sweeps=3000)
UNIFORM = pgm.FitOptions(tolerance=1e-6, sweeps=3000, base=False)


def log_zeros(zeros: Sequence[Zero]) -> list[brute_force.LogFactor]:
    return [(zero.clique, np.where(zero.forbidden, -np.inf, 0.0)) for zero in zeros]


def full_table(model: pgm.PGM, zeros: Sequence[Zero] = ()) -> NDArray[np.float64]:
    """Return the reference table of the fitted potentials."""
    return brute_force.distribution(model.domain, [*model.potentials.items(), *log_zeros(zeros)])


def test_model_and_oracle_agree(domain: Domain, cliques: list[Clique], measure: Measure) -> None:
    model = pgm.fit(domain, measure(cliques), total=400.0, options=pgm.FitOptions(tolerance=0.2))
    joint = full_table(model)
    for clique in [*model.cliques, *cliques, ("a",), ("b", "e"), ("a", "d", "e"), domain.names]:
        assert np.allclose(model.project(clique), 400 * brute_force.project(domain, joint, clique), atol=1e-9)
    expected = brute_force.log_partition(domain, list(model.potentials.items()))
    assert model.log_partition == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("sweeps", range(1, 8))
def test_a_fit_cut_short_anywhere_is_still_one_model(domain: Domain, sweeps: int) -> None:
    """This also holds if the last evaluated step was rejected, which a contradicting start provokes."""
    rng = np.random.default_rng(1)

    def heavy_tailed(variance: Fraction) -> list[Measurement]:
        cliques = [("a", "c"), ("c", "e"), ("a", "e")]
        tables = [np.rint(rng.gamma(0.1, 1e4, domain.shape(c))).astype(np.int64) for c in cliques]
        return [measurement(c, t, variance) for c, t in zip(cliques, tables, strict=True)]

    answers = heavy_tailed(Fraction(1))
    contrary = heavy_tailed(Fraction(1, 10**6))
    options = pgm.FitOptions(tolerance=1e-9, sweeps=sweeps)
    for start in (None, pgm.fit(domain, contrary, total=1e5, options=pgm.FitOptions(tolerance=1e-3))):
        model = pgm.fit(domain, answers, total=1e5, start=start, options=options)
        joint = full_table(model)
        for clique in model.cliques:
            expected = 1e5 * brute_force.project(domain, joint, clique)
            assert np.allclose(model.project(clique), expected, rtol=1e-9, atol=1e-6)


def test_residuals_are_penalties(domain: Domain, cliques: list[Clique], measure: Measure) -> None:
    answers = measure(cliques)
    model = pgm.fit(domain, answers, total=400.0, options=UNIFORM)
    assert model.converged and model.report.residual <= 1e-6
    for answer in answers:
        ridge = UNIFORM.ridge_one_way if len(answer.clique) == 1 else UNIFORM.ridge
        rest = answer.counts - model.project(answer.clique)
        penalty = ridge * answer.sigma
        assert np.allclose(rest, penalty * model.potentials[answer.clique], atol=1e-4 * answer.sigma)


@pytest.mark.parametrize("base", [True, False])
def test_no_general_minimiser_finds_a_better_point(domain: Domain, measure: Measure, base: bool) -> None:
    """The primal objective is minimised by brute force over all log-factors: N KL(p || base) + sum ||M p -
    y||^2 / (2 c sigma).
    """
    answers = measure([("a", "c"), ("c", "d"), ("a",), ("c",)])
    options = pgm.FitOptions(tolerance=1e-6, sweeps=3000, base=base)
    model = pgm.fit(domain, answers, total=400.0, options=options)
    start = pgm.fit(domain, answers, total=400.0, options=pgm.FitOptions(tolerance=1e9, base=base))
    reference = full_table(start)

    def primal(table: NDArray[np.float64]) -> float:
        value = 400.0 * float((table * np.log(table / reference)).sum())
        for m in answers:
            ridge = options.ridge_one_way if len(m.clique) == 1 else options.ridge
            rest = 400.0 * brute_force.project(domain, table, m.clique) - m.counts
            value += float((rest**2).sum()) / (2 * ridge * m.sigma)
        return value

    def softmax(logits: NDArray[np.float64]) -> NDArray[np.float64]:
        table = np.exp(logits - logits.max())
        result: NDArray[np.float64] = (table / table.sum()).reshape(domain.sizes)
        return result

    ours = primal(full_table(model))
    found = minimize(lambda x: primal(softmax(x)), np.log(reference).reshape(-1), method="L-BFGS-B")
    assert ours <= found.fun * (1 + 1e-9)
    assert ours == pytest.approx(found.fun, rel=1e-3)
    assert ours < primal(reference) - 1


def test_with_hardly_any_noise_the_tables_come_back(domain: Domain, cliques: list[Clique]) -> None:
    truth = np.random.default_rng(8).dirichlet(np.full(domain.size(), 5.0)).reshape(domain.sizes) * 1e7
    answers = [
        measurement(clique, brute_force.project(domain, truth, clique), Fraction(1, 100))
        for clique in cliques
    ]
    model = pgm.fit(domain, answers, total=1e7, options=pgm.FitOptions(tolerance=1.0, sweeps=3000))
    for answer in answers:
        assert np.allclose(model.project(answer.clique), answer.counts, rtol=1e-3, atol=60)


def test_the_optimum_is_that_of_any_start(domain: Domain, cliques: list[Clique], measure: Measure) -> None:
    answers = measure(cliques)
    cold = pgm.fit(domain, answers, total=400.0, options=EXACT)
    half = pgm.fit(domain, measure(cliques[::2], seed=5), total=380.0)
    warm = pgm.fit(domain, answers, total=400.0, start=half, options=EXACT)
    for clique in [*cliques, ("a", "d", "e")]:
        assert np.allclose(cold.project(clique), warm.project(clique), atol=1e-3)
    again = pgm.fit(domain, answers, total=400.0, start=cold, options=EXACT)
    assert again.report.sweeps <= 3


def forbid(domain: Domain, clique: Clique, *cells: tuple[int, ...]) -> Zero:
    table = np.zeros(domain.shape(clique), dtype=np.bool_)
    for cell in cells:
        table[cell] = True
    return Zero(clique, table)


def zero_sets(domain: Domain) -> list[tuple[Zero, ...]]:
    return [
        (forbid(domain, ("c",), (1,)),),
        (forbid(domain, ("a", "c"), (0, 0), (0, 1), (2, 3)),),
        (forbid(domain, ("c", "a"), (0, 0), (3, 2)), forbid(domain, ("d", "e"), (1, 1))),
        (forbid(domain, ("a", "d"), (0, 0), (0, 1)),),  # a = 0 is impossible altogether
        (forbid(domain, ("a", "d"), (0, 0)), forbid(domain, ("d", "e"), (1, 0), (1, 2))),  # so a=0 means e=1
        (forbid(domain, ("a", "c", "e"), (1, 1, 1), (0, 3, 2)), forbid(domain, ("b",))),
    ]


@pytest.mark.parametrize("which", range(6))
def test_zeros_are_exactly_zero(domain: Domain, cliques: list[Clique], measure: Measure, which: int) -> None:
    zeros = zero_sets(domain)[which]
    answers = measure(cliques)
    model = pgm.fit(domain, answers, zeros=zeros, total=400.0, options=EXACT)
    assert model.converged
    joint = full_table(model, zeros)
    allowed = joint > 0
    for clique in [
        *cliques,
        *model.cliques,
        ("a", "c"),
        ("a", "d"),
        ("a", "e"),
        ("d", "e"),
        ("a", "c", "e"),
        domain.names,
    ]:
        table = model.project(clique)
        possible = brute_force.project(domain, allowed.astype(float), clique) > 0
        assert not table[~possible].any()
        assert np.allclose(table, 400 * brute_force.project(domain, joint, clique), atol=1e-8)
    records = model.sample(3000, np.random.default_rng(0))
    assert allowed[tuple(records.T)].all()
    graph = JunctionGraph.of(domain, [*cliques, *(zero.clique for zero in zeros)])
    assert model.cells == graph.cells and model.cliques == graph.maximal


def test_answers_about_impossible_cells_change_nothing(domain: Domain) -> None:
    zeros = [forbid(domain, ("a", "d"), (0, 0))]

    def fitted(noise: int) -> pgm.PGM:
        counts = np.array([[noise, 90], [100, 80], [70, 60]])
        answer = measurement(("a", "d"), counts, 9)
        return pgm.fit(domain, [answer], zeros=zeros, total=400.0)

    assert np.array_equal(fitted(0).project(("a", "d")), fitted(100_000).project(("a", "d")))


def test_contradicting_zeros_are_refused(domain: Domain, measure: Measure) -> None:
    zeros = [forbid(domain, ("d",), (0,)), forbid(domain, ("d", "e"), (1, 0), (1, 1), (1, 2))]
    with pytest.raises(ValueError, match="no possible record"):
        pgm.fit(domain, measure([("a", "c")]), zeros=zeros, total=400.0)
    with pytest.raises(ValueError, match="no possible record"):
        pgm.fit(domain, [], zeros=[forbid(domain, ("b",), (0,))], total=400.0)


def test_enormous_noise_and_enormous_counts_are_survived(domain: Domain) -> None:
    for counts, variance, total in (
        ([10**9, -(10**9), 5], Fraction(10**16), 1.0),
        ([10**12, 0, 0], Fraction(1, 10**6), 1e12),
        ([-5, -5, -5], Fraction(1), 1.0),
    ):
        one = measurement(("a",), counts, variance)
        two = measurement(("a", "e"), [counts] * 3, variance)
        model = pgm.fit(domain, [one, two], total=total)
        table = model.project(("a", "e"))
        assert np.isfinite(table).all() and table.sum() == pytest.approx(total)


def test_what_cannot_be_fitted_is_refused(domain: Domain) -> None:
    with pytest.raises(ValueError, match="total"):
        pgm.fit(domain, [], total=0.0)
    with pytest.raises(ValueError, match="positive"):
        pgm.FitOptions(ridge=0.0)
    other = pgm.fit(Domain(("x",), (2,)), [], total=1.0)
    with pytest.raises(ValueError, match="same domain"):
        pgm.fit(domain, [], total=1.0, start=other)


def test_slopes_smooth_relations_along_ordered_columns_only() -> None:
    """For noise in an independent pair, the differences of the log-factor decrease along the ordered
    column.
    """
    domain = Domain(("a", "b"), (8, 3))
    noisy = np.rint(np.random.default_rng(0).normal(50, 20, (8, 3))).astype(np.int64)
    measured = [measurement(("a", "b"), noisy, 400)]
    options = pgm.FitOptions(tolerance=1e-4, slope=5.0, base=False)

    def steps(ordered: dict[str, int]) -> tuple[float, float]:
        model = pgm.fit(domain, measured, total=1200.0, ordered=ordered, options=options)
        table = model.potentials[("a", "b")]
        return tuple(float(np.abs(np.diff(table, axis=i)).mean()) for i in (0, 1))  # type: ignore[return-value]

    free, smooth = steps({}), steps({"a": 8})
    assert smooth[0] < 0.5 * free[0]
    assert steps({"a": 2}) == free  # two codes are no order
