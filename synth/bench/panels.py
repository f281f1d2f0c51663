"""What the report shows of one table and task: charts, and under them the figures they are drawn from."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from synth.bench.judge import LEARNERS
from synth.bench.plots import Level, Point, Row, Series, chart, legend, strip
from synth.bench.summary import cell
from synth.bench.tally import Line, Place, epsilons_of
from synth.bench.trial import Part

ERRORS = (
    ("tvd2", "mean TVD, 2-way"),
    ("tvd3", "mean TVD, 3-way"),
    ("workload_error", "workload error"),
    ("fidelity", "fidelity error"),
)
COLUMNS = (
    ("TVD 1-way", "tvd1", ".4f"),
    ("TVD 2-way", "tvd2", ".4f"),
    ("TVD 3-way", "tvd3", ".4f"),
    ("TVD 4-way", "tvd4", ".4f"),
    ("workload error", "workload_error", ".4f"),
    ("fidelity error", "fidelity", ".4f"),
    ("covariance", "covariance", ".4f"),
    ("3-way queries", "conjunction", ".4f"),
    ("counting", "counting", ".4f"),
    ("threshold", "threshold", ".4f"),
    *(
        (f"{score} {learner}{who}", f"{figure}_{learner}{mark}", ".3f")
        for learner in LEARNERS
        for score, figure in (("F1", "f1"), ("AUC", "auc"))
        for who, mark in (("", ""), (", real rows", "_real"))
    ),
    ("broken rules a row", "violations", ".5f"),
    ("seconds", "seconds", ".2f"),
    ("CPU s", "cpu_seconds", ".2f"),
    ("peak MB", "peak_mb", ".0f"),
    ("process s", "process_seconds", ".1f"),
    ("command s", "command_seconds", ".1f"),
    ("command MB", "command_peak_mb", ".0f"),
    ("covered", "covered", ".3f"),
    ("covered, measured", "covered_measured", ".3f"),
    ("covered, inferred", "covered_inferred", ".3f"),
    ("loose, measured", "loose_measured", ".1f"),
    ("loose, inferred", "loose_inferred", ".1f"),
)
"""Head, figure and format of every column a table may have."""


def places_of_names(lines: Sequence[Line]) -> dict[str, int]:
    """A colour and shape for every method of the page."""
    names = dict.fromkeys(line.name for line in lines if line.kind is not Part.REFERENCE)
    return {name: i for i, name in enumerate(names)}


def panel(place: Place, lines: Sequence[Line], places: dict[str, int]) -> str:
    """All charts and the table of one place."""
    here = [line for line in lines if line.place == place]
    drawn = _charts(here, places)
    return f'<div class="charts">{"".join(drawn)}</div>{table(here)}'


def _charts(here: Sequence[Line], places: dict[str, int]) -> list[str]:
    methods = [line for line in here if line.kind is not Part.REFERENCE]
    shown = _errors_of(methods)
    if len(epsilons_of(methods)) < 2:
        drawn = [_strip(here, places, figure, title) for figure, title in shown]
        return [*drawn, _strip(here, places, "seconds", "seconds"), _trade(methods, places, shown)]
    drawn = [_against_epsilon(here, places, figure, title) for figure, title in shown]
    return [*drawn, _against_epsilon(here, places, "seconds", "seconds"), _trade(methods, places, shown)]


def _errors_of(methods: Sequence[Line]) -> list[tuple[str, str]]:
    """At most two errors are drawn: the workload's own where it is not pairs, values where there are any."""
    known = [e for e in ERRORS if any(e[0] in line.figures for line in methods)]
    usual = bool(methods) and methods[0].task == "all-2way"
    wanted = ["tvd2", "fidelity" if any(e[0] == "fidelity" for e in known) else "tvd3"]
    if not usual:
        wanted = ["workload_error", "tvd3"]
    return [e for e in known if e[0] in wanted]


def _point(line: Line, figure: str, x: float) -> Point | None:
    mean, spread = line.mean(figure), line.spread(figure) or 0.0
    if mean is None or mean <= 0:
        return None
    return Point(x=x, y=mean, low=mean - spread, high=mean + spread)


def _levels(here: Sequence[Line], figure: str) -> list[Level]:
    found = []
    for line in here:
        mean = line.mean(figure)
        if line.kind is Part.REFERENCE and mean and line.method in ("bootstrap", "product"):
            found.append(Level(name=f"{line.method} (not private)", y=mean))
    return found


def _series(here: Sequence[Line], places: dict[str, int], figure: str) -> list[Series]:
    found = []
    for name, place in places.items():
        mine = [line for line in here if line.name == name and line.epsilon is not None]
        points = [p for line in mine if (p := _point(line, figure, line.epsilon or 0.0)) is not None]
        if points:
            is_peer = mine[0].kind is Part.PEER
            found.append(Series(name=name, points=tuple(points), place=place, dashed=is_peer))
    return found


def _against_epsilon(here: Sequence[Line], places: dict[str, int], figure: str, title: str) -> str:
    series = _series(here, places, figure)
    told = f"{title} against epsilon"
    drawn = chart(series, x="epsilon", y=title, levels=_levels(here, figure), title=told)
    return _figure(told, drawn, legend(series)) if drawn else ""


def _strip(here: Sequence[Line], places: dict[str, int], figure: str, title: str) -> str:
    rows = []
    for line in here:
        place = places.get(line.name)
        point = _point(line, figure, 0.0)
        if place is not None and point is not None:
            rows.append(Row(name=line.name, place=place, point=point, dashed=line.kind is Part.PEER))
    rows.sort(key=lambda row: row.point.y)
    levels = _levels(here, figure)
    named = "; ".join(f"{level.name} at {level.y:.4f}" for level in levels)
    note = f'<p class="note">Dotted lines: {escape(named)}.</p>' if named else ""
    drawn = strip(rows, x=title, levels=levels, title=title)
    return _figure(title, drawn, note) if drawn else ""


def _trade(methods: Sequence[Line], places: dict[str, int], shown: Sequence[tuple[str, str]]) -> str:
    """Utility against time: down is better, left is faster. One mark per promise."""
    if not shown:
        return ""
    figure, title = shown[0]
    series = []
    for name, place in places.items():
        mine = [line for line in methods if line.name == name]
        points = [
            p for line in mine if (s := line.mean("seconds")) and (p := _point(line, figure, s)) is not None
        ]
        if points:
            is_peer = mine[0].kind is Part.PEER
            series.append(Series(name=name, points=tuple(points), place=place, dashed=is_peer))
    told = f"{title} against time"
    drawn = chart(series, x="seconds", y=title, joined=False, title=told)
    note = '<p class="note">Down is more accurate, left is faster; one mark per epsilon.</p>'
    return _figure(told, drawn, legend(series) + note) if drawn else ""


def _figure(title: str, drawn: str, under: str) -> str:
    heading = title[0].upper() + title[1:]
    return f"<figure><figcaption>{escape(heading)}</figcaption>{drawn}{under}</figure>"


def table(here: Sequence[Line]) -> str:
    """Means over runs, with the standard deviation of errors; a column only where something was measured."""
    shown = [c for c in COLUMNS if any(c[1] in line.figures for line in here)]
    heads = "".join(f'<th class="num">{escape(head)}</th>' for head, _, _ in shown)
    rows = "".join(_line(line, shown) for line in here)
    return (
        '<div class="scroll"><table><thead><tr><th>method</th><th class="num">epsilon</th>'
        f'<th class="num">runs</th>{heads}</tr></thead><tbody>{rows}</tbody></table></div>'
    )


def _line(line: Line, shown: Sequence[tuple[str, str, str]]) -> str:
    kinds = {Part.PEER: "library", Part.REFERENCE: "not private"}
    kind = kinds.get(line.kind, "ours")
    epsilon = "-" if line.epsilon is None else f"{line.epsilon:g}"
    cells = "".join(f'<td class="num">{cell(line, figure, form)}</td>' for _, figure, form in shown)
    if line.failures and not line.figures:
        cells = f'<td colspan="{len(shown)}" class="failed">no table: {escape(line.failures[0])}</td>'
    return (
        f"<tr><td>{escape(line.name)} <small>{kind}</small></td><td class='num'>{epsilon}</td>"
        f"<td class='num'>{line.runs}</td>{cells}</tr>"
    )
