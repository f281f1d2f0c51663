from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from synth.bench.privacy import gate_ours
from synth.bench.privacy.gate import of_ours
from synth.bench.privacy.gate_tables import MIXED, YES_NO, Rows
from synth.bench.privacy.gate_transcript import Transcript
from synth.private import noise
from synth.private.queries import Interaction, Marginal, Sides
from synth.private.queries import base as questions

pytestmark = pytest.mark.long


def test_a_method_is_heard_draw_by_draw_and_replayed_without_a_table() -> None:
    run = gate_ours.recorded("mst", MIXED.rows, MIXED.sizes, epsilon=1.0, delta=1e-5)
    again = run.on(MIXED.rows)
    assert again.made == run.transcript.made and sum(run.transcript.losses(again)) == 0
    assert [draw.kind for draw in again.draws].count("choice") == len(MIXED.sizes) - 1


def test_ours_passes() -> None:
    verdict = of_ours("grove", epsilon=1.0, delta=1e-5)
    assert verdict.passes and 0.9 * verdict.declared < verdict.spent <= verdict.declared


def test_the_canary_of_half_the_noise_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = noise.noise_of

    def halved(*args: Any, **named: Any) -> Any:
        return np.asarray(drawn(*args, **named), dtype=np.int64) // 2

    monkeypatch.setattr(questions, "noise_of", halved)
    verdict = of_ours("grove", epsilon=1.0, delta=1e-5)
    assert not verdict.passes and "times the spread of the scale" in verdict.findings[0]


@pytest.mark.parametrize("method", ["grove", "gaussian", "copula"])
def test_small_tables_without_noise_are_caught(monkeypatch: pytest.MonkeyPatch, method: str) -> None:
    drawn = noise.noise_of

    def none_of_few(law: Any, variance: Any, size: int, **named: Any) -> Any:
        return drawn(law, variance, size, **named) * (size > 3)

    monkeypatch.setattr(questions, "noise_of", none_of_few)
    verdict = of_ours(method, epsilon=1.0, delta=1e-5)
    assert not verdict.passes and "is nothing but zeros" in verdict.findings[0]


def test_a_price_is_told_without_a_replay() -> None:
    run = gate_ours.recorded("mst", MIXED.rows, MIXED.sizes, epsilon=1.0, delta=1e-5)
    rows = next(MIXED.of_cells()).rows
    replayed, priced = run.on(rows), run.priced_on(rows)
    losses = run.transcript.losses(priced)
    assert losses == run.transcript.losses(replayed) and sum(losses) > 0
    assert priced.made == replayed.made


@pytest.mark.long
def test_a_cell_that_few_neighbours_leave_out_is_priced_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """A row there counts three times: nine times the price of one of three draws."""
    exact, cell = Marginal.exact, (1, 5)
    assert cell not in {(a, c) for a, _, c in MIXED.covering}

    def tripled(question: Any, tables: Any) -> Any:
        counts = exact(question, tables).copy()
        if question.clique == ("a", "c") and counts.shape == (2, 6):
            counts[cell] *= 3
        return counts

    monkeypatch.setattr(Marginal, "exact", tripled)
    verdict = of_ours("privpgd", epsilon=1.0, delta=1e-5)
    assert verdict.overspent == pytest.approx(11 / 3, rel=0.01)


@pytest.mark.long
def test_noise_that_all_runs_share_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def shared(law: Any, variance: Any, size: int, **named: Any) -> Any:
        return np.rint(np.random.default_rng(7).normal(0, float(variance) ** 0.5, size)).astype(np.int64)

    monkeypatch.setattr(questions, "noise_of", shared)
    told = " ".join(of_ours("grove", epsilon=1.0, delta=1e-5).findings)
    assert "is the same in all 5 runs" in told and "once more, up to its scale" in told


def test_the_exact_count_of_a_common_code_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted in the table that is made, of which no draw tells."""
    told = gate_ours._made
    leak = {"count": 0}

    def leaking(entry: str, source: Any, schema: Any) -> bytes:
        return told(entry, source, schema) + bytes([leak["count"] % 251])

    def on(self: gate_ours.Run, rows: Rows) -> Transcript:
        leak["count"] = int((rows[:, 1] == 0).sum())
        return replayed(self, rows)

    replayed, leak["count"] = gate_ours.Run.on, int((MIXED.rows[:, 1] == 0).sum())
    monkeypatch.setattr(gate_ours, "_made", leaking)
    monkeypatch.setattr(gate_ours.Run, "on", on)
    verdict = of_ours("independent", epsilon=1.0, delta=1e-5)
    assert not verdict.passes and "besides the noisy answers" in verdict.findings[0]


def test_a_unit_of_two_rows_priced_as_one_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    variance = questions.GaussianQuery.variance

    def as_one(question: Any, units: int, terms: Any) -> Any:
        return variance(question, units, terms) / terms.rows**2

    monkeypatch.setattr(questions.GaussianQuery, "variance", as_one)
    verdict = of_ours("grove", epsilon=1.0, delta=1e-5)
    assert "where a unit has two rows" in verdict.findings[0]


def test_the_canary_of_half_the_sensitivity_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    variance = questions.GaussianQuery.variance
    monkeypatch.setattr(questions.GaussianQuery, "variance", lambda *asked: variance(*asked) / 4)
    verdict = of_ours("grove", epsilon=1.0, delta=1e-5)
    assert not verdict.passes and 3.5 < verdict.overspent <= 4.0


@pytest.mark.long
def test_half_the_noise_on_half_spaces_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Noise as if a row moved every side by a half: four times the price is spent on them."""
    entry = "rap epochs=1 half_spaces=0.9 pool=6"
    assert of_ours(entry, epsilon=1.0, delta=1e-5).passes
    honest = Sides.l2_squared
    monkeypatch.setattr(Sides, "l2_squared", lambda *asked: honest(*asked) // 4)
    verdict = of_ours(entry, epsilon=1.0, delta=1e-5)
    assert not verdict.passes and verdict.overspent > 2


def test_where_columns_are_yes_or_no_the_default_is_heard_asking_interactions() -> None:
    run = gate_ours.recorded("blend", YES_NO.rows, YES_NO.sizes, epsilon=1.0, delta=1e-5)
    assert {len(q.clique) for q, _ in run.heard if isinstance(q, Interaction)} == {1, 2, 3}
    assert run.on(YES_NO.rows).made == run.transcript.made


@pytest.mark.long
def test_interactions_at_half_their_noise_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Though on the other table, where none is asked, nothing is wrong."""
    moved = Interaction.l2_squared
    monkeypatch.setattr(Interaction, "l2_squared", lambda asked, terms: moved(asked, terms) / 4)
    verdict = of_ours("blend", epsilon=1.0, delta=1e-5)
    assert not verdict.passes and 3.5 < verdict.overspent <= 4.0
