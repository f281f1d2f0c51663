"""The batched descent equals a computation by sorting, table by table, for any amount of memory and any
interruption.
"""

import numpy as np
import pytest
import torch

from synth.models.particles import particle_descent
from synth.models.particles.particle_descent import Descent, Fence, Plan
from synth.models.particles.sliced_wasserstein import Grid, stratified_directions
from tests.models.particles.examples import DOMAIN, PAIRS, by_sorting, shares

CPU = torch.device("cpu")
DIRECTIONS = stratified_directions(3, 6, torch.Generator().manual_seed(2))


def plan(**more: object) -> Plan:
    stated = {"particles": 400, "epochs": 3, "directions": 6, "batch": 0, "penalty": 0.0, "seed": 0}
    return Plan(**(stated | more))  # type: ignore[arg-type]


def descent(**more: object) -> Descent:
    grid, how = Grid.of(PAIRS, list(shares().values()), CPU), plan(**more)
    x = torch.rand(3, how.particles, generator=torch.Generator().manual_seed(5))
    return Descent(x, grid, how, notice=lambda fact: None)


def test_the_batched_gradient_is_that_of_sorts_table_by_table() -> None:
    batched = descent(particles=5000)
    cos, sin = DIRECTIONS
    gradient, weight, loss = batched._gradient(torch.arange(3), cos, sin)
    expected, losses = torch.zeros(3, 5000), []
    for k, (one, other) in enumerate(PAIRS):
        u = torch.as_tensor(shares()[one, other].ravel())
        places = torch.cartesian_prod(*((torch.arange(s) + 0.5) / s for s in shares()[one, other].shape))
        for c, s in zip(cos[k], sin[k], strict=True):
            apart = by_sorting(batched.x[one] * c + batched.x[other] * s, places @ torch.stack([c, s]), u)
            expected[one] += apart * c
            expected[other] += apart * s
            losses.append(float(apart.square().mean()))
    assert float((gradient - expected).square().mean().sqrt()) < 0.01
    assert loss == pytest.approx(np.mean(losses), rel=1e-2)
    torch.testing.assert_close(weight, torch.full((3,), 6.0))


def test_memory_for_one_pair_at_a_time_gives_the_same_gradient(monkeypatch: pytest.MonkeyPatch) -> None:
    together = descent()._gradient(torch.arange(3), *DIRECTIONS)
    monkeypatch.setattr(particle_descent, "CELLS", 1)
    by_pair = descent()._gradient(torch.arange(3), *DIRECTIONS)
    torch.testing.assert_close(together[0], by_pair[0])
    assert together[2] == pytest.approx(by_pair[2])


def test_out_of_memory_halves_the_chunk_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    stated: list[str] = []
    small, failures = descent(), iter([True, False])
    small._notice = stated.append
    in_chunks = small._gradient_in_chunks

    def once_too_large(*args: torch.Tensor) -> object:
        if next(failures):
            raise torch.OutOfMemoryError
        return in_chunks(*args)

    monkeypatch.setattr(small, "_gradient_in_chunks", once_too_large)
    small._gradient(torch.arange(3), *DIRECTIONS)
    assert small._cells == 3 * 6 * 400 // 2 and "out of memory" in stated[0]


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
            plan(epochs=20, penalty=penalty),
            fences=fences,
            notice=lambda fact: None,
        )
        moved.run(lambda epoch, loss: None)
        one, other = (
            (x * size).long().clamp(max=size - 1) for x, size in zip(moved.x, DOMAIN.sizes[:2], strict=False)
        )
        inside.append(int(forbidden[one, other].sum()))
    assert inside[1] == 0 < inside[0]
