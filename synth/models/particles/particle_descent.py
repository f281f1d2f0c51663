"""Move particles by gradient descent until their pairs are near given distributions in sliced Wasserstein
distance.

Source: Donhauser et al. (ICML 2024), section 3.3, equations 7 and 8.

Differences from the paper:

- Directions are stratified instead of random.
- Transport is computed from the ranks of histograms instead of by sorting.
- By default, all tables are used in every step instead of mini-batches.
- The whole gradient is used, whereas the paper sets four fifths of it to zero.
- Steps use momentum instead of Adam. The step size would correct a pure shift in one step, and decreases
  along a cosine instead of in steps.
- There are few particles in the first epochs.

Memory: X, its gradient and its velocity take 4 bytes each for n particles times d columns. A chunk takes
about 24 * pairs * directions * particles bytes. The product of the three numbers is at most `CELLS` on the
CPU and `CELLS_CARD` on a graphics card. On a graphics card, a chunk is halved when memory runs out.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from synth.models.particles.sliced_wasserstein import (
    Grid,
    residuals_by_ranks,
    stratified_directions,
)

CELLS, CELLS_CARD = 1 << 19, 1 << 27
"""Maximum number of entries of a tensor of projections, on the CPU (to fit into a core's cache) and on a
graphics card.
"""

MOMENTUM = 0.9
"""Fraction of the previous step that is added to a step."""

FIRST_RATE, LAST_RATE = 1.0, 0.02
"""Step sizes of the first and the last epoch, as fractions of a full step. They decrease along half a
cosine.
"""

STAGES = ((1 / 16, 0.5), (1 / 4, 0.75), (1.0, 1.0))
"""Stages of the descent: the fraction of the particles, and the fraction of the epochs at which the stage
ends.
"""

FEWEST, JITTER = 2_000, 0.01
"""Minimum number of particles in a stage, and the maximum distance between a copied particle and its
original.
"""

Tell = Callable[[int, float], None]
"""A function that is called between epochs with the epoch and the loss. It may raise `Cancelled`."""

Notice = Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Options of the descent. `batch`: the number of tables in one step."""

    particles: int
    epochs: int
    directions: int
    batch: int
    penalty: float
    seed: int

    def stage(self, epoch: int) -> int:
        """Return the number of particles of an epoch."""
        part = next(part for part, until in STAGES if epoch < until * self.epochs)
        return min(self.particles, max(FEWEST, math.ceil(part * self.particles)))

    def rng(self, epoch: int) -> torch.Generator:
        """Return the random number generator of one epoch."""
        return torch.Generator().manual_seed((self.seed * 1_000_003 + epoch + 1) % 2**63)


@dataclass(frozen=True, eq=False)
class Fence:
    """Forbidden cells of two columns. Shapes: `towards`: [2, sizes of the columns], the vector from the
    centre of a cell to the centre of the nearest allowed cell. It is zero in an allowed cell.
    """

    one: int
    other: int
    towards: Tensor

    def push(self, x: Tensor, strength: float) -> None:
        """Move particles in forbidden cells towards allowed cells by the fraction `strength` of this vector,
        in place. This is the gradient step of a hinge penalty.
        """
        sizes = self.towards.shape[1:]
        cell = [
            (x[c] * s).long().clamp_(max=s - 1) for c, s in zip((self.one, self.other), sizes, strict=True)
        ]
        for axis, column in enumerate((self.one, self.other)):
            x[column] += strength * self.towards[axis][cell[0], cell[1]]


class Descent:
    """The particles and their velocities. Shapes: `x`: float32[columns, particles] in [0, 1]."""

    def __init__(
        self,
        x: Tensor,
        grid: Grid,
        plan: Plan,
        *,
        fences: tuple[Fence, ...] = (),
        notice: Notice,
    ) -> None:
        self.x, self._grid, self._plan, self._fences = x, grid, plan, fences
        self._cells = CELLS if x.device.type == "cpu" else CELLS_CARD
        self._velocity, self._notice = torch.zeros_like(x), notice
        self.epoch, self.loss = 0, math.inf

    def run(self, tell: Tell) -> None:
        """Run all remaining epochs."""
        while self.epoch < self._plan.epochs:
            rng = self._plan.rng(self.epoch)
            self._resize(self._plan.stage(self.epoch), rng)
            order = torch.randperm(len(self._grid.one), generator=rng)
            batches = torch.split(order, self._plan.batch or len(order))
            self.loss = sum(self._step(batch, rng) * len(batch) for batch in batches) / len(order)
            self.epoch += 1
            tell(self.epoch, self.loss)

    def _resize(self, wanted: int, rng: torch.Generator) -> None:
        """Change the number of particles by copying existing particles with small random differences."""
        n = self.x.shape[1]
        if wanted == n:
            return
        chosen = (torch.arange(wanted) * n // wanted).to(self.x.device)
        apart = (torch.rand(len(self.x), wanted, generator=rng) - 0.5).to(self.x.device) * JITTER
        self.x = (self.x[:, chosen] + apart).clamp_(0, 1)
        self._velocity = self._velocity[:, chosen]

    def _step(self, batch: Tensor, rng: torch.Generator) -> float:
        """Move the particles once along the gradient of these tables, and return the loss."""
        cos, sin = stratified_directions(len(batch), self._plan.directions, rng)
        gradient, weight, loss = self._gradient(batch, cos, sin)
        full = gradient / weight.clamp(min=0.5)[:, None]
        self._velocity = MOMENTUM * self._velocity - self._rate() * full
        self.x += self._velocity
        self.x.clamp_(0, 1)
        for fence in self._fences:
            fence.push(self.x, self._plan.penalty)
        return loss

    def _rate(self) -> float:
        turn = 0.5 + 0.5 * math.cos(math.pi * self.epoch / max(self._plan.epochs - 1, 1))
        return LAST_RATE + (FIRST_RATE - LAST_RATE) * turn

    def _gradient(self, batch: Tensor, cos: Tensor, sin: Tensor) -> tuple[Tensor, Tensor, float]:
        """Return the sum over tables and directions of residual times direction, the expected sum of squared
        cosines of every column, and the mean squared residual. The computation is split into chunks that fit
        into memory.
        """
        while True:
            try:
                return self._gradient_in_chunks(batch, cos, sin)
            except torch.OutOfMemoryError:
                least = self._plan.directions * self.x.shape[1]
                if self._cells < 2 * least:
                    raise
                self._cells = min(self._cells, least * len(batch)) // 2
                torch.cuda.empty_cache()
                self._notice(
                    f"the graphics card is out of memory: {self._cells // least} pairs at a time from here on"
                )

    def _gradient_in_chunks(self, batch: Tensor, cos: Tensor, sin: Tensor) -> tuple[Tensor, Tensor, float]:
        x, device, n = self.x, self.x.device, self.x.shape[1]
        gradient, weight, loss = torch.zeros_like(x), torch.zeros(len(x), device=device), 0.0
        pairs = max(1, self._cells // (self._plan.directions * n))
        for some in torch.split(torch.arange(len(batch)), pairs):
            grid = self._grid.part(batch[some].to(device))
            c, s = cos[some].to(device), sin[some].to(device)
            z = torch.addcmul(x[grid.one][:, None] * c[..., None], x[grid.other][:, None], s[..., None])
            rising, order = grid.along(c, s)
            shares = grid.shares[:, None].expand(order.shape).gather(-1, order)
            apart = residuals_by_ranks(z, rising.to(shares.dtype), shares, c, s)
            gradient.index_add_(0, grid.one, torch.einsum("pkn,pk->pn", apart, c))
            gradient.index_add_(0, grid.other, torch.einsum("pkn,pk->pn", apart, s))
            for columns in (grid.one, grid.other):
                weight += self._plan.directions / 2 * torch.bincount(columns, minlength=len(x))
            loss += float(apart.square().mean((1, 2)).sum())
        return gradient, weight, loss / len(batch)
