"""DP-CTGAN: its queries, their costs, and the training of its generator between queries."""

import math
from typing import Any

import numpy as np
import pytest

from synth.core.accounting import SAMPLED
from synth.core.accounting.sampled import PARTS, order_for
from synth.core.domain import Domain
from synth.core.networks.critic import Critic
from synth.mechanisms.learned.ctgan import CTGAN
from synth.mechanisms.shared.base import Fitted
from synth.mechanisms.shared.course import AS_LONG
from synth.private.counting.codes import Codes
from synth.private.queries import A, Query, Training
from tests.exact import Exact
from tests.mechanisms.examples import problem_about

DOMAIN = Domain(("a", "b"), (4, 3))
SMALL = {"rounds": 5, "critic_steps": 3, "hidden": 4, "made": 20, "lessons": 2}


class Heard(Exact):
    """A source that stores all queries."""

    def __init__(self, codes: Codes, domain: Domain, *, rho: float) -> None:
        super().__init__(codes, domain, rho=rho)
        self.trained: list[Training] = []

    def ask(self, requested: list[tuple[Query[A], float]]) -> tuple[A, ...]:  # type: ignore[override]
        self.trained += [question for question, _ in requested if isinstance(question, Training)]
        return super().ask(requested)


def fitted(rho: float = 0.1, *, domain: Domain = DOMAIN, **options: Any) -> tuple[Fitted, Heard]:
    table = np.random.default_rng(0).integers(0, domain.sizes, (3000, len(domain)))
    source = Heard(Codes.of(table, domain), domain, rho=rho)
    problem = problem_about(domain, 1)
    return CTGAN(**SMALL | options).run(source, problem, rng=np.random.default_rng(0)), source


def test_rounds_share_the_rest_of_the_price_and_one_noise() -> None:
    stated = fitted(columns_share=0.3)[0].evidence
    assert sum(m.rho for m in stated.measurements) == pytest.approx(0.03)
    assert [(a.requested["first"], a.requested["steps"]) for a in stated.trained] == [
        (3 * i, 3) for i in range(5)
    ]
    assert [a.units for a in stated.trained] == pytest.approx([0.014e12] * 5, rel=1e-6)
    sigmas = [answer.sigma for answer in stated.trained]
    assert sigmas == pytest.approx([sigmas[0]] * 5, rel=1e-6)
    spent = sum(m.units for m in stated.measurements) + stated.trained[0].units
    assert all(SAMPLED.covers(answer.requested, spent) for answer in stated.trained)
    assert stated.trained[0].requested["most"] <= order_for(spent * 1e-12) + 3


def test_every_round_has_the_generator_that_the_critic_of_the_one_before_taught() -> None:
    stated, source = fitted()
    for before, after, answer in zip(
        source.trained, source.trained[1:], stated.evidence.trained, strict=False
    ):
        assert isinstance(before.net, Critic) and isinstance(after.net, Critic)
        assert after.net.seed == before.net.seed + 1 and after.net.made_by != before.net.made_by
        assert after.net.lesson < before.net.lesson
        assert (
            after.weights != before.weights
            and answer.requested["state"] != after.facts(source.terms)["state"]
        )
    assert source.trained[-1].net.lesson == pytest.approx(0.001 / 5)


def test_only_the_last_round_keeps_weights_and_the_generator_is_in_it() -> None:
    stated = fitted()[0].evidence
    assert [answer.state.size > 0 for answer in stated.trained] == [False] * 4 + [True]
    assert [answer.net.is_sound for answer in stated.trained] == [False] * 4 + [True]


def test_steps_are_shorter_where_noise_is_larger() -> None:
    near, far = (fitted(rho)[0].evidence.trained[-1] for rho in (1e4, 1e-4))
    noise = (
        far.sigma * math.sqrt(far.net.parameters) / (far.requested["rate"] / PARTS * far.requested["records"])
    )
    assert near.requested["pace"] == 1.0 and noise > AS_LONG
    assert far.requested["pace"] == pytest.approx(AS_LONG / noise, rel=1e-6)
