"""Noisy tables, cells below zero included, to the distributions nearest to them in sliced distance.

Source: Donhauser et al. (ICML 2024), section 3.2, equations 3 and 5: along a direction the distance of a
distribution u from a signed table v is the integral of |F_u - F_v|. u is a softmax, minimised by Adam.

Differs from the paper in: (a) all tables of one shape are one batch; (b) the gradient is written out: one
cumulative sum there and one back; (c) by default the directions are a fixed fan whose sort orders are worked
out once, taken in turns of a few, and the search stops where it no longer gains; (d) forbidden cells never
get mass. With `PAPER` only (a), (b) and (d) remain.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from synth.models.particles.masked_adam import MaskedAdam
from synth.models.particles.sliced_wasserstein import centres, random_directions, stratified_directions
from synth.models.targets import Pair

RATE, STEP, DECAY = 0.1, 100, 0.8
"""Learning rate of the projection, and the factor it is multiplied by every so many iterations."""

FAN, CHECK, GAIN = 64, 25, 0.005
"""Fixed directions; iterations after which the gain is looked at, and the relative gain below which to
stop."""

Heard = Callable[[float], None]
"""Called with the progress of the projection, from 0 to 1; may raise `Cancelled`."""


@dataclass(frozen=True, kw_only=True)
class ProjectionOptions:
    """`directions` of each iteration; `is_fixed`: from a fan of fixed ones, else fresh and random."""

    iterations: int = 150
    directions: int = 8
    is_fixed: bool = True


PAPER = ProjectionOptions(iterations=1750, directions=200, is_fixed=False)


def projected(
    tables: Mapping[Pair, NDArray[np.float64]],
    allowed: Mapping[Pair, NDArray[np.bool_]],
    *,
    options: ProjectionOptions,
    rng: torch.Generator,
    device: torch.device,
    heard: Heard,
) -> dict[Pair, NDArray[np.float64]]:
    """The distribution nearest to each signed table of shares. Shapes: each as its table.

    `allowed`: of the pairs with forbidden cells, which cells may hold mass.
    """
    groups: dict[tuple[int, ...], list[Pair]] = {}
    for pair, table in tables.items():
        groups.setdefault(table.shape, []).append(pair)
    found: dict[Pair, NDArray[np.float64]] = {}
    for shape, pairs in groups.items():
        signed = np.stack([tables[p].ravel() for p in pairs])
        may = np.stack([allowed.get(p, np.ones(shape, dtype=np.bool_)).ravel() for p in pairs])
        search = _Search(shape, torch.as_tensor(signed, dtype=torch.float32, device=device), options, rng)
        within = partial(_within, heard, len(found) / len(tables), len(pairs) / len(tables))
        u = search.minimum(torch.as_tensor(may, device=device), within)
        found |= {
            p: row.reshape(shape) for p, row in zip(pairs, u.cpu().numpy().astype(np.float64), strict=True)
        }
    return {pair: found[pair] for pair in tables}


def _within(heard: Heard, done: float, share: float, part: float) -> None:
    heard(done + share * part)


class _Search:
    """The minimisation for tables of one shape. Shapes: `signed`: [tables, cells]."""

    def __init__(
        self, shape: Sequence[int], signed: Tensor, options: ProjectionOptions, rng: torch.Generator
    ) -> None:
        self._signed, self._options, self._rng = signed, options, rng
        self._places = torch.as_tensor(centres(shape), dtype=torch.float32)
        turns = FAN // options.directions
        if options.is_fixed:
            cos, sin = stratified_directions(1, turns * options.directions, rng)
            self._turns = [self._ordered(cos[0, i::turns], sin[0, i::turns]) for i in range(turns)]

    def minimum(self, allowed: Tensor, heard: Heard) -> Tensor:
        """The distributions. Shapes: bool[tables, cells] to [tables, cells]."""
        start = self._signed.clamp(min=0) * allowed
        start = start / start.sum(-1, keepdim=True).clamp(min=1e-12)
        logits = torch.log(start + 1e-9).masked_fill(~allowed, -torch.inf)
        adam, before, sums = MaskedAdam(logits), float("inf"), 0.0
        for i in range(self._options.iterations):
            if i % CHECK == 0:
                heard(i / self._options.iterations)
            u = torch.softmax(logits, -1)
            loss, slope = self._slope(u, *self._directions(i))
            sums += loss
            gradient = u * (slope - (u * slope).sum(-1, keepdim=True))
            adam.move(logits, gradient, RATE * DECAY ** (i // STEP))
            if self._options.is_fixed and i % CHECK == CHECK - 1:
                if sums > before * (1 - GAIN):
                    break
                before, sums = sums, 0.0
        return torch.softmax(logits, -1)

    def _directions(self, iteration: int) -> tuple[Tensor, Tensor, Tensor]:
        if self._options.is_fixed:
            return self._turns[iteration % len(self._turns)]
        cos, sin = random_directions(1, self._options.directions, self._rng)
        return self._ordered(cos[0], sin[0])

    def _ordered(self, cos: Tensor, sin: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Cells in the order of each direction, the place of each cell in it, and the gaps between them."""
        x, y = self._places
        rising, order = (cos[:, None] * x + sin[:, None] * y).sort(-1)
        gaps = torch.diff(rising, dim=-1)
        device = self._signed.device
        return order.to(device), order.argsort(-1).to(device), gaps.to(device)

    def _slope(self, u: Tensor, order: Tensor, place: Tensor, gaps: Tensor) -> tuple[float, Tensor]:
        """The mean distance of all tables, and its gradient by u (up to a constant per table)."""
        apart = (u - self._signed)[:, order].cumsum(-1)[..., :-1]
        signed_gaps = apart.sign() * gaps
        loss = float((apart * signed_gaps).sum(-1).mean())
        back = torch.nn.functional.pad(signed_gaps.flip(-1).cumsum(-1).flip(-1), (0, 1))
        return loss, back.gather(-1, place.expand(back.shape)).mean(1)
