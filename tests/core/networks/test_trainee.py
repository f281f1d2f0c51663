"""Test that each trainable network is identified by its name, its facts and its public numbers."""

import json

import numpy as np
import pytest

from synth.core.networks.critic import Critic
from synth.core.networks.denoiser import Denoiser
from synth.core.networks.forger import Forger
from synth.core.networks.trainee import TRAINEES, Trainee, trainee_named

SIZES, BASE = (3, 2), ((4, 2, 1), (3, 1))
MADE_BY = Forger(SIZES, BASE, 2, 3).start(np.random.default_rng(0)).astype("<f4").tobytes()
NETS: dict[str, Trainee] = {
    "denoiser": Denoiser(SIZES, BASE, hidden=4, layers=1, times=5),
    "critic": Critic(SIZES, BASE, 4, 2, 3, 10, 1, 0.5, 6, MADE_BY),
}
EVERY = pytest.mark.parametrize("name", TRAINEES)


@EVERY
def test_it_comes_back_from_facts_and_public_numbers(name: str) -> None:
    net = NETS[name]
    facts = json.loads(json.dumps(net.facts())) | {"ask": "train", "first": 3}
    kind = trainee_named(facts)
    assert kind is type(net) and kind.name == name and net.is_sound
    assert kind.restored(SIZES, facts, net.public() + b"weights") == (net, b"weights")
    bare = net.bare()
    assert kind.restored(SIZES, facts, bare.public()) == (bare, b"")
    assert bare.base == net.base and bare.facts() == net.facts()


@EVERY
def test_a_row_has_one_slope_for_every_output_of_every_layer(name: str) -> None:
    net, rng = NETS[name], np.random.default_rng(1)
    weights = rng.standard_normal(net.parameters).astype(np.float32)
    codes, chances = rng.integers(0, SIZES, (5, 2)), rng.random((2, 5, 3))
    inputs, deltas = net.slopes(net.matrices(weights), codes, chances)
    assert [(a.shape, d.shape) for a, d in zip(inputs, deltas, strict=True)] == [
        ((5, a), (5, b)) for a, b in net.shapes
    ]
    assert all((seen[:, -1] == 1).all() for seen in inputs)


LARGE = (9, 16, 7, 15, 6, 42, 20)
EVEN = tuple((1,) * size for size in LARGE)


@pytest.mark.parametrize(
    "net",
    [
        Denoiser(LARGE, EVEN, hidden=128, layers=2, times=20),
        Critic(LARGE, EVEN, 128, 1, 1, 1, 1, 0.1, 0, b""),
    ],
)
def test_what_is_said_of_a_row_does_not_depend_on_the_rows_beside_it(net: Trainee) -> None:
    """No digit may differ, although libraries multiply one row, a few rows and many rows in different
    orders.
    """
    rng = np.random.default_rng(5)
    matrices = net.matrices((0.1 * rng.standard_normal(net.parameters)).astype(np.float32))
    codes, chances = rng.integers(0, LARGE, (301, len(LARGE))), rng.random((2, 301, len(LARGE) + 1))

    def said(some: slice) -> list[np.ndarray]:
        return [part for parts in net.slopes(matrices, codes[some], chances[:, some]) for part in parts]

    whole = said(slice(None))
    for row in (0, 7, 150, 300):
        for among, alone in zip(whole, said(slice(row, row + 1)), strict=True):
            np.testing.assert_array_equal(among[row], alone[0])
