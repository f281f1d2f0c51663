"""Convert noisy tables, including negative cells, to the nearest distributions in sliced distance.

Source: Donhauser et al. (ICML 2024), section 3.2, equations 3 and 5: along a direction, the distance of a
distribution u from a signed table v is the integral of |F_u - F_v|. u is a softmax, and Adam minimises the
distance.

Differs from the paper in: (a) all tables of one shape are one batch; (b) the gradient is computed explicitly,
with one cumulative sum forward and one backward; (c) forbidden cells never get mass.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from synth.models.particles.sliced_wasserstein import MaskedAdam, centres, random_directions
from synth.models.targets import Pair

ITERATIONS, DIRECTIONS = 1750, 200
"""Number of steps of Adam, and of random directions in each step."""

RATE, STEP, DECAY = 0.1, 100, 0.8
"""Learning rate of the projection, the number of iterations between its decreases, and the factor of each
decrease.
"""

CHECK = 25
"""Number of iterations between two reports."""

Heard = Callable[[float], None]
"""Function that is called with the progress of the projection, from 0 to 1. It may raise `Cancelled`."""


def projected(
    tables: Mapping[Pair, NDArray[np.float64]],
    allowed: Mapping[Pair, NDArray[np.bool_]],
    *,
    rng: torch.Generator,
    device: torch.device,
    heard: Heard,
) -> dict[Pair, NDArray[np.float64]]:
    """Return the distribution nearest to each signed table of shares. Shapes: each as its table.

    `allowed`: the cells that may have mass.
    """
    groups: dict[tuple[int, ...], list[Pair]] = {}
    for pair, table in tables.items():
        groups.setdefault(table.shape, []).append(pair)
    found: dict[Pair, NDArray[np.float64]] = {}
    for shape, pairs in groups.items():
        signed = np.stack([tables[p].ravel() for p in pairs])
        may = np.stack([allowed[p].ravel() for p in pairs])

        def within(part: float, *, done: int = len(found), here: int = len(pairs)) -> None:
            heard((done + here * part) / len(tables))

        u = _nearest(
            shape,
            torch.as_tensor(signed, dtype=torch.float32, device=device),
            torch.as_tensor(may, device=device),
            rng,
            within,
        )
        rows = u.cpu().numpy().astype(np.float64)
        found |= {p: row.reshape(shape) for p, row in zip(pairs, rows, strict=True)}
    return {pair: found[pair] for pair in tables}


def _nearest(
    shape: Sequence[int], signed: Tensor, allowed: Tensor, rng: torch.Generator, heard: Heard
) -> Tensor:
    """Return the distributions for tables of one shape. Shapes: all [tables, cells]."""
    places = torch.as_tensor(centres(shape), dtype=torch.float32)
    start = signed.clamp(min=0) * allowed
    start = start / start.sum(-1, keepdim=True).clamp(min=1e-12)
    logits = torch.log(start + 1e-9).masked_fill(~allowed, -torch.inf)
    adam = MaskedAdam(logits)
    for i in range(ITERATIONS):
        if i % CHECK == 0:
            heard(i / ITERATIONS)
        u = torch.softmax(logits, -1)
        slope = _slope(u - signed, places, *random_directions(1, DIRECTIONS, rng))
        gradient = u * (slope - (u * slope).sum(-1, keepdim=True))
        adam.move(logits, gradient, RATE * DECAY ** (i // STEP))
    return torch.softmax(logits, -1)


def _slope(apart: Tensor, places: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Return the gradient of the mean distance with respect to u (up to a constant per table), given the
    difference between u and the signed tables.
    """
    x, y = places
    rising, order = (cos[0][:, None] * x + sin[0][:, None] * y).sort(-1)
    place, gaps = order.argsort(-1).to(apart.device), torch.diff(rising, dim=-1).to(apart.device)
    signs = apart[:, order.to(apart.device)].cumsum(-1)[..., :-1].sign() * gaps
    back = torch.nn.functional.pad(signs.flip(-1).cumsum(-1).flip(-1), (0, 1))
    return back.gather(-1, place.expand(back.shape)).mean(1)
