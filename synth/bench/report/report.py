"""Write the report of a benchmark, with sentences and tables, as a single HTML file and as plain text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from synth.bench.metrics import BY_NAME, METRICS, Metric
from synth.bench.peers.catalogue import PEERS
from synth.bench.presets import PRESETS
from synth.bench.privacy.gate_verdict import SCOPE, Gate
from synth.bench.report.comparison import findings
from synth.bench.report.tally import Outcome, Place, outcomes_of, places_of
from synth.bench.trials.results import Record
from synth.bench.trials.trial import PAIRS, Part

TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).with_name("templates")),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
KINDS = {Part.MECHANISM: "ours", Part.PEER: "library", Part.REFERENCE: "not private"}
_FIRST = ("tvd2", "tvd3", "workload_error", "seconds", "peak_mb")
"""Metrics that are in the first columns of a table."""


@dataclass(frozen=True, kw_only=True)
class Section:
    """The outcomes for a table and a task, shown in these columns."""

    title: str
    shown: list[Metric]
    outcomes: list[Outcome]


def html(records: Sequence[Record], notes: dict[str, Any], *, gate: Gate | None = None) -> str:
    """Return the page about these records. `notes` is the content of the machine file: sessions and versions
    of peers.
    """
    outcomes, sessions = outcomes_of(records), notes["sessions"]
    names = dict.fromkeys(session["preset"] for session in sessions)
    verdicts = (gate.verdict(one) for one in outcomes) if gate is not None else ()
    peers = dict.fromkeys(one.method for one in outcomes if one.kind is Part.PEER)
    return TEMPLATES.get_template("report.html.j2").render(
        title=f"Benchmark: {', '.join(names)}",
        measured=sessions[-1]["started"],
        about=[PRESETS[name].about for name in names if name in PRESETS],
        findings=findings(outcomes, gate),
        gate=gate,
        judged=list({verdict.entry: verdict for verdict in verdicts if verdict is not None}.values()),
        scope=SCOPE,
        sections=[_section(place, outcomes) for place in places_of(outcomes)],
        kinds=KINDS,
        peers={PEERS[name]: notes.get("peers", {}).get(PEERS[name].library.name, {}) for name in peers},
        sessions=sessions,
    )


def _section(place: Place, outcomes: Sequence[Outcome]) -> Section:
    table, task = place
    here = [one for one in outcomes if one.place == place]
    return Section(
        title=table if task == PAIRS else f"{table}, workload {task}",
        shown=shown_of(here),
        outcomes=here,
    )


def shown_of(outcomes: Sequence[Outcome]) -> list[Metric]:
    """Return the metrics that were measured, in the order of the table columns."""
    ordered = [*map(BY_NAME.__getitem__, _FIRST), *(m for m in METRICS if m.name not in _FIRST)]
    return [metric for metric in ordered if any(metric.name in one.figures for one in outcomes)]


def as_text(records: Sequence[Record], gate: Gate | None = None) -> str:
    """Return the report as text for a terminal: one row for each table, task, method and epsilon, then the
    findings. Figures are means over runs, with the standard deviation of errors in brackets.
    """
    outcomes = outcomes_of(records)
    shown = [metric for metric in shown_of(outcomes) if metric.phrase]
    rows = [["table", "task", "method", "epsilon", "runs", *(m.heading for m in shown)]]
    for one in outcomes:
        rows.append(
            [one.table, one.task, one.name, one.promise, str(one.runs), *(one.cell(m.name) for m in shown)]
        )
    found = findings(outcomes, gate)
    return "\n".join(
        [
            in_columns(rows),
            *found.own,
            *(f"Against libraries, {line}" for line in found.libraries),
            *(f"Lost. {line}" for line in found.lost),
            *(f"Failed. {line}" for line in found.failed),
            *(f"Not counted. {line}" for line in found.left_out),
        ]
    )


def in_columns(rows: Sequence[Sequence[str]]) -> str:
    """Return rows of words as text with aligned columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(word.ljust(width) for word, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )
