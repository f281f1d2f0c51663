"""PrivPGD as published, table by table: what the batched forms of `generate` are tested against and timed by.

Donhauser et al. (ICML 2024), sections 3.2 and 3.3, with the hyper-parameters of section 4.1. Nothing is
batched over tables, and every distance is a sort.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from synth.models.targets import Pair

ITERATIONS, PROJECTION_DIRECTIONS = 1750, 200
EPOCHS, BATCH, DIRECTIONS, KEPT = 1000, 5, 10, 0.2
PARTICLES = 100_000


def grid_of(shape: tuple[int, ...]) -> Tensor:
    """Centres of a table's cells. Shapes: float32[cells, 2]."""
    places = [(torch.arange(size) + 0.5) / size for size in shape]
    grid: Tensor = torch.cartesian_prod(*places)
    return grid


def directions_of(number: int, rng: torch.Generator) -> Tensor:
    """Independent uniform directions. Shapes: float32[number, 2]."""
    drawn = torch.randn(number, 2, generator=rng)
    unit: Tensor = drawn / (drawn.norm(dim=1, keepdim=True) + 1e-9)
    return unit


def signed_distance(u: Tensor, v: Tensor, grid: Tensor, directions: Tensor) -> Tensor:
    """Sliced 1-Wasserstein distance of two signed tables, equation 3. Shapes: `u`, `v`: [cells]."""
    total = torch.zeros(())
    for direction in directions:
        places, order = (grid @ direction).sort()
        total = total + ((u - v)[order].cumsum(0)[:-1].abs() * places.diff()).sum()
    return total / len(directions)


def projection(
    table: NDArray[np.float64], rng: torch.Generator, *, iterations: int = ITERATIONS
) -> NDArray[np.float64]:
    """The distribution nearest to a signed table of shares, equation 5. Shapes: as `table`."""
    v, grid = torch.as_tensor(table.ravel(), dtype=torch.float32), grid_of(table.shape)
    start = v.clamp(min=0) / v.clamp(min=0).sum()
    logits = torch.log(start + 1e-9).requires_grad_()
    adam = torch.optim.Adam([logits], lr=0.1)
    schedule = torch.optim.lr_scheduler.StepLR(adam, step_size=100, gamma=0.8)
    for _ in range(iterations):
        adam.zero_grad()
        distance = signed_distance(
            torch.softmax(logits, 0), v, grid, directions_of(PROJECTION_DIRECTIONS, rng)
        )
        distance.backward()  # type: ignore[no-untyped-call]
        adam.step()
        schedule.step()
    return torch.softmax(logits, 0).detach().numpy().reshape(table.shape).astype(np.float64)


def quantised(table: NDArray[np.float64], particles: int, rng: np.random.Generator) -> Tensor:
    """Particles at the centres of a distribution's cells, equation 6. Shapes: float32[particles, 2]."""
    counts = np.floor(table.ravel() * particles).astype(np.int64)
    counts += rng.multinomial(particles - counts.sum(), table.ravel() / table.sum())
    return grid_of(table.shape).repeat_interleave(torch.as_tensor(counts), dim=0)


def pair_gradient(x: Tensor, wanted: Tensor, directions: Tensor) -> tuple[Tensor, float]:
    """Gradient and value of the squared sliced 2-Wasserstein distance of one pair, equation 8, without the
    factor 1 / particles. Shapes: both [particles, 2]."""
    gradient, loss = torch.zeros_like(x), 0.0
    for direction in directions:
        places, order = (x @ direction).sort()
        apart = places - (wanted @ direction).sort().values
        gradient[order] += 2 * apart[:, None] * direction
        loss += float(apart.square().mean())
    return gradient / len(directions), loss / len(directions)


def records(
    tables: Mapping[Pair, NDArray[np.float64]],
    sizes: Sequence[int],
    *,
    particles: int,
    seed: int,
    iterations: int = ITERATIONS,
    epochs: int = EPOCHS,
) -> NDArray[np.int64]:
    """The whole method on signed tables of shares: project each, descend towards them, read codes off the
    line. Shapes: returns int64[particles, len(sizes)]."""
    rng, drawn = torch.Generator().manual_seed(seed), np.random.default_rng(seed)
    near = {pair: projection(table, rng, iterations=iterations) for pair, table in tables.items()}
    wanted = {pair: quantised(table, particles, drawn) for pair, table in near.items()}
    x = descend(torch.rand(particles, len(sizes), generator=rng), wanted, rng, epochs=epochs)
    codes = np.floor(x.numpy() * np.array(sizes)).astype(np.int64)
    return np.asarray(np.minimum(codes, np.array(sizes) - 1))


@dataclass(frozen=True, kw_only=True)
class Pace:
    """Seconds on this machine: an epoch, the projection of a table, and what 1,000 epochs and all tables come
    to at that pace."""

    epoch: float
    projection: float
    whole: float


def descend(
    x: Tensor,
    wanted: Mapping[Pair, Tensor],
    rng: torch.Generator,
    *,
    epochs: int = EPOCHS,
    told: Callable[[int], None] = lambda epoch: None,
) -> Tensor:
    """Mini-batch descent with four fifths of the gradient at rest. Shapes: `x`: [particles, columns]."""
    first, second, steps, pairs = torch.zeros_like(x), torch.zeros_like(x), 0, list(wanted)
    for epoch in range(epochs):
        rate = 0.1 * 0.75 ** (epoch // 50)
        order = torch.randperm(len(pairs), generator=rng).tolist()
        for begin in range(0, len(pairs), BATCH):
            gradient = torch.zeros_like(x)
            for k in order[begin : begin + BATCH]:
                columns = list(pairs[k])
                found, _ = pair_gradient(x[:, columns], wanted[pairs[k]], directions_of(DIRECTIONS, rng))
                gradient[:, columns] += 100 * found
            rest = torch.randperm(gradient.numel(), generator=rng)[int(KEPT * gradient.numel()) :]
            gradient.view(-1)[rest] = 0
            steps += 1
            moved = gradient != 0
            first[moved] += 0.1 * (gradient[moved] - first[moved])
            second[moved] += 0.001 * (gradient[moved] ** 2 - second[moved])
            size = rate * (1 - 0.999**steps) ** 0.5 / (1 - 0.9**steps)
            x[moved] -= size * first[moved] / (second[moved].sqrt() + 1e-8)
            x.clamp_(0, 1)
        told(epoch + 1)
    return x


def pace(
    tables: Mapping[Pair, NDArray[np.float64]], columns: int, *, epochs: int = 2, iterations: int = 5
) -> Pace:
    """Time a few epochs and the projection of one table, and extrapolate. `tables`: signed shares."""
    rng, drawn = torch.Generator().manual_seed(0), np.random.default_rng(0)
    largest = max(tables.values(), key=np.size)
    before = time.process_time()
    projection(largest, rng, iterations=iterations)
    per_table = (time.process_time() - before) / iterations * ITERATIONS
    positive = {pair: np.maximum(table, 0) for pair, table in tables.items()}
    wanted = {pair: quantised(table / table.sum(), PARTICLES, drawn) for pair, table in positive.items()}
    before = time.process_time()
    descend(torch.rand(PARTICLES, columns, generator=rng), wanted, rng, epochs=epochs)
    each = (time.process_time() - before) / epochs
    return Pace(epoch=each, projection=per_table, whole=each * EPOCHS + per_table * len(tables))
