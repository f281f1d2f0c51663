"""The network of `models.networks.network` in torch: its forward pass, its loss and its training.

All random numbers come from the module's own generators, so that no global state is read or changed.
Everything runs in one thread, so that the same task always returns the same network on the CPU, bit for bit.
The module is imported only where a network is fitted, because torch takes seconds to load.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional
from torch.optim.adam import adam as optimise

from synth.models.mixture.embedding import MeanEmbedding
from synth.models.mixture.embedding_torch import ExpectedSides, ExpectedWaves
from synth.models.mixture.half_spaces import MeasuredSides
from synth.models.networks.products_torch import gram, layer, log_softmaxes, one_torch_thread

Floats = NDArray[np.float32]

BETAS, EPSILON = (0.9, 0.999), 1e-8
"""Adam's parameters, as in the paper (the defaults of torch)."""

LEAST_LOG = -30.0
"""Log-probabilities below this value have no gradient, as in the authors' code."""


@dataclass(frozen=True, eq=False, kw_only=True)
class NetworkTask:
    """The inputs and targets of a network's fit, as shares of the records.

    The codes of all columns, D in total, are numbered consecutively, and so are the cells of all heads, H in
    total. Shapes: `heads`: sizes of the heads, which sum to H. `spread`: float32[H, D + more], the codes to
    which each cell contributes and, after the codes, the cells of pairs within a head. None if cells are
    codes. `linear`, `linear_weights`: float32[D + more], for single columns and for those pairs. `pairs`,
    `pair_weights`: float32[D, D], for all other pairs in both triangles. The weight is 0 for unmeasured
    cells. `base`: float32[H], log-shares to which the output is added and towards which `pull` (nats per
    record) shrinks it. None if there is no base. `inputs`: float32[batch, H], one-hot in every head for a
    network. `embeddings`, `sides`: noisy mean embeddings and half-space measurements that are also fitted.
    """

    heads: tuple[int, ...]
    spread: Floats | None
    linear: Floats
    linear_weights: Floats
    pairs: Floats
    pair_weights: Floats
    inputs: Floats
    base: Floats | None = None
    pull: float = 0.0
    embeddings: Sequence[MeanEmbedding] = ()
    sides: Sequence[MeasuredSides] = ()

    @property
    def cells(self) -> int:
        """The number of cells H."""
        return sum(self.heads)


@dataclass(frozen=True, kw_only=True)
class Training:
    """Options of the training: the number of units of the two hidden layers, the number of steps, Adam's
    rate, and whether the rate decreases to zero along half a cosine.
    """

    width: int
    steps: int
    rate: float
    falls: bool
    seed: int


@dataclass(frozen=True, eq=False, kw_only=True)
class Trained:
    """A trained network. Shapes: `logs`: float32[batch, H], log-probabilities of every head in every
    component; `weights`: float32[parameters].
    """

    logs: Floats
    weights: Floats


def shapes_of(cells: int, width: int) -> tuple[tuple[int, ...], ...]:
    """Return the shapes of the parameters. Each of the two blocks has the linear map and its bias, and the
    scale and shift of the batch normalisation. The linear map to the heads and its bias follow.
    """
    shapes: list[tuple[int, ...]] = []
    for wide in (cells, cells + width):
        shapes += [(width, wide), (width,), (width,), (width,)]
    return (*shapes, (cells, cells + 2 * width), (cells,))


def initial(cells: int, width: int, seed: int) -> torch.Tensor:
    """Return initial parameters as in torch: uniform within 1/sqrt(inputs), scale 1, shift 0."""
    rng, parts = torch.Generator().manual_seed(seed), []
    for wide in (cells, cells + width):
        parts += [_uniform(width * (wide + 1), wide, rng), torch.ones(width), torch.zeros(width)]
    wide = cells + 2 * width
    return torch.cat([*parts, _uniform(cells * (wide + 1), wide, rng)])


def _uniform(count: int, inputs: int, rng: torch.Generator) -> torch.Tensor:
    return (2 * torch.rand(count, generator=rng) - 1) / math.sqrt(inputs)


class ResidualNetwork:
    """Blocks of Linear, BatchNorm and ReLU, each with its input concatenated to its output, and one softmax
    per head.

    Batch normalisation always uses the mean and the variance of the batch, during and after training, so that
    samples come from the fitted distribution. The authors switch to running averages, which change the
    distribution.
    """

    def __init__(self, task: NetworkTask, width: int, device: str) -> None:
        self._shapes = shapes_of(task.cells, width)
        self._sizes = [math.prod(shape) for shape in self._shapes]
        self._heads = list(task.heads)
        self._base = None if task.base is None else torch.as_tensor(task.base, device=device)

    @property
    def parameters(self) -> int:
        return sum(self._sizes)

    def log_shares(self, weights: torch.Tensor, inputs: torch.Tensor) -> torch.Tensor:
        """Return the log-probabilities of every head in every row. Shapes: [rows, H].

        `inputs`: int64[rows, heads], the result of `ones_of`. Every layer appends the inputs to its numeric
        values.
        """
        parts = torch.split(weights, self._sizes)
        p = [part.view(shape) for part, shape in zip(parts, self._shapes, strict=True)]
        x = weights.new_zeros((len(inputs), 0))
        for linear, shift, scale, centre in (p[:4], p[4:8]):
            hidden = layer(x, inputs, linear) + shift
            hidden = functional.batch_norm(hidden, None, None, scale, centre, training=True)
            x = torch.cat([functional.relu(hidden), x], dim=1)
        out = layer(x, inputs, p[8]) + p[9]
        if self._base is not None:
            out = out + self._base
        return log_softmaxes(out, self._heads).clamp(min=LEAST_LOG)


def ones_of(inputs: Floats) -> torch.Tensor:
    """Return the selected cell of every head in every row of one-hot inputs. Shapes: int64[rows, heads]."""
    return torch.as_tensor(np.nonzero(inputs)[1].reshape(len(inputs), -1))


class GramLoss:
    """The weighted squared differences between soft marginals and noisy measurements, plus the penalty
    towards the columns' shares.

    The soft marginals of all pairs are computed at once as P^T P / b for P of shape [b, D]. The K x D query
    mask of the paper computes the same values separately for each measured cell, at several times the cost.
    If cells are not codes, they are converted to codes head by head, and the columns of P are in the order of
    the heads.
    """

    def __init__(self, task: NetworkTask, device: str) -> None:
        def on(array: Floats) -> torch.Tensor:
            return torch.as_tensor(array, device=device)

        self._heads, self._joins, order = list(task.heads), list[torch.Tensor](), np.arange(len(task.pairs))
        if task.spread is not None:
            heads = np.split(task.spread[:, : len(task.pairs)], np.cumsum(task.heads)[:-1])
            own = [np.flatnonzero(head.any(axis=0)) for head in heads]
            self._joins = [on(head[:, codes]) for head, codes in zip(heads, own, strict=True)]
            order = np.concatenate(own)
        self._pairs, self._pair_weights = (
            on(t[np.ix_(order, order)]) for t in (task.pairs, task.pair_weights)
        )
        measured_sets: list[MeanEmbedding | MeasuredSides] = [*task.embeddings, *task.sides]
        self._places = torch.as_tensor(np.argsort(order), device=device)
        self._linear = torch.cat([on(task.linear), *(on(e.means).ravel() for e in measured_sets)])
        self._linear_weights = torch.cat(
            [on(task.linear_weights), *(on(e.weights).ravel() for e in measured_sets)]
        )
        self._sides = [ExpectedSides(side.planes, device) for side in task.sides]
        self._more: list[ExpectedWaves | ExpectedSides] = [
            *(ExpectedWaves(e, device) for e in task.embeddings),
            *self._sides,
        ]
        self._spread = None if task.spread is None else on(task.spread)
        self._base = None if task.base is None else on(task.base)
        self._pull, self._rows = task.pull, len(task.inputs)

    def soften(self, softness: float) -> None:
        """Set the width of the smoothed steps of half-spaces, in standard deviations of their sums."""
        for sides in self._sides:
            sides.softness = softness

    def sums(self, logs: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return the contribution of some rows of the batch to the pairs' shares, to the linear shares, and
        to the penalty.
        """
        shares, pull = logs.exp(), logs.new_zeros(())
        if self._pull and self._base is not None:
            pull = self._pull * (shares * (logs - self._base)).sum() / self._rows
        return *self.tables(shares), pull

    def tables(self, shares: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the contribution of some rows of shares to the pairs and to all means over rows: columns,
        pairs within a head, embeddings, and half-spaces.
        """
        codes, linear = shares, shares.sum(dim=0)
        if self._spread is not None:
            parts = zip(torch.split(shares, self._heads, dim=1), self._joins, strict=True)
            codes, linear = torch.cat([part @ join for part, join in parts], dim=1), linear @ self._spread
        sums = torch.cat([linear, *(more(codes[:, self._places]) for more in self._more)])
        return gram(codes) / self._rows, sums / self._rows

    def misfit(self, pairs: torch.Tensor, linear: torch.Tensor) -> torch.Tensor:
        """Return half the weighted squared differences. A pair is in both triangles but counts once."""
        off_pairs, off_linear = pairs - self._pairs, linear - self._linear
        squares = (self._pair_weights * off_pairs * off_pairs).sum() / 4
        return squares + (self._linear_weights * off_linear * off_linear).sum() / 2


def gradient(
    network: ResidualNetwork, loss: GramLoss, weights: torch.Tensor, inputs: torch.Tensor
) -> tuple[torch.Tensor, float]:
    """Return the gradient and the misfit."""
    weights = weights.detach().requires_grad_()
    pairs, linear, pull = loss.sums(network.log_shares(weights, inputs))
    misfit = loss.misfit(pairs, linear)
    (found,) = torch.autograd.grad(misfit + pull, weights)
    return found, misfit.item()


OnStep = Callable[[int, float], None]
"""A function that is called after each step with its number and the loss."""


def train(
    task: NetworkTask,
    training: Training,
    *,
    start: Floats | None,
    ended: Floats | None,
    device: str,
    on_step: OnStep,
) -> Trained:
    """Train with Adam on the whole batch in every step.

    Shapes: `start`: float32[parameters], of a network with the same shape. `ended`: float32[parameters], the
    final network of the same training, which is then not repeated. Arrays of other shapes are ignored.
    """
    with one_torch_thread():
        network, loss = ResidualNetwork(task, training.width, device), GramLoss(task, device)
        size = network.parameters
        if start is not None and start.size == size:
            weights = torch.as_tensor(start)
        else:
            weights = initial(task.cells, training.width, training.seed)
        state, steps = begun(weights.to(device)), training.steps
        if ended is not None and ended.shape == (size,) and ended.dtype == np.float32:
            state, steps = torch.as_tensor(ended, device=device)[None], 0
        inputs = ones_of(task.inputs).to(device)
        for step in range(1, steps + 1):
            slope, value = gradient(network, loss, state[0], inputs)
            rate = training.rate
            adam(state, slope, step, falling(rate, step, training.steps) if training.falls else rate)
            on_step(step, value)
        with torch.no_grad():
            logs = network.log_shares(state[0], inputs)
        return Trained(logs=logs.cpu().numpy(), weights=state[0].cpu().numpy())


def begun(values: torch.Tensor) -> torch.Tensor:
    """Return the initial state of a descent: the values, and both moments of Adam."""
    return torch.stack([values, torch.zeros_like(values), torch.zeros_like(values)])


def falling(rate: float, step: int, steps: int) -> float:
    """Return Adam's rate at a step, which decreases along half a cosine. The first step is 1."""
    return rate * 0.5 * (1 + math.cos(math.pi * (step - 1) / steps))


def adam(state: torch.Tensor, slope: torch.Tensor, step: int, rate: float) -> None:
    """Make one step of Adam. The weights and the first and second moments are changed in place."""
    optimise(
        [state[0]],
        [slope],
        [state[1]],
        [state[2]],
        [],
        [torch.tensor(float(step - 1))],
        fused=state.device.type == "cpu",
        foreach=False,
        amsgrad=False,
        beta1=BETAS[0],
        beta2=BETAS[1],
        lr=rate,
        weight_decay=0.0,
        eps=EPSILON,
        maximize=False,
    )


def adam_together(state: torch.Tensor, slope: torch.Tensor, step: int, rate: float) -> None:
    """Make one step of Adam in place, with the mean second moment of all weights for every weight, so that
    the step has the direction of the averaged gradient.
    """
    fast, slow = BETAS
    state[1].lerp_(slope, 1 - fast)
    state[2].lerp_(slope * slope, 1 - slow)
    mean, square = state[1] / (1 - fast**step), state[2] / (1 - slow**step)
    state[0] -= rate * mean / (square.mean().sqrt() + EPSILON)
