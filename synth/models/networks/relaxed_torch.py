"""Projection and gradient descent of relaxed rows in torch. Imported only where relaxed rows are fitted."""

from __future__ import annotations

import torch

from synth.models.networks.network_torch import (
    Floats,
    GramLoss,
    NetworkTask,
    Told,
    adam,
    begun,
    falling,
)
from synth.models.networks.products_torch import one_torch_thread


def sparsemax(rows: torch.Tensor) -> torch.Tensor:
    """Return the nearest distribution to every row (Martins and Astudillo 2016). Shapes: [rows, cells] to the
    same.

    max(z - tau, 0) with tau = (sum of the k largest - 1) / k for the largest k for which the k-th largest
    value remains above zero.
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
    told: Told,
) -> Floats:
    """Optimise rows by Adam, starting from `task.inputs`, and project each block of every row after every
    step.

    Shapes: returns float32[rows, H], where every block of a row is a distribution.
    """
    with one_torch_thread():
        loss, begin = GramLoss(task, device), torch.as_tensor(task.inputs, device=device)
        state = begun(begin)
        for step in range(1, steps + 1):
            rows = state[0].detach().requires_grad_()
            misfit = loss.misfit(*loss.tables(rows))
            (slope,) = torch.autograd.grad(misfit, rows)
            adam(state, slope, step, falling(rate, step, steps))
            parts = torch.split(state[0], list(task.heads), dim=1)
            state[0] = torch.cat([sparsemax(part) for part in parts], dim=1)
            told(step, misfit.item())
        found: Floats = state[0].cpu().numpy()
    return found
