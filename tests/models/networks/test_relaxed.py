from dataclasses import replace

import numpy as np
import pytest

from synth.core.zeros import Zero
from synth.models.networks.relaxed import RelaxedRows
from tests.models.networks.test_network import evidence, off, table

SMALL = RelaxedRows(rows=60, steps=200, round_steps=20)


def test_rows_come_near_what_was_measured_and_so_do_the_records_of_them() -> None:
    model = SMALL.fit(evidence())
    assert model.rows.shape == (60, 9) and model.mixture.components == 60
    for clique in (("a", "b"), ("b", "c")):
        assert off(model, clique) < 2.5 * 5 * 12
    rows = int(model.total)
    codes = model.sample(rows, np.random.default_rng(0))
    sampled = np.histogram2d(codes[:, 0], codes[:, 1], bins=(3, 4))[0]
    assert np.abs(sampled - model.project(("a", "b"))).sum() < 6 * np.sqrt(rows)


def test_most_shares_are_exactly_zero_and_never_drawn() -> None:
    model = SMALL.fit(evidence(sigma=0.1))
    assert (model.rows == 0).mean() > 0.2
    codes = model.sample(60 * 50, np.random.default_rng(0))
    possible = {tuple(place) for row in model.rows for place in np.argwhere(np.outer(row[:3], row[3:7]))}
    assert {tuple(place) for place in codes[:, :2]} <= possible


def test_what_nobody_measured_stays_independent() -> None:
    model = SMALL.fit(evidence(pairs="ab"))
    expected = np.outer(*(table().sum(axis=rest) for rest in ((1, 2), (0, 1)))) / table().sum()
    assert np.abs(model.project(("a", "c")) - expected).sum() < 0.02 * model.total


def test_zeros_are_exact_in_blocks_and_by_repair(monkeypatch: pytest.MonkeyPatch) -> None:
    zero = Zero(("a", "b"), table().sum(axis=2) == 0)
    assert zero.forbidden.any()
    for most in (2_000, 2):
        monkeypatch.setattr("synth.models.mixture.mixture_blocks.BLOCK_CELLS", most)
        model = SMALL.fit(evidence(zeros=(zero,)))
        assert bool(model.mixture.blocks.left) is (most == 2)
        assert model.project(("a", "b"))[zero.forbidden].sum() == 0
        codes = model.sample(5_000, np.random.default_rng(0))
        assert not zero.forbidden[codes[:, 0], codes[:, 1]].any()


def test_a_warm_fit_goes_on_from_the_rows_of_an_earlier_one() -> None:
    first = SMALL.fit(evidence())
    few = replace(SMALL, round_steps=1, rate=0.1).rough()
    warm, cold = (off(few.fit(evidence(), start=start), ("a", "b")) for start in (first, None))
    assert warm < 0.5 * cold
    other = replace(SMALL, rows=50).fit(evidence(), start=first)
    assert other.rows.shape == (50, 9), "rows of another table are no help and do no harm"
