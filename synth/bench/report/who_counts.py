"""Who counts: one rule for every comparison, win and first, on pages, in the terminal and beside the papers.

An entry without a verdict of the gate that passes counts in none of them, and its line says so. Without a
gate all count.
"""

from __future__ import annotations

from collections.abc import Sequence

from synth.bench.privacy.gate_verdict import Gate
from synth.bench.report.paper_tables import Compared
from synth.bench.report.tally import Outcome
from synth.bench.trials.trial import Part


def counts(outcomes: Sequence[Outcome], gate: Gate | None) -> list[Outcome]:
    return list(outcomes) if gate is None else gate.counted(outcomes)


def left_out(one: Outcome, gate: Gate | None) -> str:
    """Why it does not count, in words; empty where it does."""
    return "" if gate is None or gate.counts(one) else f"not counted: {gate.word(one)}"


def beside_rows(beside: Sequence[Compared], gate: Gate | None) -> list[tuple[str, ...]]:
    """Those of the papers' figures: what does not count has beaten and reproduced nothing."""
    rows = []
    for one in beside:
        cell = one.cell
        ours = Outcome(cell.ours, "", "", Part.MECHANISM, cell.entry, cell.figure.epsilon)
        why = left_out(ours, gate)
        rows.append((*one.row[:-1], why) if why else one.row)
    return rows
