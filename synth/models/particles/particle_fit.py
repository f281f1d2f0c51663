"""Convert noisy tables to particles and particles to codes. This is the part of `Particles.fit` that uses
torch.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.ndimage import distance_transform_edt

from synth.core.progress import Reporter
from synth.core.zeros import allowed_cells
from synth.models.estimates.proportional import with_margins
from synth.models.networks.products_torch import one_torch_thread
from synth.models.particles.particle_descent import Descent, Fence, Plan
from synth.models.particles.sliced_wasserstein import Grid
from synth.models.pulse import Pulse
from synth.models.targets import Pair, Targets

RAKINGS = 10
"""Number of raking passes over the columns of a table."""

SETTLED = 1.02
"""Tolerance for convergence. The descent has converged if the loss of the last tenth of its epochs is at most
this factor times the loss of the previous tenth.
"""

Share = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Moved:
    """The final particles, and the distributions towards which they were moved. Shapes: `codes`:
    int64[particles, columns], in coarser codes.
    """

    codes: NDArray[np.int64]
    tables: Mapping[Pair, Share]
    converged: bool


def moved(
    targets: Targets,
    plan: Plan,
    *,
    start: NDArray[np.int64] | None,
    device: str,
    report: Reporter,
) -> Moved:
    """Return particles that are near all pairs of the targets. Shapes: `start`: int64[any, columns], the
    initial codes.
    """
    with one_torch_thread():
        if not targets.pairs:
            return Moved(_ranked(_begin(targets, plan, None).numpy(), targets), {}, True)
        place = torch.device(device)
        tables = target_tables(targets)
        grid = Grid.of(list(tables), list(tables.values()), place)
        pulse, losses = Pulse("moving particles", plan.epochs, report), list[float]()
        descent = Descent(
            _begin(targets, plan, start).to(place),
            grid,
            plan,
            fences=_fences(targets, place) if plan.penalty else (),
            notice=pulse.note,
        )

        def on_step(epoch: int, loss: float) -> None:
            losses.append(loss)
            pulse.on_step(epoch, loss)

        descent.run(on_step)
        x = descent.x.cpu().numpy()
    return Moved(_ranked(x, targets), tables, _has_settled(losses, plan.epochs))


def target_tables(targets: Targets) -> dict[Pair, Share]:
    """Return the distributions towards which the particles are moved. None of them has mass in a forbidden
    cell.
    """
    domain = targets.domain
    allowed = {
        pair: allowed_cells(domain, tuple(domain.names[i] for i in pair), targets.zeros)
        for pair in targets.pairs
    }
    return {
        pair: _raked(np.maximum(t.counts, 0.0) * allowed[pair], pair, targets)
        for pair, t in targets.pairs.items()
    }


def _ranked(x: NDArray[np.float32], targets: Targets) -> NDArray[np.int64]:
    """Return codes by rank: the particles are sorted by a column, and get its codes with the target
    frequencies.
    """
    n = x.shape[1]
    codes = np.empty((n, len(x)), dtype=np.int64)
    for i, (places, column) in enumerate(zip(x, targets.columns, strict=True)):
        ends = np.rint(np.cumsum(column) * (n / column.sum())).astype(np.int64)
        codes[np.argsort(places, kind="stable"), i] = np.repeat(
            np.arange(column.size), np.diff(ends, prepend=0)
        )
    return codes


def _begin(targets: Targets, plan: Plan, start: NDArray[np.int64] | None) -> torch.Tensor:
    """Return uniform particles, or particles at the centres of the cells of an earlier table's records."""
    rng = plan.rng(-1)
    if start is None:
        return torch.rand(len(targets.domain), plan.stage(0), generator=rng)
    sizes = torch.tensor(targets.domain.sizes)[:, None]
    codes = torch.as_tensor(start.T.copy())
    return ((codes + 0.5) / sizes).to(torch.float32)


def _raked(table: Share, pair: Pair, targets: Targets) -> Share:
    """Return the table after raking it to the columns' own distributions, as far as its zeros allow."""
    rows, columns = (targets.columns[i] / targets.columns[i].sum() for i in pair)
    raked = table if table.sum() > 0 else np.outer(rows, columns)
    raked = with_margins(raked, rows, columns, rounds=RAKINGS)
    return raked / raked.sum() if raked.sum() > 0 else np.outer(rows, columns)


def _fences(targets: Targets, device: torch.device) -> tuple[Fence, ...]:
    fences = []
    for zero in targets.zeros:
        if len(zero.clique) != 2 or not zero.forbidden.any() or zero.forbidden.all():
            continue
        width = [1 / size for size in zero.forbidden.shape]
        nearest = distance_transform_edt(
            zero.forbidden, sampling=width, return_distances=False, return_indices=True
        )
        towards = (nearest - np.indices(zero.forbidden.shape)) * np.array(width)[:, None, None]
        one, other = targets.domain.axes(zero.clique)
        fences.append(Fence(one, other, torch.as_tensor(towards, dtype=torch.float32, device=device)))
    return tuple(fences)


def _has_settled(losses: list[float], epochs: int) -> bool:
    """Return whether the loss of the last tenth of the epochs was at most `SETTLED` times that of the
    previous tenth.
    """
    tenth = max(1, epochs // 10)
    if len(losses) < 2 * tenth:
        return True
    return bool(np.mean(losses[-tenth:]) <= SETTLED * np.mean(losses[-2 * tenth : -tenth]) + 1e-12)
