from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from synth.core.domain import Domain
from synth.core.errors import Mistake
from synth.core.zeros import Zero
from synth.mechanisms import MECHANISMS
from synth.mechanisms.learned.ballot import Ballot
from synth.mechanisms.learned.tabpe import TabPE
from synth.mechanisms.shared.base import Fitted, Mechanism, Prospect
from synth.mechanisms.shared.recipe import followers, recipe_of
from tests.mechanisms.examples import fit, problem_about

DOMAIN = Domain(("x", "y", "c"), (24, 24, 2))
ORDERED = {"x": 24, "y": 24}


def rows() -> np.ndarray:
    """Return points on two crossing diagonals, with the diagonal in column c."""
    rng = np.random.default_rng(0)
    x, c = rng.integers(0, 24, 5000), rng.integers(0, 2, 5000)
    y = np.clip(np.where(c == 0, x, 23 - x) + rng.integers(-1, 2, 5000), 0, 23)
    return np.stack([x, y, c], axis=1)


def fitted(
    mechanism: Mechanism, rho: float = 1e5, *, domain: Domain = DOMAIN, zeros: tuple[Zero, ...] = ()
) -> Fitted:
    ordered = {name: size for name, size in ORDERED.items() if name in domain}
    problem = problem_about(domain, ordered=ordered, zeros=zeros)
    return fit(mechanism, rows()[:, : len(domain)], domain, rho, problem)


def right(found: Fitted) -> float:
    """Return the share of the records that lie on the diagonal of their c."""
    codes = found.model.sample(3000, np.random.default_rng(0))
    on = np.where(codes[:, 2] == 0, codes[:, 0], 23 - codes[:, 0])
    return float((np.abs(codes[:, 1] - on) <= 2).mean())


BOTH = pytest.mark.parametrize("kind", [TabPE, Ballot])


@BOTH
def test_a_part_measures_columns_and_the_rest_is_votes_at_equal_prices(kind: Any) -> None:
    evidence = fitted(kind(columns_share=0.2, rounds=5, candidates=60, label="c"), 0.5).evidence
    assert [m.clique for m in evidence.measurements] == [("x",), ("y",), ("c",)]
    assert sum(m.rho for m in evidence.measurements) == pytest.approx(0.1)
    assert len(evidence.numbers) == 5 and {a.requested["label"] for a in evidence.numbers} == {"c"}
    assert [a.units for a in evidence.numbers] == pytest.approx([80_000_000_000] * 5, rel=1e-6)
    places = evidence.numbers[0].requested["places"]
    assert places[0][0] == 0 and places[0][-1] == 255 and len(places[0]) == 24 and places[2] == []
    assert kind(columns_share=0.2).first_pass(Prospect(sizes=DOMAIN.sizes)) == 0.2


@BOTH
def test_records_gather_where_the_table_is(kind: Any) -> None:
    options = {"rounds": 8, "candidates": 150, "label": "c"}
    found, one = fitted(kind(**options)), fitted(kind(**{**options, "rounds": 1}))
    assert right(found) > 0.8 and right(found) > right(one) - 0.02
    assert fitted(kind(**{**options, "label": ""})).evidence.numbers[0].requested["label"] == ""


@BOTH
def test_candidates_are_different_and_never_in_a_forbidden_cell(kind: Any) -> None:
    forbidden = np.zeros((24, 2), dtype=bool)
    forbidden[:6, 0] = True
    found = fitted(kind(rounds=7, candidates=80, label="c"), zeros=(Zero(("y", "c"), forbidden),))
    for answer in found.evidence.numbers:
        codes = np.array(answer.requested["candidates"])
        assert len(np.unique(codes, axis=0)) == len(codes)
        assert not forbidden[codes[:, 1], codes[:, 2]].any()
    assert found.model.project(("y", "c"))[forbidden].sum() == 0


def test_after_the_fourth_vote_the_best_stay_beside_their_variations() -> None:
    found = fitted(TabPE(rounds=7, candidates=100, label="c"))
    requested = [np.array(a.requested["candidates"]) for a in found.evidence.numbers]
    votes = [a.values for a in found.evidence.numbers]
    assert max(len(codes) for codes in requested[:5]) <= 101 < min(len(codes) for codes in requested[5:])
    best = requested[4][votes[4] == votes[4].max()]
    assert {tuple(r) for r in best.tolist()} <= {tuple(r) for r in requested[5].tolist()}
    np.testing.assert_array_equal(found.model.codes, requested[-1])  # type: ignore[attr-defined]


def test_votes_are_read_by_their_own_generator_alone_which_reads_nothing_else() -> None:
    assert followers(TabPE) == followers(Ballot) == ("reweighed",)
    assert not any("reweighed" in followers(kind) for kind in MECHANISMS.values() if not kind.votes)
    with pytest.raises(Mistake, match="measures votes of records, which this generator cannot use"):
        recipe_of("ballot+mixture")
    with pytest.raises(Mistake, match="needs votes of records"):
        recipe_of("mst+reweighed")
    with pytest.raises(Mistake, match="label"):
        fitted(TabPE(label="d"))
