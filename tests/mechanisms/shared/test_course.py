"""Training: columns are measured first, costs are valid from the first block on, and noise shortens the
steps.
"""

import math
from typing import Any

import numpy as np
import pytest

from synth.core.accounting import SAMPLED
from synth.core.accounting.sampled import PARTS, sampled_sigma
from synth.core.domain import Domain
from synth.core.networks.denoiser import Denoiser
from synth.mechanisms.learned.tabddpm import TabDDPM
from synth.mechanisms.shared.answers import Answers
from synth.mechanisms.shared.course import AS_LONG, MOMENTUM, Course, beginning, measured_columns
from synth.models.networks.drawn import base_of
from synth.private.queries import Descent
from tests.exact import Exact
from tests.mechanisms.examples import exact, problem_about

STEPS, RATE = 20, PARTS // 25


def begun(sizes: tuple[int, ...], *, rho: float, share: float) -> tuple[Exact, Answers, bool]:
    domain = Domain(tuple("abc"[: len(sizes)]), sizes)
    table = np.random.default_rng(0).integers(0, sizes, (3000, len(sizes)))
    source = exact(table, domain, rho=rho)
    problem = problem_about(domain, 1)
    answers = Answers(TabDDPM(), source, problem)
    return source, answers, measured_columns(source, problem, answers, share=share)


def planned(*, rho: float) -> tuple[Exact, Answers, Course, Denoiser]:
    source, answers, _ = begun((4, 3), rho=rho, share=0.2)
    net = Denoiser((4, 3), base_of(answers.evidence), hidden=4, layers=1, times=3)
    numbers: dict[str, Any] = {"first": 0, "steps": 5, "whole": STEPS, "rate": RATE, "copies": 1, "clip": 0.3}
    descent = Descent(**numbers, records=3000, pace=2.0, momentum=MOMENTUM, memory=0.9)
    course = Course.planned(source, answers.evidence, net, descent, first_price=source.left.rho / 4)
    return source, answers, course, net


def test_columns_take_their_share_and_a_single_one_takes_all() -> None:
    source, answers, has_more = begun((4, 3), rho=0.1, share=0.3)
    assert has_more and source.left.rho == pytest.approx(0.07)
    assert sum(m.rho for m in answers.evidence.measurements) == pytest.approx(0.03)
    source, answers, has_more = begun((4,), rho=0.1, share=0.3)
    assert not has_more and source.left.units == 0
    assert sum(m.rho for m in answers.evidence.measurements) == pytest.approx(0.1)


def test_a_whole_training_at_the_planned_prices_is_covered_by_the_planned_order() -> None:
    source, answers, course, net = planned(rho=0.1)
    state = beginning(net.start(np.random.default_rng(0)))
    assert course.rho == source.left.rho
    for first in range(0, STEPS, 5):
        is_last = first + 5 == STEPS
        trained = answers.train(
            course.block(net, state, first=first, steps=5), rho=source.left.rho if is_last else course.rho / 4
        )
        spent = sum(m.units for m in answers.evidence.measurements)
        spent += sum(answer.units for answer in answers.evidence.trained)
        assert first or SAMPLED.covers(trained.requested, spent)
        assert (trained.requested["first"], trained.requested["most"]) == (first, course.most)
    assert source.left.units == 0
    sigmas = [answer.sigma for answer in answers.evidence.trained]
    assert sigmas == pytest.approx([sigmas[0]] * 4, rel=1e-6)


@pytest.mark.parametrize("rho", [1e-5, 0.1, 1e6])
def test_steps_are_shorter_in_proportion_where_the_noise_is_longer_than_half_a_clip(rho: float) -> None:
    source, answers, course, net = planned(rho=rho)
    sigma = sampled_sigma(course.rho / STEPS, rate=RATE, rows=source.terms.rows, most=float(course.most))
    noise = sigma * math.sqrt(net.parameters) / (RATE / PARTS * answers.total)
    assert course.descent.pace == pytest.approx(2.0 * min(1.0, AS_LONG / noise))
    assert (course.descent.pace < 2.0) == (noise > AS_LONG)


def test_what_has_not_moved_is_its_own_mean() -> None:
    weights = np.arange(3, dtype=np.float32)
    state = np.frombuffer(beginning(weights), dtype="<f4").reshape(3, 3)
    assert (state == [weights, np.zeros(3), weights]).all()
