from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from synth.core.domain import Domain
from synth.mechanisms.learned.rap import RAP
from synth.mechanisms.shared.base import Fitted, Prospect
from synth.models.base import Generator
from synth.models.networks.relaxed import RelaxedRows
from tests.mechanisms.examples import exact, problem_about

DOMAIN = Domain(tuple("abcde"), (4, 3, 4, 2, 2))
SMALL = RelaxedRows(rows=40, steps=40, round_steps=10)


def rows() -> np.ndarray:
    rng = np.random.default_rng(0)
    table = rng.integers(0, DOMAIN.sizes, size=(4000, 5))
    table[:, 2] = np.where(rng.random(4000) < 0.9, table[:, 0], table[:, 2])
    table[:, 4] = np.where(rng.random(4000) < 0.9, table[:, 3], table[:, 4])
    return table


def fitted(
    rho: float,
    *,
    domain: Domain = DOMAIN,
    generator: Generator = SMALL,
    follower: Generator | None = None,
    **options: float | str,
) -> Fitted:
    source = exact(rows()[:, : len(domain)], domain, rho=rho)
    problem = problem_about(domain, generator=generator, follower=follower, device="cpu")
    return RAP(**options).run(source, problem, rng=np.random.default_rng(0))  # type: ignore[arg-type]


def test_every_epoch_chooses_the_worst_and_measures_each_of_them_once() -> None:
    evidence = fitted(0.3, epochs=3, alpha=0.5).evidence
    rho = 0.3 / (3 * 2 + 0.5 * 5)
    assert [m.rho for m in evidence.measurements] == pytest.approx([rho / 2] * 11)
    assert [c.units * 1e-12 for c in evidence.choices] == pytest.approx([rho / 2] * 6)
    assert [c.clique for c in evidence.choices] == [m.clique for m in evidence.measurements[5:]]
    assert max(Counter(m.clique for m in evidence.measurements).values()) == 1
    assert {c.clique for c in evidence.choices[:2]} == {("a", "c"), ("d", "e")}
    assert [len(c.score.cliques) for c in evidence.choices] == [10, 9, 8, 7, 6, 5]
    share = RAP(epochs=3, alpha=0.5).first_pass(Prospect(sizes=DOMAIN.sizes))
    assert share == pytest.approx(sum(m.rho for m in evidence.measurements[:5]) / 0.3)


def test_what_the_epochs_spend_is_the_price_and_no_answer_is_paid_for_again() -> None:
    """The authors' code draws noise for all earlier queries in every epoch: 3 epochs would spend twice it."""
    evidence = fitted(0.3, epochs=3).evidence
    assert sum(answer.units for answer in evidence.answers) == 300_000_000_000
    assert len(evidence.answers) == 5 + 2 * 6


def test_where_no_more_pairs_are_left_than_an_epoch_takes_nothing_is_chosen() -> None:
    evidence = fitted(0.3, top=4).evidence
    assert len(evidence.choices) == 8 and len(evidence.measurements) == 5 + 10
    two = fitted(0.3, domain=DOMAIN.project("ab")).evidence
    assert not two.choices and sum(m.units for m in two.measurements) == 300_000_000_000
