"""Write the benchmark as a single HTML file and as plain text: sentences, charts and figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from synth.bench.metrics import BY_NAME, METRICS, Metric
from synth.bench.peers.catalogue import PEERS
from synth.bench.presets import PRESETS
from synth.bench.privacy.gate_verdict import SCOPE, Gate
from synth.bench.report.charts import Levels, Mean, Series, chart, strip
from synth.bench.report.comparison import DEFAULT, findings
from synth.bench.report.tally import Outcome, Place, epsilons_of, outcomes_of, places_of
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
"""The first columns of a table."""

_ROWS, _MANY, _BEST = 30, 8, 5
"""A strip has at most `_ROWS` rows. If there are more than `_MANY` lines, only the default and the best
`_BEST` are coloured.
"""


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """A chart with its caption; a legend of its series, or a note, or both."""

    caption: str
    svg: Markup
    legend: Sequence[Series] = ()
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class Section:
    """The charts of a table and a task, and the outcomes below them as a table with these columns."""

    title: str
    figures: list[Drawn]
    shown: list[Metric]
    outcomes: list[Outcome]


def html(records: Sequence[Record], notes: dict[str, Any], *, gate: Gate | None = None) -> str:
    """Return the page of these records. `notes` is the content of the machine file (sessions, versions of
    peers).
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
    methods = [one for one in here if one.kind is not Part.REFERENCE]
    names = dict.fromkeys(one.name for one in outcomes if one.kind is not Part.REFERENCE)
    styles = {name: i for i, name in enumerate(names)}
    measured = {figure for one in methods for figure in one.figures}
    wanted = ("tvd2", "fidelity" if "fidelity" in measured else "tvd3")
    errors = [f for f in (wanted if task == PAIRS else ("tvd3", "workload_error")) if f in measured]
    draw = _against_epsilon if len(epsilons_of(methods)) > 1 else _strip
    figures = [draw(here, styles, figure) for figure in (*errors, "seconds")]
    figures += [_against_time(methods, styles, figure) for figure in errors[:1]]
    return Section(
        title=table if task == PAIRS else f"{table}, workload {task}",
        figures=[drawn for drawn in figures if drawn.svg],
        shown=shown_of(here),
        outcomes=here,
    )


def shown_of(outcomes: Sequence[Outcome]) -> list[Metric]:
    """Return the metrics that were measured, in the order of the columns."""
    ordered = [*map(BY_NAME.__getitem__, _FIRST), *(m for m in METRICS if m.name not in _FIRST)]
    return [metric for metric in ordered if any(metric.name in one.figures for one in outcomes)]


def _series(
    outcomes: Sequence[Outcome],
    styles: dict[str, int],
    figure: str,
    x: Callable[[Outcome], float | None],
) -> list[Series]:
    """Return a series for every method with means above 0, at the `x` of each outcome."""
    series = []
    for name, place in styles.items():
        mine = [one for one in outcomes if one.name == name and one.kind is not Part.REFERENCE]
        points = []
        for one in mine:
            mean, spread, at = one.mean(figure), one.spread(figure) or 0.0, x(one)
            if mean and mean > 0 and at:
                points.append(Mean(x=at, y=mean, low=mean - spread, high=mean + spread))
        if points:
            dashed = mine[0].kind is Part.PEER
            series.append(Series(name=name, points=tuple(points), place=place, dashed=dashed))
    return series


def _levels(here: Sequence[Outcome], figure: str) -> Levels:
    """Return the references: resampled rows, and exact columns without any relation."""
    references = [
        one for one in here if one.kind is Part.REFERENCE and one.method in ("bootstrap", "product")
    ]
    return [(f"{one.method} (not private)", mean) for one in references if (mean := one.mean(figure))]


def _coloured(series: Sequence[Series]) -> tuple[list[Series], str]:
    """Return the series with a note. If there are many, only the default and the best few keep their
    colours.
    """
    if len(series) <= _MANY:
        return list(series), ""
    order = sorted(series, key=lambda one: min(p.y for p in one.points))
    kept = {one.name for one in order[:_BEST]} | {DEFAULT}
    told = [one if one.name in kept else replace(one, muted=True) for one in series]
    return told, f"Grey: {sum(one.muted for one in told)} others; point at a mark to see its name."


def _against_epsilon(here: Sequence[Outcome], styles: dict[str, int], figure: str) -> Drawn:
    label = BY_NAME[figure].heading
    series, note = _coloured(_series(here, styles, figure, lambda one: one.epsilon))
    caption = f"{label} against epsilon"
    svg = chart(series, x="epsilon", y=label, levels=_levels(here, figure), title=caption)
    return Drawn(caption=caption, svg=svg, legend=[one for one in series if not one.muted], note=note)


def _strip(here: Sequence[Outcome], styles: dict[str, int], figure: str) -> Drawn:
    """Return a strip with the best method on top."""
    label, levels = BY_NAME[figure].heading, _levels(here, figure)
    rows = sorted(_series(here, styles, figure, lambda one: 1.0), key=lambda row: row.points[0].y)
    drawn = [row for i, row in enumerate(rows) if i < _ROWS or row.name == DEFAULT]
    named = "; ".join(f"{name} at {level:.4f}" for name, level in levels)
    notes = [f"Dotted lines: {named}."] if named else []
    if len(drawn) < len(rows):
        notes.append(f"The best {_ROWS} of {len(rows)}, and the default; the table has all.")
    return Drawn(caption=label, svg=strip(drawn, x=label, levels=levels, title=label), note=" ".join(notes))


def _against_time(methods: Sequence[Outcome], styles: dict[str, int], figure: str) -> Drawn:
    label = BY_NAME[figure].heading
    series, note = _coloured(_series(methods, styles, figure, lambda one: one.mean("seconds")))
    caption = f"{label} against time"
    svg = chart(series, x="seconds", y=label, joined=False, title=caption)
    note = f"Down is more accurate, left is faster; one mark per epsilon. {note}".strip()
    return Drawn(caption=caption, svg=svg, legend=[one for one in series if not one.muted], note=note)


def as_text(records: Sequence[Record], gate: Gate | None = None) -> str:
    """Return text for a terminal: a row for each table, task, method and epsilon (means over runs, with the
    standard deviation of errors in brackets), then the findings.
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
    """Align words in columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(word.ljust(width) for word, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )
