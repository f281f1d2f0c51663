"""The benchmark as one HTML file that needs nothing else: sentences, charts, figures, libraries, machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from synth.bench.metrics import BY_NAME, METRICS, Metric
from synth.bench.peers.catalogue import PEERS, Peer
from synth.bench.privacy.gate_verdict import SCOPE, Gate, Verdict
from synth.bench.report import losing, paper_tables, verdicts
from synth.bench.report.about import about, in_short
from synth.bench.report.charts import Levels, Mean, Series, chart, strip
from synth.bench.report.grid import grids
from synth.bench.report.kinds import Ranked, first_of_each, ranked
from synth.bench.report.legend import legend
from synth.bench.report.standing import standings, summary
from synth.bench.report.tally import Outcome, Place, epsilons_of, outcomes_of, places_of
from synth.bench.report.who_counts import beside_rows, counts
from synth.bench.trials.results import Record
from synth.bench.trials.trial import Part
from synth.bench.tuning import LEARNERS, TITLES, options_of

TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).with_name("templates")),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_COMPARED = {"seconds": "speed", "cpu_seconds": "speed in CPU time"} | {
    figure: BY_NAME[figure].phrase for figure in ("tvd2", "tvd3", "workload_error", "tvd4", "fidelity")
}
KINDS = {Part.MECHANISM: "ours", Part.PEER: "library", Part.REFERENCE: "not private"}
_DRAWN_REFERENCES = ("bootstrap", "product")
SCORE = "macro_f1"
"""More is better."""

_FIRST = ("tvd2", "tvd3", "macro_f1", "seconds", "peak_mb")
"""Columns that are looked at most stand first."""

_RANKED, _ROWS = 12, 30
_MANY, _BEST = 8, 5
"""Of more series than the one, the default and so many of the best are in colour."""

_BROUGHT = ("mbi", "jax", "numpy", "opendp")
"""Packages whose versions are stated for a library's environment, besides the pinned ones."""


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """A chart with its caption; a legend of its series, or a note, or both."""

    caption: str
    svg: Markup
    legend: Sequence[Series] = ()
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class Section:
    """What is shown together: charts, and under them a table with these columns of these outcomes.
    `across` names the axis of the charts that the table tells too; `notes` are sentences above the table."""

    title: str
    figures: list[Drawn]
    shown: list[Metric]
    outcomes: list[Outcome]
    across: str = ""
    notes: Sequence[str] = ()


def html(records: Sequence[Record], notes: dict[str, Any], *, gate: Gate | None = None) -> str:
    """The page of these records; `notes` is what the machine file holds (sessions, and versions of peers).
    What does not pass the gate is marked and comes first in nothing; without one all count."""
    outcomes = outcomes_of(records)
    counted = counts(outcomes, gate)
    beside, ranks = paper_tables.compared(records), list(ranked(counted))
    compared = list(verdicts.comparisons(counted))
    told = about(outcomes, notes["sessions"])
    sections = [_section(place, outcomes) for place in places_of(outcomes)]
    return TEMPLATES.get_template("report.html.j2").render(
        title=told.title,
        measured=notes["sessions"][-1]["started"],
        about=told.lead,
        in_short=in_short(outcomes, counted),
        comparisons=compared,
        compared={f: title for f, title in _COMPARED.items() if any(f in one.against for one in compared)},
        speeds=verdicts.SPEEDS,
        lost=losing.lost(outcomes, counted),
        standing=summary(list(standings(counted))),
        grids=list(grids(outcomes, counted)),
        ranks=ranks,
        firsts=first_of_each(ranks),
        rank_charts=_rank_charts(ranks, styles_of(outcomes)),
        beside=beside_rows(beside, gate),
        beside_headings=paper_tables.HEADINGS,
        remarks=paper_tables.remarks(beside),
        gate=gate,
        judged=_judged(gate, outcomes),
        scope=SCOPE,
        sections=sections,
        legend=legend((one for section in sections for one in section.shown), gate=gate is not None),
        kinds=KINDS,
        peers=_peers(outcomes, notes.get("peers", {})),
        broken=verdicts.broken(outcomes),
        sessions=notes["sessions"],
    )


def _judged(gate: Gate | None, outcomes: Sequence[Outcome]) -> list[Verdict]:
    """The verdicts on what was run."""
    found = (gate.verdict(one) for one in outcomes) if gate is not None else ()
    return list({verdict.entry: verdict for verdict in found if verdict is not None}.values())


def _rank_charts(ranks: Sequence[Ranked], styles: dict[str, int]) -> list[Drawn]:
    """A strip for every kind of table, the best on top; at most twelve methods of each."""
    drawn = []
    for kind in dict.fromkeys(one.kind for one in ranks):
        rows = [
            Series(
                name=one.method,
                points=(Mean(x=1.0, y=one.rank, low=one.rank, high=one.rank),),
                place=styles.get(one.method, 0),
            )
            for one in ranks
            if one.kind == kind
        ][:_RANKED]
        drawn.append(Drawn(caption=kind, svg=strip(rows, x="mean rank", title=f"Mean rank, {kind}")))
    return drawn


def _peers(outcomes: Sequence[Outcome], installed: dict[str, dict[str, str]]) -> dict[Peer, str]:
    """The libraries that were run, each with versions of what was brought along."""
    names = dict.fromkeys(one.method for one in outcomes if one.kind is Part.PEER)
    peers = [PEERS[name] for name in names if name in PEERS]
    held = {peer: installed.get(peer.library.name, {}) for peer in peers}
    return {p: ", ".join(f"{name} {v[name]}" for name in _BROUGHT if name in v) for p, v in held.items()}


def _section(place: Place, outcomes: Sequence[Outcome]) -> Section:
    """All charts and the table of one place."""
    table, task = place
    here = [one for one in outcomes if one.place == place]
    methods = [one for one in here if one.kind is not Part.REFERENCE]
    styles, errors = styles_of(outcomes), _errors_of(methods)
    draw = _against_epsilon if len(epsilons_of(methods)) > 1 else _strip
    score = [SCORE] if any(SCORE in one.figures for one in methods) else []
    figures = [draw(here, styles, figure) for figure in (*errors, *score, "seconds")]
    figures += [_against_time(methods, styles, figure) for figure in (*errors[:1], *score)]
    return Section(
        title=table if task == "all-2way" else f"{table}, workload {task}",
        figures=[drawn for drawn in figures if drawn.svg],
        shown=shown_of(
            here, [*map(BY_NAME.__getitem__, _FIRST), *(m for m in METRICS if m.name not in _FIRST)]
        ),
        outcomes=here,
        notes=[*_one_run(methods), *(taught(table, here) if score else ())],
    )


def _one_run(methods: Sequence[Outcome]) -> Iterator[str]:
    if all(one.runs <= 1 for one in methods):
        yield "Every figure here is of one run, without error bars."


def taught(table: str, here: Sequence[Outcome]) -> Iterator[str]:
    """Which learners are in the mean score of a place, which could not be taught, and how they were set."""
    for names, methods in _methods_by_learners(here).items():
        told = ", ".join(TITLES[name] for name in names)
        absent = [TITLES[name] for name in LEARNERS if name not in names]
        missing = f"; without {', '.join(absent)}, not installed or not asked for" if absent else ""
        yield f"Macro-F1 of {', '.join(methods)} is the mean of {told}{missing}."
    tuned = [name for name in LEARNERS if options_of(table, name) is not None]
    usual = [name for name in LEARNERS if name not in tuned]
    for learners, how in (
        (tuned, "were tuned once on the table's real training rows (python -m synth.bench.tuning)"),
        (usual, "are as installed"),
    ):
        if learners:
            yield f"Hyper-parameters of {', '.join(TITLES[name] for name in learners)} {how}."


def _methods_by_learners(here: Sequence[Outcome]) -> dict[tuple[str, ...], list[str]]:
    found: dict[tuple[str, ...], list[str]] = {}
    for one in here:
        names = tuple(name for name in LEARNERS if f"f1_{name}" in one.figures)
        if SCORE in one.figures and names:
            listed = found.setdefault(names, [])
            listed.extend([one.name] if one.name not in listed else [])
    return found


def shown_of(outcomes: Sequence[Outcome], metrics: Sequence[Metric]) -> list[Metric]:
    """A column only where something was measured."""
    return [metric for metric in metrics if any(metric.name in one.figures for one in outcomes)]


def styles_of(outcomes: Sequence[Outcome]) -> dict[str, int]:
    """A colour and shape for every method of the page."""
    names = dict.fromkeys(one.name for one in outcomes if one.kind is not Part.REFERENCE)
    return {name: i for i, name in enumerate(names)}


def series_of(
    outcomes: Sequence[Outcome],
    styles: dict[str, int],
    figure: str,
    x: Callable[[Outcome], float | None],
    *,
    by: str = "name",
) -> list[Series]:
    """A series for every method that has means above 0 of the figure, at the `x` of each outcome. `by` is the
    attribute that the styles are for."""
    series = []
    for name, place in styles.items():
        mine = [one for one in outcomes if getattr(one, by) == name and one.kind is not Part.REFERENCE]
        points = []
        for one in mine:
            mean, spread, at = one.mean(figure), one.spread(figure) or 0.0, x(one)
            if mean and mean > 0 and at:
                points.append(Mean(x=at, y=mean, low=mean - spread, high=mean + spread))
        if points:
            dashed = mine[0].kind is Part.PEER
            series.append(Series(name=name, points=tuple(points), place=place, dashed=dashed))
    return series


def _errors_of(methods: Sequence[Outcome]) -> list[str]:
    """At most two errors are drawn: the workload's own where it is not pairs, values where there are any."""
    measured = {figure for one in methods for figure in one.figures}
    if methods and methods[0].task != "all-2way":
        wanted = ("tvd3", "workload_error")
    else:
        wanted = ("tvd2", "fidelity" if "fidelity" in measured else "tvd3")
    return [figure for figure in wanted if figure in measured]


def _levels(here: Sequence[Outcome], figure: str) -> Levels:
    if figure == SCORE:
        real = [mean for one in here if (mean := one.mean(f"{SCORE}_real")) is not None]
        return [("real rows (not private)", fmean(real))] if real else []
    references = [one for one in here if one.kind is Part.REFERENCE and one.method in _DRAWN_REFERENCES]
    return [(f"{one.method} (not private)", mean) for one in references if (mean := one.mean(figure))]


def _told(series: Sequence[Series], figure: str) -> list[Series]:
    """With more series than can be distinguished, the default and the best few in colour and the others grey.
    The best are those that come best at their best."""
    if len(series) <= _MANY:
        return list(series)
    best = max if figure == SCORE else min
    order = sorted(series, key=lambda one: best(p.y for p in one.points), reverse=figure == SCORE)
    kept = {one.name for one in order[:_BEST]} | {verdicts.DEFAULT}
    return [one if one.name in kept else replace(one, muted=True) for one in series]


def _greys(series: Sequence[Series]) -> str:
    muted = sum(one.muted for one in series)
    return f"In grey {muted} others; a mark says its name when pointed at." if muted else ""


def _against_epsilon(here: Sequence[Outcome], styles: dict[str, int], figure: str) -> Drawn:
    label, levels = BY_NAME[figure].heading, _levels(here, figure)
    series = _told(series_of(here, styles, figure, lambda one: one.epsilon), figure)
    caption = f"{label} against epsilon"
    svg = chart(series, x="epsilon", y=label, levels=levels, title=caption, even=figure == SCORE)
    legend = [one for one in series if not one.muted]
    return Drawn(caption=caption, svg=svg, legend=legend, note=_greys(series))


def _strip(here: Sequence[Outcome], styles: dict[str, int], figure: str) -> Drawn:
    """The best on top; of very many the best and the default."""
    label, levels = BY_NAME[figure].heading, _levels(here, figure)
    rows = series_of(here, styles, figure, lambda one: 1.0)
    rows.sort(key=lambda row: row.points[0].y, reverse=figure == SCORE)
    drawn = [row for i, row in enumerate(rows) if i < _ROWS or row.name == verdicts.DEFAULT]
    named = "; ".join(f"{name} at {level:.4f}" for name, level in levels)
    notes = [f"Dotted lines: {named}."] if named else []
    if len(drawn) < len(rows):
        notes.append(f"The best {_ROWS} of {len(rows)}, and the default; all stand in the table.")
    svg = strip(drawn, x=label, levels=levels, title=label, even=figure == SCORE)
    return Drawn(caption=label, svg=svg, note=" ".join(notes))


def _against_time(methods: Sequence[Outcome], styles: dict[str, int], figure: str) -> Drawn:
    label = BY_NAME[figure].heading
    series = _told(series_of(methods, styles, figure, lambda one: one.mean("seconds")), figure)
    caption = f"{label} against time"
    svg = chart(series, x="seconds", y=label, joined=False, title=caption, even=figure == SCORE)
    better = "Up is better" if figure == SCORE else "Down is more accurate"
    note = f"{better}, left is faster; one mark per epsilon. {_greys(series)}".strip()
    return Drawn(caption=caption, svg=svg, legend=[one for one in series if not one.muted], note=note)
