"""Relaxed rows in torch: their projection and their descent. Imported where rows are fitted alone."""

from __future__ import annotations

from functools import partial

import numpy as np
import torch
from numpy.typing import NDArray

from synth.models.mixture.half_spaces import LEAST_SOFTNESS
from synth.models.networks.network_torch import (
    Floats,
    GramLoss,
    NetworkTask,
    Told,
    adam,
    adam_together,
    begun,
    falling,
    kept,
)
from synth.models.networks.products_torch import one_torch_thread

FIRST_SOFTNESS = 0.5
"""Of the steps of half-spaces when a fit begins, in standard deviations; it falls to the least one."""


def sparsemax(rows: torch.Tensor) -> torch.Tensor:
    """The nearest distribution to every row (Martins and Astudillo 2016). Shapes: [rows, cells] to the same.

    max(z - tau, 0) with tau = (sum of the k largest - 1) / k for the largest k at which the k-th stays above
    zero.
    """
    ranked = rows.sort(dim=1, descending=True).values
    over = ranked.cumsum(dim=1) - 1
    ranks = torch.arange(1, rows.shape[1] + 1, device=rows.device)
    support = (ranks * ranked > over).sum(dim=1, keepdim=True)
    return (rows - over.gather(1, support - 1) / support).clamp(min=0)


def relax(
    task: NetworkTask,
    *,
    steps: int,
    rate: float,
    saved: NDArray[np.float64] | None,
    device: str,
    told: Told,
) -> Floats:
    """Rows moved from `task.inputs` by Adam, each block of every row projected after every step.

    Where sides of half-spaces are fitted, all numbers have one second moment: a plane moves every column of
    every row a little, which Adam's own would make as much as what matters, and pairs that were not measured
    would drift away from where they began.

    Shapes: `saved`: float64[1 + 3 rows H], a state that `told` was offered; others are passed over. Returns
    float32[rows, H], every block of a row a distribution.
    """
    with one_torch_thread():
        loss, begin = GramLoss(task, device), torch.as_tensor(task.inputs, device=device)
        state, step = begun(begin, saved)
        stepped = adam_together if task.sides else adam
        while step < steps:
            loss.soften(FIRST_SOFTNESS * (LEAST_SOFTNESS / FIRST_SOFTNESS) ** (step / steps))
            rows = state[0].detach().requires_grad_()
            misfit = loss.misfit(*loss.tables(rows))
            (slope,) = torch.autograd.grad(misfit, rows)
            step += 1
            stepped(state, slope, step, falling(rate, step, steps))
            parts = torch.split(state[0], list(task.heads), dim=1)
            state[0] = torch.cat([sparsemax(part) for part in parts], dim=1)
            told(step, misfit.item(), partial(kept, step, state))
        found: Floats = state[0].cpu().numpy()
    return found
