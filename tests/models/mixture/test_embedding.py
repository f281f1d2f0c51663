"""The values of a noisy mean embedding, in the numbering of all codes."""

from fractions import Fraction
from typing import Any

import numpy as np

from synth.core.domain import Domain
from synth.core.evidence import Evidence
from synth.core.measurements.noisy import NoisyNumbers
from synth.core.zeros import Zero
from synth.models.mixture.embedding import MeanEmbedding, embeddings_of
from synth.models.mixture.mixture_blocks import Blocks
from synth.models.targets import targets_of
from tests.models.examples import evidence_of, measurement

DOMAIN = Domain(("a", "b", "c"), (3, 4, 2))
FREQUENCIES = [[1, 0, 5], [0, 2, 0], [3, 7, 0]]


def answer(label: str = "", *, frequencies: list[list[int]] | None = None, **more: Any) -> NoisyNumbers:
    steps = frequencies or FREQUENCIES
    requested = {"ask": "embedding", "clique": list("abc"), "label": label, "frequencies": steps, "turn": 16}
    size = DOMAIN.size([label]) if label else 1
    values = np.arange(size * len(steps) * 2, dtype=np.int64).reshape(size, len(steps), 2)
    usual = {"values": values, "variance": Fraction(64), "scale": 4, "units": 1}
    return NoisyNumbers(requested=requested | more, **usual)  # type: ignore[arg-type]


def evidence(*answers: Any, zeros: tuple[Zero, ...] = ()) -> Evidence:
    one_ways = (
        measurement((n,), np.full(size, 40, dtype=np.int64))
        for n, size in zip(DOMAIN.names, DOMAIN.sizes, strict=True)
    )
    return evidence_of(DOMAIN, (*one_ways, *answers), 100, zeros=zeros)


def stated(given: NoisyNumbers, zeros: tuple[Zero, ...] = ()) -> MeanEmbedding:
    known = evidence(given, zeros=zeros)
    targets = targets_of(known)
    (found,) = embeddings_of(known, targets, Blocks.of(DOMAIN, targets.zeros))
    return found


def test_factors_are_the_waves_of_every_code_where_a_frequency_goes_through_its_column() -> None:
    found = stated(answer())
    spans, waves = zip(*found.factors, strict=True)
    assert spans == (slice(0, 3), slice(3, 7), slice(7, 9))
    assert [w.shape for w in waves] == [(2, 3, 2), (2, 4, 2), (2, 2, 1)]
    angles = 2 * np.pi * np.outer(np.arange(3), [1, 3]) / 16
    np.testing.assert_allclose(waves[0], [np.cos(angles), np.sin(angles)], atol=1e-6)
    assert found.places.T.tolist() == [[0, 4], [2, 5], [1, 3]], "the product of two, or of one and 1"


def test_means_and_weights_are_per_record() -> None:
    found = stated(answer())
    assert found.label is None and found.means.shape == found.weights.shape == (1, 3, 2)
    np.testing.assert_allclose(found.means.ravel(), np.arange(6) / 4 / 100)
    np.testing.assert_allclose(found.weights, 100 / (64 / 16))
    by_label = stated(answer("c", frequencies=[[1, 0, 0], [0, 2, 0]]))
    assert by_label.label == slice(7, 9) and by_label.means.shape == (2, 2, 2)


def test_a_product_over_columns_that_zeros_tie_together_is_left_out() -> None:
    forbidden = np.zeros((3, 4), dtype=bool)
    forbidden[0, 1] = True
    found = stated(answer(), (Zero(("a", "b"), forbidden),))
    assert (found.weights[0, :, 0] > 0).tolist() == [True, True, False]
    tied = Zero(("b", "c"), np.eye(4, 2, dtype=bool))
    by_label = stated(answer("c", frequencies=[[1, 0, 0], [0, 2, 0]]), (tied,))
    assert (by_label.weights[:, :, 0] > 0).tolist() == [[True, False], [True, False]]


def test_asked_in_groups_a_code_has_the_wave_of_its_group() -> None:
    found = stated(answer(groups={"b": [0, 1, 1, 1]}))
    waves = found.factors[1][1]
    np.testing.assert_array_equal(waves[:, 2], waves[:, 1])
    angles = 2 * np.pi * np.array([2, 7]) / 16
    np.testing.assert_allclose(waves[:, 3], [np.cos(angles), np.sin(angles)], atol=1e-6)


def test_a_model_in_coarser_codes_has_the_mean_wave_of_a_group() -> None:
    grouped = measurement(("b", "c"), np.full((2, 2), 25, dtype=np.int64), groups={"b": (0, 0, 1, 1)})
    known = evidence(grouped, answer())
    targets = targets_of(known)
    (found,) = embeddings_of(known, targets, Blocks.of(targets.domain, targets.zeros))
    span, waves = found.factors[1]
    assert span == slice(3, 5) and waves.shape == (2, 2, 2)
    np.testing.assert_allclose(waves[0, 0, 0], (1 + np.cos(2 * np.pi * 2 / 16)) / 2, atol=1e-6)
