from collections import Counter
from typing import Any

import numpy as np
import pytest

from synth.core.domain import Domain
from synth.core.errors import Mistake
from synth.core.measurements.half_spaces import HalfSpaces, joined
from synth.core.measurements.noisy import Choice
from synth.mechanisms.learned.rap import RAP
from synth.mechanisms.shared.base import Fitted, Prospect
from synth.models.base import Generator
from synth.models.mixture.half_spaces import expected_sides
from synth.models.mixture.mixture import MixtureOfProducts
from synth.models.networks.relaxed import RelaxedModel, RelaxedRows
from synth.private.scores import L1Gap, SideGap
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
    """The authors' code draws noise for all earlier queries in every epoch, so 3 epochs would spend twice the
    budget.
    """
    evidence = fitted(0.3, epochs=3).evidence
    assert sum(answer.units for answer in evidence.answers) == 300_000_000_000
    assert len(evidence.answers) == 5 + 2 * 6


def test_where_no_more_pairs_are_left_than_an_epoch_takes_nothing_is_chosen() -> None:
    evidence = fitted(0.3, top=4).evidence
    assert len(evidence.choices) == 8 and len(evidence.measurements) == 5 + 10
    two = fitted(0.3, domain=DOMAIN.project("ab")).evidence
    assert not two.choices and sum(m.units for m in two.measurements) == 300_000_000_000


REQUESTED: dict[str, Any] = {"half_spaces": 0.4, "epochs": 3, "pool": 12, "top_half_spaces": 3, "alpha": 0.75}


def sides_chosen(choices: tuple[Choice, ...]) -> list[tuple[SideGap, int]]:
    return [(c.score, c.index) for c in choices if isinstance(c.score, SideGap)]


def test_each_half_space_is_asked_about_once_and_the_price_is_all_there_is() -> None:
    """Each of three epochs measures three half-spaces of a new pool, and none of them is measured again."""
    evidence = fitted(0.3, **REQUESTED).evidence
    assert sum(answer.units for answer in evidence.answers) == 300_000_000_000
    assert [n.units for n in evidence.numbers] == [round(0.4 * 0.3 * 0.75 / 3 * 1e12)] * 3
    chosen = sides_chosen(evidence.choices)
    prices = [c.units for c in evidence.choices if isinstance(c.score, SideGap)]
    assert prices == pytest.approx([0.4 * 0.3 * 0.25 / 9 * 1e12] * 9, abs=1)
    assert [len(score.spaces) for score, _ in chosen] == [12, 11, 10] * 3
    winners = [score.spaces.only([index]) for score, index in chosen]
    requested = [HalfSpaces.of(n.requested) for n in evidence.numbers]
    assert requested == [joined(winners[i : i + 3]) for i in (0, 3, 6)]
    assert len({*winners}) == 9 and all(n.values.shape == (1, 3) for n in evidence.numbers)
    pairs = [c for c in evidence.choices if isinstance(c.score, L1Gap)]
    rho = 0.6 * 0.3 / (3 * 2 + 0.75 * 5)
    assert [c.units * 1e-12 for c in pairs] == pytest.approx([rho / 4] * 6)
    share = RAP(**REQUESTED).first_pass(Prospect(sizes=DOMAIN.sizes))
    assert share == pytest.approx(sum(m.rho for m in evidence.measurements[:5]) / 0.3)


def test_the_half_spaces_that_the_rows_get_most_wrong_are_chosen() -> None:
    """Without noise, the selected half-space has the largest gap from the expected value of the rows at that
    time.
    """
    columns = [*rows().T]
    for score, index in sides_chosen(fitted(0.3, **REQUESTED).evidence.choices):
        gaps = np.abs(score.spaces.sides(columns, DOMAIN.sizes) - score.estimates).sum(axis=0)
        assert gaps[index] == gaps.max() and len({*gaps}) > 3


def test_with_a_label_every_code_of_it_has_sides_of_its_own() -> None:
    evidence = fitted(0.3, **REQUESTED, label="e").evidence
    assert all(n.values.shape == (2, 3) and n.requested["label"] == "e" for n in evidence.numbers)
    with pytest.raises(Mistake, match="'z'"):
        fitted(0.3, **REQUESTED, label="z")


def test_a_plane_goes_through_as_many_columns_as_are_asked_for() -> None:
    for answer in fitted(0.3, **REQUESTED, order=2).evidence.numbers:
        parts = np.split(np.array(answer.requested["directions"]), np.cumsum(DOMAIN.sizes)[:-1], axis=1)
        touched = np.sum([part.any(axis=1) for part in parts], axis=0)
        assert touched.max() == 2


def test_the_rows_come_nearer_to_the_sides_they_were_told() -> None:
    """The rows are closer to the exact values than they were when these half-spaces were selected."""
    found = fitted(10.0, **REQUESTED, generator=RelaxedRows(rows=200, steps=200))
    assert isinstance(found.model, RelaxedModel)
    before, after = [], []
    for score, index in sides_chosen(found.evidence.choices):
        (truth,) = score.spaces.only([index]).sides([*rows().T], DOMAIN.sizes)[0]
        before.append(abs(score.estimates[0, index] - truth))
        after.append(abs(expected_sides(found.model, score.spaces.only([index]))[0, 0] - truth))
    assert np.mean(after) < 0.6 * np.mean(before)


@pytest.mark.parametrize("place", ["generator", "follower"])
def test_where_no_model_reads_half_spaces_none_are_asked(place: str) -> None:
    mixture: dict[str, Any] = {place: MixtureOfProducts(components=8, iterations=20)}
    evidence = fitted(0.3, **REQUESTED, **mixture).evidence
    assert not evidence.numbers and not sides_chosen(evidence.choices)
    assert sum(answer.units for answer in evidence.answers) == 300_000_000_000
