"""Records that a network draws, as a table: in possible cells, and with columns as they were measured."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest

from synth.core.codebook import Codebook
from synth.core.domain import Domain
from synth.core.evidence import Evidence
from synth.core.measurements.noisy import Measurement
from synth.core.progress import Progress
from synth.core.zeros import Zero
from synth.models.networks.drawn import HEAVIEST, base_of, table_drawn, weighed

DOMAIN = Domain(("a", "b"), (3, 2))
COUNTS = {"a": (600, 300, 100), "b": (700, 300)}


def evidence(zeros: tuple[Zero, ...] = ()) -> Evidence:
    columns = tuple(
        Measurement(clique=(name,), counts=np.array(counts), variance=Fraction(1), units=10**9)
        for name, counts in COUNTS.items()
    )
    return Evidence(codebook=Codebook.plain(DOMAIN, zeros=zeros), answers=columns, total=1000.0)


def even(rows: int) -> Iterator[np.ndarray]:
    """All cells alike, ninety records at a time."""
    for start in range(0, rows, 90):
        yield np.random.default_rng(start).integers(0, DOMAIN.sizes, (min(90, rows - start), 2))


def test_records_are_weighed_until_columns_are_as_measured() -> None:
    heard: list[Progress] = []
    rng = np.random.default_rng(0)
    model = table_drawn(evidence(), even, records=3000, rng=rng, report=heard.append)
    for name, counts in COUNTS.items():
        np.testing.assert_allclose(model.project((name,)), counts, atol=8)
    assert len(model.codes) == 3000 and heard[-1].done == 1.0 and len(heard) == 34


def test_records_that_cannot_be_are_drawn_again_or_moved() -> None:
    forbidden = np.zeros((3, 2), dtype=bool)
    forbidden[0, 0] = forbidden[2, 1] = True
    asked: list[int] = []

    def stubborn(rows: int) -> Iterator[np.ndarray]:
        asked.append(rows)
        yield np.tile([[0, 0], [1, 1]], (rows, 1))[:rows]

    told, rng = evidence((Zero(("a", "b"), forbidden),)), np.random.default_rng(0)
    model = table_drawn(told, stubborn, records=64, rng=rng, report=lambda _: None)
    assert asked == [64, 32, 16, 8, 4, 2, 1, 1, 1] and len(model.codes) == 64
    assert model.project(("a", "b"))[forbidden].sum() == 0


def test_the_base_is_what_is_known_of_the_columns_and_never_nothing() -> None:
    base = base_of(evidence())
    assert [sum(column) for column in base] == pytest.approx([1000, 1000], abs=3)
    forbidden = np.array([False, True, False])
    assert base_of(evidence((Zero(("a",), forbidden),)))[0][1] == 1


def test_weights_are_bounded_and_draws_are_at_equal_distances() -> None:
    codes = np.repeat([[0], [1]], [990, 10], axis=0)
    taken = weighed(codes, [np.array([10.0, 990.0])], np.random.default_rng(0))
    most = HEAVIEST * 10 / (HEAVIEST * 10 + 990 / HEAVIEST) * 1000
    assert len(taken) == 1000 and (codes[taken] == 1).sum() == pytest.approx(most, abs=2)
