import math
from typing import Any

import numpy as np
import pytest

from synth.core.domain import Domain
from synth.core.errors import Mistake
from synth.core.measurements.noisy import NoisyNumbers
from synth.mechanisms.learned.merf import MERF
from synth.mechanisms.shared.base import Fitted, Prospect
from synth.mechanisms.shared.recipe import followers, recipe_of
from synth.models.networks.network import NetworkGenerator
from synth.models.networks.relaxed import RelaxedRows
from synth.private.counting.codes import Codes
from synth.private.queries.embedding import TURN
from tests.mechanisms.examples import fit, problem_about

DOMAIN = Domain(tuple("abcd"), (12, 3, 12, 3))
SMALL = NetworkGenerator(width=16, batch=48, steps=150, rate=10.0)
ORDERED = {"a": 12, "c": 12}


def rows() -> np.ndarray:
    """Return a pair of ordered columns that are nearly equal, and a pair of unordered columns that are mostly
    equal.
    """
    rng = np.random.default_rng(0)
    table = rng.integers(0, DOMAIN.sizes, size=(4000, 4))
    table[:, 2] = np.clip(table[:, 0] + rng.integers(-1, 2, 4000), 0, 11)
    table[:, 3] = np.where(rng.random(4000) < 0.8, table[:, 1], table[:, 3])
    return table


def fitted(rho: float = 1e4, *, domain: Domain = DOMAIN, generator: Any = SMALL, **options: Any) -> Fitted:
    ordered = {name: size for name, size in ORDERED.items() if name in domain}
    problem = problem_about(domain, ordered=ordered, generator=generator, device="cpu")
    return fit(MERF(**options), rows()[:, : len(domain)], domain, rho, problem)


def embedding(**options: Any) -> NoisyNumbers:
    (answer,) = fitted(generator=NetworkGenerator(width=4, batch=8, steps=1), **options).evidence.numbers
    return answer


def off(found: Fitted, pair: tuple[str, str]) -> float:
    """Return the distance of the model's pair from the true pair, divided by that of independent columns."""
    codes, axes = Codes.of(rows(), DOMAIN), DOMAIN.axes(pair)
    real = codes.counts(axes)
    independent = np.outer(codes.counts(axes[:1]), codes.counts(axes[1:])) / codes.rows
    return float(np.abs(found.model.project(pair) - real).sum() / np.abs(independent - real).sum())


def test_a_part_measures_columns_and_the_rest_is_one_embedding_of_all_records() -> None:
    evidence = fitted(0.5, columns_share=0.2, frequencies=50).evidence
    assert [m.clique for m in evidence.measurements] == [("a",), ("b",), ("c",), ("d",)]
    assert sum(m.rho for m in evidence.measurements) == pytest.approx(0.1)
    (answer,) = evidence.numbers
    assert answer.units + sum(m.units for m in evidence.measurements) == 500_000_000_000
    assert answer.sigma == pytest.approx(math.sqrt(50 / (2 * 0.4))) and answer.values.shape == (1, 50, 2)
    assert MERF(columns_share=0.2).first_pass(Prospect(sizes=DOMAIN.sizes)) == 0.2
    assert MERF(columns_share=0.2).first_pass(Prospect(sizes=(3,))) == 1


def test_with_a_label_everything_is_asked_for_each_of_its_values() -> None:
    evidence = fitted(0.5, label="b", frequencies=50).evidence
    assert [m.clique for m in evidence.measurements] == [("a", "b"), ("b", "c"), ("b", "d")]
    (answer,) = evidence.numbers
    assert answer.values.shape == (3, 50, 2) and answer.requested["label"] == "b"
    assert not np.array(answer.requested["frequencies"])[:, 1].any()


@pytest.mark.parametrize("order, columns", [(1, 1), (2, 2), (3, 3), (0, 4), (9, 4)])
def test_a_wave_goes_through_as_many_columns_as_were_asked_for(order: int, columns: int) -> None:
    steps = np.array(embedding(order=order, frequencies=300, bandwidth=0.05).requested["frequencies"])
    assert steps.shape == (300, 4) and steps.min() >= 0 and steps.max() < TURN
    through = (steps > 0).sum(axis=1)
    assert through.max() == columns and np.mean(through == columns) > 0.95, "a normal one may round to 0"
    assert ((steps > 0).mean(axis=0) > 0.5 * columns / 4).all()


def test_frequencies_are_normal_where_codes_have_an_order_and_even_elsewhere() -> None:
    steps = np.array(embedding(order=0, frequencies=4000, bandwidth=0.5).requested["frequencies"])
    turned = np.where(steps >= TURN // 2, steps - TURN, steps) * 2 * math.pi / TURN
    spread = 1 / (0.5 * 12)
    for column in (0, 2):
        assert turned[:, column].std() == pytest.approx(spread, rel=6 / math.sqrt(2 * 4000))
    for column in (1, 3):
        assert turned[:, column].std() == pytest.approx(math.pi / math.sqrt(3), rel=0.05)


@pytest.mark.parametrize("generator", [SMALL, RelaxedRows(rows=100, steps=150)], ids=lambda g: g.name)
def test_the_embedding_tells_relations_that_the_columns_do_not(generator: Any) -> None:
    """This holds for ordered and for unordered columns. A generator that cannot use the embedding is
    refused.
    """
    found = fitted(generator=generator, bandwidth=0.1)
    assert off(found, ("a", "c")) < 0.5 and off(found, ("b", "d")) < 0.1
    assert off(fitted(generator=generator, frequencies=1), ("b", "d")) > 0.5
    assert set(followers(MERF)) == {"network", "relaxed"}
    with pytest.raises(Mistake, match=r"measures sums of waves, which this generator cannot use"):
        recipe_of("merf+mixture")
