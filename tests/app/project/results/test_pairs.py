"""What is told of pairs: which, in what order, why, and how sure each cell is."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from synth.app.project.results import pairs, released
from synth.app.project.results.released import PairBound
from synth.app.project.runs import finished
from synth.app.project.store import Project
from synth.core.domain import Domain
from synth.core.measurements.noisy import Measurement
from synth.core.table import CodeTable
from synth.release.checks.views import Released, Views


def test_a_pair_that_lost_records_is_silent(
    twice: Callable[[], Project], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither an interval nor a noisy count, though both columns were measured."""
    run = finished(twice())[1]
    release, noisy = released.read(run.folder), pairs.evidence_of(run.folder)
    table = Measurement(
        clique=("age", "ward"),
        counts=np.zeros(noisy.domain.shape(("age", "ward")), dtype=np.int64),
        variance=Fraction(1),
        units=1,
    )
    monkeypatch.setattr(pairs, "evidence_of", lambda folder: noisy.joined([table]))
    for incomplete in (False, True):
        stated = tuple(replace(pair, incomplete=incomplete) for pair in release.pairs)
        monkeypatch.setattr(released, "read", lambda folder, stated=stated: replace(release, pairs=stated))
        pairs._view.cache_clear()
        view = pairs.view(run.folder, ("age", "ward"))
        assert (view.own.noisy is None) == (view.own.least is None) == incomplete
    pairs._view.cache_clear()


def test_a_search_for_two_names_finds_pairs_that_have_both() -> None:
    titles = combinations(("Rooms 1", "Rooms 2", "Weekly hours 1"), 2)
    every = [PairBound(clique=two, left=two[0], right=two[1], kind="none", share=None) for two in titles]
    found = {
        words: len(pairs.narrowed(every, words=words))
        for words in ("", "rooms", "hours, rooms 1", "rooms, x")
    }
    assert found == {"": 3, "rooms": 3, "hours, rooms 1": 1, "rooms, x": 0}


def test_intervals_hold_for_all_cells_at_once_as_often_as_they_say() -> None:
    domain, draw, times, sigma = Domain(("a", "b"), (4, 5)), np.random.default_rng(7), 600, 9.0
    truth = CodeTable(domain, draw.integers(0, (4, 5), (500, 2)))
    held = 0
    for _ in range(times):
        noise = np.rint(draw.normal(scale=sigma, size=(4, 5))).astype(np.int64)
        answer = Measurement(
            clique=("a", "b"), counts=truth.counts(("a", "b")) + noise, variance=Fraction(81), units=1
        )
        known = Views(domain, (answer,), Released(truth, 500.0)).fine
        table = pairs.table_of(known, None, ("a", "b"), {"a": tuple("abcd"), "b": tuple("abcde")}, 0.95)
        assert table.least is not None and table.most is not None
        exact = truth.project(("a", "b"))
        held += bool(((table.least <= exact) & (exact <= table.most)).all())
    slack = 4 * np.sqrt(0.95 * 0.05 / times)
    assert held / times > 0.95 - slack
    assert table.reach.max() < 4 * sigma, "wider than needed"
