"""Projection and gradient descent of relaxed rows in torch. This module is imported only where relaxed rows
are fitted.
"""

from __future__ import annotations

import torch

from synth.models.mixture.half_spaces import LEAST_SOFTNESS
from synth.models.networks.network_torch import (
    Floats,
    GramLoss,
    NetworkTask,
    OnStep,
    adam,
    adam_together,
    begun,
    falling,
)
from synth.models.networks.products_torch import one_torch_thread

FIRST_SOFTNESS = 0.5
"""Softness of half-spaces at the start of a fit, in standard deviations. It decreases to the minimum
softness.
"""


def sparsemax(rows: torch.Tensor) -> torch.Tensor:
    """Return the nearest distribution to every row (Martins and Astudillo 2016). Shapes: [rows, cells] to the
    same.

    The result is max(z - tau, 0) with tau = (sum of the k largest values - 1) / k, where k is the largest
    number for which the k-th largest value remains above zero.
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
    device: str,
    on_step: OnStep,
) -> Floats:
    """Optimise rows with Adam, starting from `task.inputs`, and project each block of every row after every
    step.

    If half-spaces are fitted, all entries share one second moment. A half-space has a small gradient in every
    column of every row. With separate second moments, Adam would scale these gradients to the same size as
    important gradients, and unmeasured pairs would move away from their initial values.

    Shapes: the result is float32[rows, H], in which every block of a row is a distribution.
    """
    with one_torch_thread():
        loss, begin = GramLoss(task, device), torch.as_tensor(task.inputs, device=device)
        state = begun(begin)
        stepped = adam_together if task.sides else adam
        for step in range(1, steps + 1):
            loss.soften(FIRST_SOFTNESS * (LEAST_SOFTNESS / FIRST_SOFTNESS) ** ((step - 1) / steps))
            rows = state[0].detach().requires_grad_()
            misfit = loss.misfit(*loss.tables(rows))
            (slope,) = torch.autograd.grad(misfit, rows)
            stepped(state, slope, step, falling(rate, step, steps))
            parts = torch.split(state[0], list(task.heads), dim=1)
            state[0] = torch.cat([sparsemax(part) for part in parts], dim=1)
            on_step(step, misfit.item())
        found: Floats = state[0].cpu().numpy()
    return found
