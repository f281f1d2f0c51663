"""Test training steps: noise for the cost, weights from the noisy sums, and refusals."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from synth.core.accounting.sampled import PARTS, sampled_rho
from synth.core.domain import Domain
from synth.core.errors import Code
from synth.core.networks.critic import Critic
from synth.core.networks.denoiser import Denoiser
from synth.core.networks.forger import Forger
from synth.core.networks.trainee import Trainee
from synth.core.schema import Neighbours
from synth.private.counting.codes import Codes
from synth.private.exact_tables import ExactTables
from synth.private.gradients import CLIP, Rows
from synth.private.queries import training
from synth.private.queries.training import Descent, Training
from synth.private.terms import Terms
from tests.private.samples import are_poisson_samples
from tests.refusals import refused

DOMAIN = Domain(("a", "b"), (3, 2))
NET = Denoiser((3, 2), ((4, 2, 1), (3, 1)), hidden=4, layers=1, times=5)
DESCENT = Descent(
    first=0, steps=1, whole=6, rate=PARTS, records=20, copies=2, clip=1e-3, pace=0.5, momentum=0.9, memory=0.9
)
TERMS = Terms(rows=1, neighbours=Neighbours.ADD_REMOVE)
TABLES = ExactTables(Codes.of(np.random.default_rng(0).integers(0, 2, (50, 2)), DOMAIN), DOMAIN)


MADE_BY = Forger(NET.sizes, NET.base, 2, 3).start(np.random.default_rng(0)).astype("<f4").tobytes()
CRITIC = Critic(NET.sizes, NET.base, 5, 2, 3, 30, 2, 0.01, 6, MADE_BY)


def state(net: Trainee = NET) -> bytes:
    weights = net.start(np.random.default_rng(0))
    return np.stack([weights, 0 * weights, weights]).astype("<f4").tobytes()


def requested(**more: Any) -> Training:
    return Training(("a", "b"), NET, replace(DESCENT, **more), state(), 400)


def judging(**more: Any) -> Training:
    """Return the same for the critic of a GAN."""
    return Training(("a", "b"), CRITIC, replace(DESCENT, **{"copies": 1} | more), state(CRITIC), 400)


EXAMPLES = (requested(), requested(copies=1, clip=1e-4), judging())


def test_noise_and_price_are_those_of_the_law() -> None:
    query = requested(rate=PARTS // 10, steps=3)
    for rows in (1, 2):
        terms = replace(TERMS, rows=rows)
        sigma = float(query.variance(10**10, terms)) ** 0.5 / CLIP
        assert 3 * sampled_rho(sigma, rate=PARTS // 10, rows=rows, most=400.0) == pytest.approx(
            0.01, rel=1e-6
        )
    assert query.variance(10**9, TERMS) > 1.3 * query.variance(10**10, TERMS)


def test_every_step_adds_fresh_noise_of_that_size_even_to_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a table without rows, every sample is empty, so each step uses only noise."""
    drawn: list[np.ndarray] = []
    gaussian = training.rounded_gaussian

    def overheard(variance: Any, size: int, **more: Any) -> np.ndarray:
        drawn.append(gaussian(variance, size, **more))
        return drawn[-1]

    monkeypatch.setattr(training, "rounded_gaussian", overheard)
    nothing = ExactTables(Codes.of(np.empty((0, 2), dtype=np.int64), DOMAIN), DOMAIN)
    query = requested(steps=5, rate=6000)
    blob = query.answer(nothing, units=10**10, terms=TERMS)
    sigma = float(query.variance(10**10, TERMS)) ** 0.5
    noise = np.concatenate(drawn)
    assert len(drawn) == 5 and noise.size == 5 * NET.parameters
    assert abs((noise.astype(float) ** 2).mean() / sigma**2 - 1) < 6 * (2 / noise.size) ** 0.5
    expected = np.frombuffer(state(), dtype="<f4").reshape(3, -1)
    for number, one in enumerate(drawn):
        expected = query.descent.step(expected, one, number)
    np.testing.assert_array_equal(np.frombuffer(blob, dtype="<f4").reshape(3, -1), expected)


def test_every_step_of_a_block_draws_its_own_poisson_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    """The price of a block is that of independent samples, one for each step."""
    drawn: list[np.ndarray] = []

    def gradient(rows: Rows, matrices: Any, sample: np.ndarray, **more: Any) -> np.ndarray:
        drawn.append(np.isin(np.arange(50), sample))
        return np.zeros(NET.parameters, dtype=np.int64)

    monkeypatch.setattr(Rows, "gradient", gradient)
    monkeypatch.setattr(Training, "variance", lambda *_: Fraction(1))
    query = requested(steps=200, whole=400, rate=PARTS // 4)
    for first in (0, 200):
        block = replace(query, descent=replace(query.descent, first=first))
        block.answer(TABLES, units=10**10, terms=TERMS)
    assert len(drawn) == 400 and are_poisson_samples(np.array(drawn), 0.25)


def test_two_answers_differ_and_one_state_has_one_question() -> None:
    blobs = {requested(rate=PARTS // 2).answer(TABLES, units=10**10, terms=TERMS) for _ in range(3)}
    assert len(blobs) == 3
    assert requested().facts(TERMS) == requested().facts(TERMS)
    other = replace(requested(), weights=bytes(len(state())))
    assert other.facts(TERMS) != requested().facts(TERMS)
    with pytest.raises(ValueError, match="another state"):
        requested().restored(requested().facts(TERMS), other.state())


@pytest.mark.parametrize(
    "wrong",
    [
        {"rate": 0},
        {"rate": PARTS + 1},
        {"steps": 0},
        {"steps": 7},
        {"clip": 0.0},
        {"clip": 1e-320},
        {"clip": 1e300},
        {"clip": float("nan")},
        {"records": 0},
        {"copies": 0},
        {"pace": float("inf")},
    ],
)
def test_numbers_of_no_training_are_refused(wrong: dict[str, Any]) -> None:
    assert requested().fits(DOMAIN) and not requested(**wrong).fits(DOMAIN)


def test_another_network_than_its_weights_or_its_domain_is_refused() -> None:
    query = requested()
    assert not replace(query, weights=query.weights[:-4]).fits(DOMAIN)
    assert not query.fits(Domain(("a", "b"), (3, 3)))
    assert not replace(query, most=1).fits(DOMAIN) and not replace(query, most=2.5).fits(DOMAIN)
    with pytest.raises(ValueError, match="codes of the domain"):
        query.within({"a": (0, 0, 1)})


def test_hiding_that_a_unit_was_replaced_has_no_price() -> None:
    with refused(Code.QUERY_INVALID):
        requested().answer(TABLES, units=10**10, terms=replace(TERMS, neighbours=Neighbours.REPLACE))


def test_public_records_pull_in_every_step_and_rows_alone_are_noised(monkeypatch: pytest.MonkeyPatch) -> None:
    """A critic on a table without rows, without noise: what is left is its descent from made records, whose
    gradients are clipped as a row's are."""
    monkeypatch.setattr(training, "rounded_gaussian", lambda _, size, **__: np.zeros(size, dtype=np.int64))
    nothing = ExactTables(Codes.of(np.empty((0, 2), dtype=np.int64), DOMAIN), DOMAIN)
    query = judging(steps=1, momentum=0.0, clip=1e-3)
    blob = query.answer(nothing, units=10**10, terms=TERMS)
    moved = (
        np.frombuffer(blob, dtype="<f4").reshape(3, -1)[0]
        - np.frombuffer(state(CRITIC), dtype="<f4")[: CRITIC.parameters]
    )
    inputs, deltas = CRITIC.against(CRITIC.matrices(np.frombuffer(state(CRITIC), dtype="<f4")[: moved.size]))
    each = np.concatenate(
        [np.einsum("na,nb->nab", a, d).reshape(30, -1) for a, d in zip(inputs, deltas, strict=True)], axis=1
    )
    assert (np.linalg.norm(each, axis=1) > 1e-3).all()
    wanted = -0.5 * (each / np.linalg.norm(each, axis=1, keepdims=True)).mean(axis=0)
    np.testing.assert_allclose(moved, wanted, atol=0.003)
    again = query.plain(np.zeros(CRITIC.parameters, dtype=np.int64))
    assert again == blob


def test_a_question_of_one_network_is_not_restored_as_one_of_another() -> None:
    one, other = requested(), judging()
    for query, facts in ((one, other), (other, one)):
        with pytest.raises((ValueError, KeyError)):
            query.restored(facts.facts(TERMS), facts.state())
    assert "trainee" not in one.facts(TERMS), "ledgers know the first kind without a name"
    assert other.restored(other.facts(TERMS), other.state()) == other
    changed = replace(other, net=replace(CRITIC, made_by=bytes(len(MADE_BY))))
    assert changed.facts(TERMS)["state"] != other.facts(TERMS)["state"]
