from dataclasses import replace

import numpy as np
import pytest
import torch

from synth.models.networks import network_torch
from synth.models.networks.network_torch import (
    GramLoss,
    NetworkTask,
    ResidualNetwork,
    Training,
    gradient,
    train,
)

TRAINING = Training(width=6, steps=30, rate=0.02, falls=True, seed=3)


def task(batch: int = 12) -> NetworkTask:
    rng = np.random.default_rng(0)
    table = rng.dirichlet(np.ones(6)).reshape(2, 3)
    pairs = np.zeros((5, 5))
    pairs[:2, 2:], pairs[2:, :2] = table, table.T
    inputs = np.zeros((batch, 5), dtype=np.float32)
    inputs[np.arange(batch), rng.integers(0, 2, batch)] = 1
    inputs[np.arange(batch), 2 + rng.integers(0, 3, batch)] = 1
    return NetworkTask(
        heads=(2, 3),
        spread=None,
        linear=np.concatenate([table.sum(1), table.sum(0)]).astype(np.float32),
        linear_weights=np.ones(5, dtype=np.float32),
        pairs=pairs.astype(np.float32),
        pair_weights=(pairs > 0).astype(np.float32),
        base=np.zeros(5, dtype=np.float32),
        pull=0.01,
        inputs=inputs,
    )


def trained(given: NetworkTask, training: Training = TRAINING, **more: object) -> network_torch.Trained:
    usual = {"start": None, "ended": None, "device": "cpu", "on_step": lambda *a: None}
    return train(given, training, **{**usual, **more})  # type: ignore[arg-type]


def test_heads_are_distributions_and_the_fit_comes_nearer() -> None:
    losses: list[float] = []
    found = trained(task(), on_step=lambda step, loss: losses.append(loss))
    shares = np.exp(found.logs)
    np.testing.assert_allclose(shares[:, :2].sum(1), 1, rtol=1e-5)
    np.testing.assert_allclose(shares[:, 2:].sum(1), 1, rtol=1e-5)
    assert losses[-1] < losses[0] / 3


def test_what_a_training_ended_with_gives_its_network_again_without_a_step() -> None:
    first, stated = trained(task()), list[int]()
    again = trained(task(), ended=first.weights, on_step=lambda step, loss: stated.append(step))
    assert not stated
    np.testing.assert_array_equal(again.logs, first.logs)
    np.testing.assert_array_equal(again.weights, first.weights)
    for other in (first.weights[:-1], first.weights.astype(np.float64), first.weights[None]):
        np.testing.assert_array_equal(trained(task(), ended=other).weights, first.weights)


def test_the_gradient_is_the_slope_that_differences_show() -> None:
    given = task()
    network, loss = ResidualNetwork(given, 6, "cpu"), GramLoss(given, "cpu")
    weights, inputs = network_torch.initial(5, 6, 0), network_torch.ones_of(given.inputs)
    slope, _ = gradient(network, loss, weights, inputs)

    def value(x: torch.Tensor) -> float:
        pairs, linear, pull = loss.sums(network.log_shares(x, inputs))
        return (loss.misfit(pairs, linear) + pull).item()

    along = torch.randn(weights.shape, generator=torch.Generator().manual_seed(1))
    step = 1e-3
    seen = (value(weights + step * along) - value(weights - step * along)) / (2 * step)
    assert seen == pytest.approx(float(slope @ along), rel=0.02, abs=1e-4)


def test_cells_of_columns_that_are_not_neighbours_are_judged_by_their_own_codes() -> None:
    """The first head has three allowed cells of the first and the third column, and the second head contains
    the second column.
    """
    rng = np.random.default_rng(4)
    cells = [(0, 5), (1, 5), (1, 6)]
    spread = np.zeros((6, 7 + 4), dtype=np.float32)
    for cell, (first, third) in enumerate(cells):
        spread[cell, [first, third, 7 + 2 * first + third - 5]] = 1
    spread[[3, 4, 5], [2, 3, 4]] = 1
    half = np.triu(rng.random((7, 7)), 1).astype(np.float32)
    weights = np.triu(rng.random((7, 7)), 1).astype(np.float32)
    linear, linear_weights = rng.random((2, 11)).astype(np.float32)
    given = replace(
        task(),
        heads=(3, 3),
        spread=spread,
        linear=linear,
        linear_weights=linear_weights,
        pairs=half + half.T,
        pair_weights=weights + weights.T,
        base=None,
    )
    shares = rng.random((12, 6)).astype(np.float32)
    loss = GramLoss(given, "cpu")
    codes = shares @ spread
    pairs = codes[:, :7].T @ codes[:, :7] / 12 - given.pairs
    wanted = (given.pair_weights * pairs**2).sum() / 4
    wanted += (linear_weights * (codes.mean(axis=0) - linear) ** 2).sum() / 2
    assert loss.misfit(*loss.tables(torch.as_tensor(shares))).item() == pytest.approx(float(wanted), rel=1e-5)


def textbook(weights: torch.Tensor, given: NetworkTask, width: int) -> torch.Tensor:
    """Return the misfit of the paper's network, computed layer by layer and pair by pair in float64."""
    parts, place = [], 0
    for shape in network_torch.shapes_of(given.cells, width):
        size = int(np.prod(shape))
        parts.append(weights[place : place + size].view(shape))
        place += size
    x = torch.as_tensor(given.inputs).double()
    for linear, shift, scale, centre in (parts[:4], parts[4:8]):
        hidden = x @ linear.T + shift
        hidden = (hidden - hidden.mean(0)) / (hidden.var(0, unbiased=False) + 1e-5).sqrt() * scale + centre
        x = torch.cat([hidden.clamp(min=0), x], dim=1)
    out = x @ parts[8].T + parts[9]
    shares = torch.cat([head.softmax(dim=1) for head in torch.split(out, list(given.heads), dim=1)], dim=1)
    misfit = torch.zeros((), dtype=torch.float64)
    for i in range(given.cells):
        off = shares[:, i].mean() - float(given.linear[i])
        misfit = misfit + float(given.linear_weights[i]) * off**2 / 2
        for j in range(i + 1, given.cells):
            off = (shares[:, i] * shares[:, j]).mean() - float(given.pairs[i, j])
            misfit = misfit + float(given.pair_weights[i, j]) * off**2 / 2
    return misfit


def test_a_step_is_one_of_the_paper_s_network_written_out_and_of_adam_as_published() -> None:
    given = replace(task(), base=None, pull=0.0)
    network, loss = ResidualNetwork(given, 6, "cpu"), GramLoss(given, "cpu")
    weights = network_torch.initial(5, 6, 0)
    slope, misfit = gradient(network, loss, weights, network_torch.ones_of(given.inputs))
    exact = weights.double().requires_grad_()
    value = textbook(exact, given, 6)
    (wanted,) = torch.autograd.grad(value, exact)
    assert misfit == pytest.approx(value.item(), rel=1e-5)
    torch.testing.assert_close(slope.double(), wanted, rtol=1e-3, atol=1e-6)

    state = torch.stack([weights, torch.zeros_like(weights), torch.zeros_like(weights)])
    where, mean, square = weights.double(), torch.zeros_like(wanted), torch.zeros_like(wanted)
    for step in (1, 2, 3):
        network_torch.adam(state, step * slope, step, 0.01)
        stated = step * slope.double()
        mean, square = 0.9 * mean + 0.1 * stated, 0.999 * square + 0.001 * stated**2
        where = where - 0.01 * (mean / (1 - 0.9**step)) / ((square / (1 - 0.999**step)).sqrt() + 1e-8)
    torch.testing.assert_close(state[0].double(), where, rtol=1e-4, atol=1e-5)
