"""Particles: the batched form against the published one, zeros, randomness, stages."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
import torch

from synth.answers import Measurement
from synth.bench import literal_privpgd as literal
from synth.codebook import Codebook
from synth.domain import Domain
from synth.evidence import Evidence
from synth.generate import particle_descent, particle_fit
from synth.generate.masked_adam import MaskedAdam
from synth.generate.particle_descent import Descent, Fence, Plan
from synth.generate.particle_fit import nearest_centres, quantised
from synth.generate.particles import Particles
from synth.generate.signed_tables import ProjectionOptions, projected
from synth.generate.sliced_wasserstein import (
    Grid,
    random_directions,
    residuals_by_ranks,
    residuals_by_sorting,
    stratified_directions,
)
from synth.generate.targets import Pair
from synth.progress import Progress
from synth.zeros import Zero

CPU = torch.device("cpu")
DOMAIN = Domain(("a", "b", "c"), (6, 4, 5))
PAIRS: list[Pair] = [(0, 1), (0, 2), (1, 2)]


def rows(n: int = 5000) -> np.ndarray:
    rng = np.random.default_rng(3)
    a = np.clip(rng.normal(3, 1.3, n), 0, 5.99)
    return np.stack([a, a * 0.6, rng.integers(0, 5, n)], axis=1).astype(np.int64)


def table(pair: Pair, codes: np.ndarray | None = None, domain: Domain = DOMAIN) -> np.ndarray:
    codes = rows() if codes is None else codes
    counts = np.zeros([domain.sizes[i] for i in pair], dtype=np.int64)
    np.add.at(counts, tuple(codes[:, i] for i in pair), 1)
    return counts


def evidence(zeros: tuple[Zero, ...] = (), sigma: float = 10.0) -> Evidence:
    rng = np.random.default_rng(1)
    answers = tuple(
        Measurement(
            clique=tuple(DOMAIN.names[i] for i in pair),
            counts=table(pair) + np.rint(sigma * rng.standard_normal(table(pair).shape)).astype(np.int64),
            variance=Fraction(sigma).limit_denominator() ** 2,
            units=1,
        )
        for pair in PAIRS
    )
    return Evidence(codebook=Codebook.plain(DOMAIN, zeros=zeros), answers=answers, total=5000.0)


def shares() -> dict[Pair, np.ndarray]:
    return {pair: table(pair) / 5000 for pair in PAIRS}


def plan(**more: object) -> Plan:
    told = {"particles": 400, "epochs": 3, "directions": 6, "batch": 3, "penalty": 0.0, "seed": 0}
    return Plan(**(told | {"is_exact": True} | more))  # type: ignore[arg-type]


def descent(**more: object) -> Descent:
    grid, how = Grid.of(PAIRS, list(shares().values()), CPU), plan(**more)
    x = torch.rand(3, how.particles, generator=torch.Generator().manual_seed(5))
    counts = quantised(grid.shares, how.particles, 0) if how.is_exact else None
    return Descent(x, grid, how, counts=counts, notice=lambda fact: None)


def test_the_batched_gradient_is_that_of_the_published_loop_over_tables() -> None:
    batched = descent()
    cos, sin = random_directions(3, 6, torch.Generator().manual_seed(2))
    gradient, _, loss = batched._gradient(torch.arange(3), cos, sin)
    expected, losses = torch.zeros(400, 3), []
    for k, (pair, counts) in enumerate(zip(PAIRS, batched._counts, strict=True)):
        u = shares()[pair]
        wanted = literal.grid_of(u.shape).repeat_interleave(counts[: u.size], dim=0)
        found, value = literal.pair_gradient(
            batched.x.T[:, list(pair)], wanted, torch.stack([cos[k], sin[k]], dim=1)
        )
        expected[:, list(pair)] += found
        losses.append(value)
    torch.testing.assert_close(gradient.T * 2 / 6, expected, atol=1e-4, rtol=1e-4)
    assert loss == pytest.approx(np.mean(losses), rel=1e-4)


def test_memory_for_one_pair_at_a_time_gives_the_same_gradient(monkeypatch: pytest.MonkeyPatch) -> None:
    cos, sin = random_directions(3, 6, torch.Generator().manual_seed(2))
    together = descent()._gradient(torch.arange(3), cos, sin)
    monkeypatch.setattr(particle_descent, "CELLS", 1)
    by_pair = descent()._gradient(torch.arange(3), cos, sin)
    torch.testing.assert_close(together[0], by_pair[0])
    assert together[2] == pytest.approx(by_pair[2])


def test_out_of_memory_halves_the_chunk_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    small, failures = descent(), iter([True, False])
    small._notice = told.append
    in_chunks = small._gradient_in_chunks

    def once_too_large(*args: torch.Tensor) -> object:
        if next(failures):
            raise torch.OutOfMemoryError
        return in_chunks(*args)

    monkeypatch.setattr(small, "_gradient_in_chunks", once_too_large)
    small._gradient(torch.arange(3), *random_directions(3, 6, torch.Generator().manual_seed(2)))
    assert small._cells == 3 * 6 * 400 // 2 and "out of memory" in told[0]


def test_masked_moments_move_as_in_sparse_adam() -> None:
    rng = torch.Generator().manual_seed(0)
    ours = torch.rand(50, generator=rng)
    theirs = torch.nn.Parameter(ours.clone())
    adam, sparse = MaskedAdam(ours), torch.optim.SparseAdam([theirs], lr=0.1)
    for _ in range(20):
        gradient = torch.randn(50, generator=rng) * (torch.rand(50, generator=rng) < 0.2)
        adam.move(ours, gradient, 0.1)
        theirs.grad = gradient.to_sparse()
        sparse.step()
    torch.testing.assert_close(ours, theirs.data)


def test_histogram_ranks_are_as_good_as_sorts_to_a_twentieth_of_a_code() -> None:
    rng = torch.Generator().manual_seed(0)
    n, (cos, sin) = 20_000, stratified_directions(1, 8, rng)
    u = np.random.default_rng(0).dirichlet(np.full(32 * 32, 0.1)).reshape(32, 32)
    grid = Grid.of([(0, 1)], [u], CPU)
    x = torch.rand(2, n, generator=rng)
    z = x[0] * cos[..., None] + x[1] * sin[..., None]
    rising, order = grid.along(cos, sin)
    counts = quantised(grid.shares, n, 0)
    exact = residuals_by_sorting(z, rising, counts[:, None].expand(order.shape).gather(-1, order))
    whole = (counts / n)[:, None].expand(order.shape).gather(-1, order)
    near = residuals_by_ranks(z, rising.double(), whole, cos, sin)
    assert float((near - exact).square().mean().sqrt()) < 0.05 / 32


def test_the_projection_finds_what_the_published_search_finds() -> None:
    rng = np.random.default_rng(0)
    u = np.outer([0.5, 0.3, 0.15, 0.05], [0.6, 0.3, 0.1])
    v = u + rng.normal(0, 0.03, u.shape)
    distance = {}
    slow = literal.projection(v, torch.Generator().manual_seed(0), iterations=60)
    for name, options in (
        ("fixed", ProjectionOptions()),
        ("random", ProjectionOptions(iterations=150, directions=50, is_fixed=False)),
    ):
        found = projected(
            {(0, 1): v},
            {},
            options=options,
            rng=torch.Generator().manual_seed(0),
            device=CPU,
            heard=lambda part: None,
        )[0, 1]
        assert found.min() >= 0 and found.sum() == pytest.approx(1)
        distance[name] = found
    fan = literal.directions_of(500, torch.Generator().manual_seed(9))
    exact = torch.as_tensor(v.ravel(), dtype=torch.float32)

    def apart(table: np.ndarray) -> float:
        w = torch.as_tensor(table.ravel(), dtype=torch.float32)
        return float(literal.signed_distance(w, exact, literal.grid_of(v.shape), fan))

    clipped = np.maximum(v, 0) / np.maximum(v, 0).sum()
    for found in distance.values():
        assert apart(found) < 1.05 * apart(slow) and apart(found) < apart(clipped)


def test_no_forbidden_cell_gets_mass_in_the_projection() -> None:
    allowed = np.ones((6, 4), dtype=bool)
    allowed[0, 3] = allowed[5, 0] = False
    noisy = {(0, 1): shares()[0, 1] + 0.01}
    options = ProjectionOptions(iterations=30)
    rng = torch.Generator().manual_seed(0)
    found = projected(noisy, {(0, 1): allowed}, options=options, rng=rng, device=CPU, heard=lambda part: None)
    assert (found[0, 1][~allowed] == 0).all()


@pytest.mark.parametrize("exact", [False, True])
def test_pairs_come_out_and_the_columns_with_them(exact: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        particle_fit, "PAPER", ProjectionOptions(iterations=50, directions=50, is_fixed=False)
    )
    options = Particles(exact=True, epochs=100, batch=3, particles=2000) if exact else Particles()
    model = options.fit(evidence())
    for pair in PAIRS:
        names = tuple(DOMAIN.names[i] for i in pair)
        assert np.abs(model.project(names) - table(pair)).sum() / 5000 < (0.35 if exact else 0.06)
    if not exact:
        assert np.abs(model.project(("a",)) - table((0, 1)).sum(axis=1)).sum() / 5000 < 0.02


def test_without_swaps_particles_alone_come_near() -> None:
    model = Particles(swaps=False).fit(evidence())
    assert np.abs(model.project(("a", "b")) - table((0, 1))).sum() / 5000 < 0.15


def test_zeros_hold_in_every_record_and_the_number_repaired_is_told() -> None:
    forbidden = np.zeros((6, 4), dtype=bool)
    forbidden[0, 2:] = forbidden[3, 1] = True
    wide = np.zeros((6, 4, 5), dtype=bool)
    wide[2, 1, :2] = True
    heard: list[Progress] = []
    zeros = (Zero(("a", "b"), forbidden), Zero(("a", "b", "c"), wide))
    model = Particles().fit(evidence(zeros), report=heard.append)
    codes = model.sample(20_000, np.random.default_rng(0))
    assert not forbidden[codes[:, 0], codes[:, 1]].any()
    assert not wide[codes[:, 0], codes[:, 1], codes[:, 2]].any()
    assert "forbidden combinations" in heard[-1].fact


def test_the_push_takes_particles_out_of_forbidden_cells() -> None:
    forbidden = torch.zeros(6, 4, dtype=torch.bool)
    forbidden[2, 1:] = True
    towards = torch.zeros(2, 6, 4)
    towards[0][forbidden] = 1 / 6
    grid = Grid.of(PAIRS, list(shares().values()), CPU)
    inside = []
    for penalty in (0.0, 1.0):
        fences = (Fence(0, 1, towards),)
        moved = Descent(
            torch.rand(3, 400, generator=torch.Generator().manual_seed(5)),
            grid,
            plan(is_exact=False, epochs=20, batch=0, penalty=penalty),
            fences=fences,
            notice=lambda fact: None,
        )
        moved.run(lambda epoch, loss, descent: None)
        codes = nearest_centres(moved.x.numpy(), DOMAIN.sizes)
        inside.append(int(forbidden.numpy()[codes[:, 0], codes[:, 1]].sum()))
    assert inside[1] == 0 < inside[0]


def test_the_seed_decides_and_torchs_own_randomness_is_left_alone() -> None:
    state = torch.random.get_rng_state()
    one, other, third = (Particles(swaps=False, epochs=5).fit(evidence(), seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one.codes, other.codes)
    assert not np.array_equal(one.codes, third.codes)
    assert torch.equal(state, torch.random.get_rng_state())


def test_a_saved_state_goes_on_to_the_same_particles() -> None:
    for is_exact in (False, True):
        whole, second = (descent(is_exact=is_exact, epochs=4, particles=3000) for _ in range(2))
        states: dict[int, np.ndarray] = {}
        whole.run(lambda epoch, loss, d, kept=states: kept.update({epoch: d.state}))  # type: ignore[misc]
        second.restore(states[2])
        assert not torch.equal(whole.x, second.x)
        second.run(lambda epoch, loss, d: None)
        assert torch.equal(whole.x, second.x)


def test_an_earlier_table_is_where_the_particles_begin() -> None:
    options = Particles(swaps=False, epochs=1)
    far, near = options.fit(evidence()), options.fit(evidence(), start=Particles().fit(evidence()))

    def gap(model: object) -> float:
        return float(np.abs(model.project(("a", "b")) - table((0, 1))).sum())  # type: ignore[attr-defined]

    assert gap(near) < 0.5 * gap(far)


def test_every_particle_comes_equally_often_and_the_rest_evenly() -> None:
    model = Particles(particles=1000, epochs=2).fit(evidence())
    codes = model.sample(2500, np.random.default_rng(0))
    held = table((0, 1), model.codes)
    assert np.abs(table((0, 1), codes) - 2.5 * held).max() < 12
    np.testing.assert_array_equal(table((0, 1), model.sample(1000, np.random.default_rng(0))), held)


def test_a_particle_on_the_edge_is_in_the_last_cell() -> None:
    x = np.array([[0.0, 0.999, 1.0], [0.24, 0.26, 1.0]], dtype=np.float32)
    np.testing.assert_array_equal(nearest_centres(x, (3, 4)), [[0, 0], [2, 1], [2, 3]])


def test_the_registries_do_not_import_torch() -> None:
    code = "import synth.mechanisms, synth.generate.registry, sys; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.mark.gpu
def test_a_graphics_card_comes_to_particles_as_near() -> None:
    for options in (Particles(), Particles(exact=True, epochs=150, batch=3, particles=2000)):
        tables = [options.fit(evidence(), device=device).project(("a", "b")) for device in ("cpu", "cuda")]
        gaps = [np.abs(t - table((0, 1))).sum() / 5000 for t in tables]
        assert abs(gaps[0] - gaps[1]) < 0.03
