"""The batched descent is the published one, whatever the memory and wherever it was stopped."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from synth.models.particles import particle_descent
from synth.models.particles.particle_descent import Descent, Fence, Plan
from synth.models.particles.particle_fit import nearest_centres, quantised
from synth.models.particles.sliced_wasserstein import Grid, random_directions
from tests.models.particles import literal
from tests.models.particles.examples import DOMAIN, PAIRS, shares

CPU = torch.device("cpu")


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


def test_a_saved_state_goes_on_to_the_same_particles() -> None:
    for is_exact in (False, True):
        whole, second = (descent(is_exact=is_exact, epochs=4, particles=3000) for _ in range(2))
        states: dict[int, np.ndarray] = {}
        whole.run(lambda epoch, loss, d, kept=states: kept.update({epoch: d.state}))  # type: ignore[misc]
        second.restore(states[2])
        assert not torch.equal(whole.x, second.x)
        second.run(lambda epoch, loss, d: None)
        assert torch.equal(whole.x, second.x)
