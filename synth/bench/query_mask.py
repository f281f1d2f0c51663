"""The loss of MargNet as its authors compute it: a mask with a row per measured cell.

A reference for `generate.network_torch.GramLoss`, which has the same value from one matrix product: the tests
hold them against each other. `python -m synth.bench.query_mask` times both on the pairs of tables as wide as
Adult and as the Gaussian tables of the paper.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import combinations, islice, pairwise, product

import numpy as np
import torch
from numpy.typing import NDArray

from synth.bench.measure import say
from synth.models.networks.network_torch import GramLoss, NetworkTask, one_torch_thread

Answered = Mapping[tuple[int, ...], tuple[NDArray[np.float64], float]]
"""Of one or two columns, by position: the noisy shares and their weight."""

REPEATS = 5

WIDTHS = (("14 columns of 42 codes (Adult)", 14, 42, 47), ("30 columns of 20 codes (Gauss30)", 30, 20, 120))
"""Columns, codes of each, and measured pairs, about as many as a run at epsilon 1 has."""


class QueryMask:
    """Sum over measured cells of w (mean over the batch of exp(logP q) - y)^2, q the cell's 0/1 row."""

    def __init__(self, sizes: Sequence[int], answered: Answered) -> None:
        firsts = np.concatenate([[0], np.cumsum(sizes)])
        rows, wanted, weights = [], [], []
        for axes, (shares, weight) in answered.items():
            for cell in product(*(range(sizes[a]) for a in axes)):
                row = np.zeros(int(firsts[-1]), dtype=np.float32)
                row[[firsts[a] + code for a, code in zip(axes, cell, strict=True)]] = 1.0
                rows.append(row)
                wanted.append(shares[cell])
                weights.append(weight)
        self._mask = torch.as_tensor(np.stack(rows))
        self._wanted, self._weights = (
            torch.as_tensor(np.array(v, dtype=np.float32)) for v in (wanted, weights)
        )

    def __call__(self, logs: torch.Tensor) -> torch.Tensor:
        """Shapes: `logs` [batch, codes of all columns]."""
        cells = (logs @ self._mask.T).exp().mean(dim=0)
        return (self._weights * (cells - self._wanted) ** 2).sum()


def gram_task(sizes: Sequence[int], answered: Answered, *, batch: int) -> NetworkTask:
    """The same answers for `GramLoss`, whose misfit is half the query mask's loss."""
    firsts = np.concatenate([[0], np.cumsum(sizes)])
    codes = int(firsts[-1])
    linear, linear_weights = (np.zeros(codes, dtype=np.float32) for _ in range(2))
    pairs, pair_weights = (np.zeros((codes, codes), dtype=np.float32) for _ in range(2))
    spans = [slice(int(a), int(b)) for a, b in pairwise(firsts)]
    for axes, (shares, weight) in answered.items():
        if len(axes) == 1:
            linear[spans[axes[0]]], linear_weights[spans[axes[0]]] = shares, weight
            continue
        i, j = axes
        pairs[spans[i], spans[j]], pairs[spans[j], spans[i]] = shares, shares.T
        pair_weights[spans[i], spans[j]] = pair_weights[spans[j], spans[i]] = weight
    return NetworkTask(
        heads=tuple(sizes),
        spread=None,
        linear=linear,
        linear_weights=linear_weights,
        pairs=pairs,
        pair_weights=pair_weights,
        base=None,
        pull=0.0,
        inputs=np.zeros((batch, codes), dtype=np.float32),
    )


def _milliseconds(loss: Callable[[torch.Tensor], torch.Tensor], logs: torch.Tensor) -> float:
    """Of one evaluation with its gradient: the fastest of a few."""
    found = []
    for _ in range(REPEATS):
        start = time.process_time()
        torch.autograd.grad(loss(logs.requires_grad_()), logs)
        found.append(1000 * (time.process_time() - start))
    return min(found)


def _misfit(gram: GramLoss, logs: torch.Tensor) -> torch.Tensor:
    return gram.misfit(*gram.sums(logs)[:2])


def main() -> None:
    """Print how long each form takes, value and gradient, one thread."""
    rng = np.random.default_rng(0)
    for title, columns, codes, measured in WIDTHS:
        sizes = (codes,) * columns
        answered: dict[tuple[int, ...], tuple[NDArray[np.float64], float]] = {
            pair: (rng.dirichlet(np.ones(codes**2)).reshape(codes, codes), 1.0)
            for pair in islice(combinations(range(columns), 2), measured)
        }
        logits = torch.as_tensor(rng.standard_normal((512, columns, codes)), dtype=torch.float32)
        logs = logits.log_softmax(dim=2).reshape(512, -1)
        with one_torch_thread():
            gram = GramLoss(gram_task(sizes, answered, batch=len(logs)), "cpu")
            own = _milliseconds(partial(_misfit, gram), logs)
            theirs = _milliseconds(QueryMask(sizes, answered), logs)
        say(f"{title}, {measured} pairs: {own:.1f} ms by one product, {theirs:.1f} ms by the mask")


if __name__ == "__main__":
    main()
