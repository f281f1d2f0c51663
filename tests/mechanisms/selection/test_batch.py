import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest

from synth.core.domain import Clique, Domain
from synth.core.graphs.junction import JunctionGraph
from synth.mechanisms.selection.allocation import shares
from synth.mechanisms.selection.batch import _Expected, _with, select_batch
from synth.mechanisms.selection.correlation import Correlations

DOMAIN = Domain(tuple("abcd"), (3, 3, 3, 3))
PAIRS = list(combinations("abcd", 2))


def scores(**counts: float) -> Correlations:
    return Correlations.of(DOMAIN, PAIRS, np.array([counts.get(a + b, 0.0) for a, b in PAIRS]), total=1000.0)


def triangulation(limit: int = 81):  # type: ignore[no-untyped-def]
    def cliques(pairs: Sequence[Clique]) -> Sequence[Clique] | None:
        maximal = JunctionGraph.of(DOMAIN, pairs).maximal
        return maximal if max(DOMAIN.size(r) for r in maximal) <= limit else None

    return cliques


def selected(found: Correlations, *, sigma: float, limit: int = 81, weights: np.ndarray | None = None):  # type: ignore[no-untyped-def]
    weights = np.ones(len(PAIRS)) if weights is None else weights
    return select_batch(found, triangulation(limit), sigma=sigma, weights=weights)


def test_without_signal_every_column_is_measured_by_itself() -> None:
    assert selected(scores(), sigma=1e-6) == pytest.approx({(c,): 0.25 for c in "abcd"})


def test_noise_larger_than_the_signal_is_not_bought() -> None:
    noise = math.sqrt(2 / math.pi) * 9
    assert set(selected(scores(ab=100), sigma=101 / noise)) == {(c,) for c in "abcd"}
    assert ("a", "b") in selected(scores(ab=100), sigma=30 / noise)


def test_at_no_noise_everything_with_signal_is_measured() -> None:
    chosen = selected(scores(ab=100, bc=1, ad=5), sigma=1e-9)
    assert set(chosen) == {("a", "b"), ("b", "c"), ("a", "d")}
    assert sum(chosen.values()) == pytest.approx(1.0)


def test_columns_in_no_chosen_pair_keep_a_share() -> None:
    chosen = selected(scores(ab=900), sigma=1.0)
    assert chosen == pytest.approx(shares(DOMAIN, {("a", "b"): 1.0, ("c",): 1.0, ("d",): 1.0}))


def test_what_a_path_already_tells_is_not_measured() -> None:
    strong = {"ab": 1300.0, "bc": 1300.0}
    chosen = selected(scores(**strong, ac=900.0), sigma=20.0)
    alone = selected(scores(ac=900.0), sigma=20.0)
    assert ("a", "c") in alone
    assert ("a", "c") not in chosen and {("a", "b"), ("b", "c")} <= set(chosen)


def test_no_clique_outgrows_the_limit() -> None:
    everything = scores(**{a + b: 500.0 for a, b in PAIRS})
    assert set(selected(everything, sigma=1e-6)) == set(PAIRS)
    narrow = set(selected(everything, sigma=1e-6, limit=9))
    assert len(narrow & set(PAIRS)) == 3 and all(DOMAIN.size(r) <= 9 for r in narrow)


def test_pairs_inside_a_clique_come_with_it() -> None:
    """Four strong pairs form a ring. Its chord is measured too, because two cliques intersect there."""
    ring = scores(ab=500.0, bc=500.0, cd=500.0, ad=500.0)
    chosen = set(selected(ring, sigma=0.01)) & set(PAIRS)
    assert len(chosen) == 5 and {("a", "b"), ("b", "c"), ("c", "d"), ("a", "d")} < chosen


def test_it_ends_where_no_single_pair_improves() -> None:
    rng = np.random.default_rng(3)
    for _ in range(5):
        found = scores(**{a + b: float(rng.exponential(300)) for a, b in PAIRS})
        expected = _Expected(found, unit=20.0, weights=np.ones(len(PAIRS)))
        result = select_batch(
            found, triangulation(), sigma=20.0 / math.sqrt(2 / math.pi), weights=np.ones(len(PAIRS))
        )
        chosen = np.array([pair in result for pair in PAIRS])
        nothing = np.zeros(len(PAIRS), dtype=bool)
        assert expected.error(chosen) < expected.error(nothing) == pytest.approx(found.counts.sum())
        for i in np.flatnonzero(~chosen):
            option = _with(found, triangulation(), chosen, int(i))
            assert option is not None and expected.error(option) >= expected.error(chosen)
