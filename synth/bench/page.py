"""The benchmark as one HTML file that needs nothing else: sentences, charts, figures, libraries, machine."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from synth.bench import panels, verdicts
from synth.bench.peers.catalogue import PEERS, Peer
from synth.bench.presets import PRESETS
from synth.bench.results import Record
from synth.bench.tally import Line, Place, lines_of, places_of
from synth.bench.trial import Part

STYLE = Path(__file__).with_name("page.css")

LEDE = (
    "Synthetic tables from public data: our methods, other libraries at the same promise on the same cores, "
    "and what no privacy at all would give. Every figure is a mean over runs with fresh noise; error bars "
    "and numbers in brackets are one standard deviation. TVD is the total variation distance between "
    "a marginal of the synthetic and of the real table, averaged over all pairs, or over 300 fixed triples, "
    "of columns."
)
NOTHING = "In nothing that this benchmark measured."


def html(records: Sequence[Record], told: dict[str, Any]) -> str:
    """The page of these records; `told` is what the machine file holds (sessions, and versions of peers)."""
    lines = lines_of(records)
    places = panels.places_of_names(lines)
    last = told["sessions"][-1]
    title = f"Benchmark: {last['preset']}"
    about = f"<p>{escape(_about(last['preset']))}</p><p>{escape(LEDE)}</p>"
    kicker = f'<p class="kicker">Marginalia, measured {escape(last["started"])}</p>'
    parts = [
        f"<header>{kicker}<h1>{escape(title)}</h1>{about}</header>",
        _section("In short", _compared(list(verdicts.comparisons(lines)))),
        _section("Where we lose", _lost(verdicts.losses(lines))),
        *(_section(_title(place), panels.panel(place, lines, places)) for place in places_of(lines)),
        _section("The other libraries", _libraries(lines, told)) if _peers_of(lines) else "",
        _section("How it was measured", _sessions(told)),
    ]
    style = STYLE.read_text(encoding="utf-8")
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>\n{style}</style></head>\n"
        f"<body><main>\n{''.join(parts)}</main></body></html>\n"
    )


def _about(preset: str) -> str:
    return PRESETS[preset].about if preset in PRESETS else ""


def _section(title: str, body: str) -> str:
    return f"<section><h2>{escape(title)}</h2>{body}</section>\n"


def _title(place: Place) -> str:
    table, task = place
    return table if task == "all-2way" else f"{table}, workload {task}"


def _listed(sentences: Sequence[str], otherwise: str) -> str:
    if not sentences:
        return f"<p>{escape(otherwise)}</p>"
    return f"<ul>{''.join(f'<li>{escape(sentence)}</li>' for sentence in sentences)}</ul>"


def _compared(found: Sequence[verdicts.Comparison]) -> str:
    """A line for each of ours: how many times as fast as the fastest library, and which part of the error of
    the most accurate one."""
    if not found:
        return "<p>No library was measured beside us.</p>"
    titles = verdicts.SPEEDS | verdicts.ERRORS
    shown = [figure for figure in titles if any(a.figure == figure for one in found for a in one.against)]
    heads = "".join(f"<th>{h}</th>" for h in ("where", "method", *(titles[figure] for figure in shown)))
    rows = "".join(
        f"<tr><td>{escape(one.where)}</td><td>{escape(one.method)}</td>"
        + "".join(_against(one, figure) for figure in shown)
        + "</tr>"
        for one in found
    )
    note = (
        "<p>Each of our methods against the best library in each respect: how many times as fast as the "
        "fastest one, and how many times the error of the most accurate one (below 1 is better than any). In "
        "brackets the range over our runs.</p>"
    )
    return (
        f'{note}<div class="scroll"><table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>'
    )


def _against(one: verdicts.Comparison, figure: str) -> str:
    for a in one.against:
        if a.figure == figure:
            is_time = figure in verdicts.SPEEDS
            unit, s = (".2f", " s") if is_time else (".4f", "")
            lost = a.ratio.mean < 1 if is_time else a.ratio.mean > 1
            figures = f"{a.ours:{unit}}{s} against {a.theirs:{unit}}{s} of {a.peer}"
            mark = ' class="failed"' if lost else ""
            return f"<td><b{mark}>{a.ratio} times</b><br><small>{escape(figures)}</small></td>"
    return "<td>-</td>"


def _lost(found: verdicts.Losses) -> str:
    """By what beat us; computed from the records."""
    groups = (
        (f"To another library (ours: {verdicts.DEFAULT}, the default, where it ran)", found.libraries),
        ("The default to another method of ours", found.own),
        ("The best of ours to exact columns without any relation", found.product),
        ("Runs of ours that failed", found.failures),
    )
    told = "".join(f"<h3>{escape(title)}</h3>{_listed(lines, '')}" for title, lines in groups if lines)
    return told or f"<p>{escape(NOTHING)}</p>"


def _peers_of(lines: Sequence[Line]) -> list[Peer]:
    names = dict.fromkeys(line.method for line in lines if line.kind is Part.PEER)
    return [PEERS[name] for name in names if name in PEERS]


def _libraries(lines: Sequence[Line], told: dict[str, Any]) -> str:
    """Every library that was run: version, settings, what its epsilon means, known faults, what failed."""
    said = []
    for peer in _peers_of(lines):
        library = peer.library
        held = told.get("peers", {}).get(library.name, {})
        others = ", ".join(
            f"{name} {held[name]}" for name in ("mbi", "jax", "numpy", "opendp") if name in held
        )
        facts = [
            f"Installed: {', '.join(library.pinned)}{f' (with {others})' if others else ''}.",
            f"Run with {peer.settings}.",
            f"Neighbours: {library.neighbours}. Ours: add or remove one person.",
            *library.caveats,
        ]
        said.append(f"<h3>{escape(peer.name)}</h3>{_listed(facts, '')}")
    failed = list(verdicts.broken(lines))
    missing = f"<h3>What gave no table</h3>{_listed(failed, '')}" if failed else ""
    note = (
        "<p>All get the same integer codes with the same declared domain, the same epsilon and delta, the "
        "same cores, and their table is judged by the same program. Seconds count from the table in memory "
        "to the synthetic table, without imports; of ours with exact noise and the ledger on disk.</p>"
    )
    return note + "".join(said) + missing


def _sessions(told: dict[str, Any]) -> str:
    rows = []
    for session in told["sessions"]:
        facts = "".join(
            f"<dt>{escape(name)}</dt><dd>{escape(str(value))}</dd>" for name, value in session.items()
        )
        rows.append(f"<dl>{facts}</dl>")
    note = (
        "<p>The number of a run is the seed of what is not noise (modelling, a library's own generator); our "
        "noise comes from the operating system and has no seed. This page is written from results.csv alone: "
        "<code>python -m synth bench --report DIR</code>.</p>"
    )
    return note + "".join(rows)
