"""What a page of the benchmark states, worked out from what was run: title, lead, and what it shows.

A run that is a whole preset has the preset's sentence, one that was kept to a part of it says to which, and
one in which there is more than any of its presets holds is a run of one's own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from synth.bench.presets import PRESETS, Preset
from synth.bench.report.kinds import FIGURE, by_single_runs
from synth.bench.report.tally import Outcome, epsilons_of
from synth.bench.trials.trial import REFERENCE, Part

_NAMED = 6
"""So many names are stated one by one; of more only their number."""

Cell = tuple[str, str, str, str, float | None]
TVD = (
    "TVD is the total variation distance between a marginal of the synthetic and of the real table, averaged "
    "over all pairs, or over 300 fixed triples, of columns."
)


@dataclass(frozen=True, kw_only=True)
class About:
    """Title and paragraphs of the lead."""

    title: str
    lead: Sequence[str]


def about(outcomes: Sequence[Outcome], sessions: Sequence[dict[str, Any]]) -> About:
    """By the last of the sessions' presets that holds all that was run."""
    names = dict.fromkeys(session["preset"] for session in reversed(sessions))
    figures = figures_told(outcomes)
    ran = {_cell(one) for one in outcomes if one.kind is not Part.REFERENCE}
    for name in names:
        preset = PRESETS.get(name)
        planned = _planned(preset) if preset is not None else set()
        if preset is None or not ran <= planned:
            continue
        kept = list(_kept_to(outcomes, preset, planned - ran))
        if not kept:
            return About(title=f"Benchmark: {name}", lead=[preset.about, figures])
        lead = (
            f"A part of the preset {name}: {'; '.join(kept)}. The whole of it is described so: {preset.about}"
        )
        return About(title=f"Of the preset {name}: {kept[0]}", lead=[lead, figures])
    return About(
        title=f"Benchmark of one's own: {_counted_methods(outcomes)}",
        lead=[f"A run of one's own, not one of the presets: {told_run(outcomes)}", figures],
    )


def _cell(one: Outcome) -> Cell:
    return (one.table, one.task, one.variant, one.method, one.epsilon)


def _planned(preset: Preset) -> set[Cell]:
    return {
        (trial.table, trial.task, trial.variant, trial.method, trial.epsilon)
        for trial in preset.trials()
        if trial.method != REFERENCE
    }


def _kept_to(outcomes: Sequence[Outcome], preset: Preset, missing: set[Cell]) -> Iterator[str]:
    """In what less was run than the preset holds; nothing of a whole one."""
    ran = [one for one in outcomes if one.kind is not Part.REFERENCE]
    ours = {one.method for one in ran if one.kind is Part.MECHANISM}
    libraries = {one.method for one in ran if one.kind is Part.PEER}
    promises = [f"{epsilon:g}" for epsilon in epsilons_of(ran)]
    parts = (
        ("tables", {one.table for one in ran}, preset.sets),
        ("methods of ours", ours, preset.methods),
        ("libraries", libraries, preset.peers),
        ("epsilons", set(promises), tuple(f"{epsilon:g}" for epsilon in preset.epsilons)),
    )
    for what, found, whole in parts:
        kept = [name for name in whole if name in found]
        if len(kept) < len(whole):
            yield f"{len(kept)} of {len(whole)} {what}{_names(kept)}"
    runs = max((one.runs for one in ran if one.kind is Part.MECHANISM), default=0)
    if 0 < runs < preset.repeats:
        yield f"{_runs(runs)} of each of ours where the preset has {preset.repeats}"
    kept_names = {one.method for one in ran} | {REFERENCE}
    tables = {one.table for one in ran}
    absent = [c for c in missing if c[0] in tables and c[3] in kept_names and f"{c[4]:g}" in promises]
    if absent:
        yield f"{len(absent)} of its entries have not been run"


def _names(names: Sequence[str]) -> str:
    return f" ({', '.join(names)})" if 0 < len(names) <= _NAMED else ""


def _runs(runs: int) -> str:
    return "one run" if runs == 1 else f"{runs} runs"


def _number(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"


def _counted_methods(outcomes: Sequence[Outcome]) -> str:
    ours = len({one.method for one in outcomes if one.kind is Part.MECHANISM})
    libraries = len({one.method for one in outcomes if one.kind is Part.PEER})
    tables = len({one.table for one in outcomes})
    told = [_number(ours, "method", "methods")] if ours else []
    told += [_number(libraries, "library entry", "library entries")] if libraries else []
    return f"{' and '.join(told) or 'references'} on {_number(tables, 'table', 'tables')}"


def told_run(outcomes: Sequence[Outcome]) -> str:
    """Which methods, libraries, tables and promises, in one sentence."""
    ran = [one for one in outcomes if one.kind is not Part.REFERENCE]
    tables = list(dict.fromkeys(one.table for one in outcomes))
    parts = []
    for kind, one, many in (
        (Part.MECHANISM, "method of ours", "methods of ours"),
        (Part.PEER, "entry of other libraries", "entries of other libraries"),
    ):
        names = list(dict.fromkeys(o.method for o in ran if o.kind is kind))
        parts += [_number(len(names), one, many) + _names(names)] if names else []
    promises = ", ".join(f"{epsilon:g}" for epsilon in epsilons_of(ran))
    where = f"on {_number(len(tables), 'table', 'tables')}{_names(tables)}"
    at = f" at epsilon {promises}" if promises else ""
    return f"{' and '.join(parts) or 'what no privacy at all gives'} {where}{at}; {_runs_told(ran)}."


def _runs_told(ran: Sequence[Outcome]) -> str:
    runs = [one.runs for one in ran if one.figures]
    low, high = min(runs, default=0), max(runs, default=0)
    return f"{_runs(high)} of each" if low == high else f"{low} to {high} runs of each"


def figures_told(outcomes: Sequence[Outcome]) -> str:
    """What a figure is: of one run, or a mean over some."""
    runs = [one.runs for one in outcomes if one.kind is not Part.REFERENCE and one.figures]
    if all(count <= 1 for count in runs):
        what = "Every figure is of one run; how much it would vary with fresh noise is not shown."
    else:
        some = "" if min(runs) > 1 else "; where the column runs says 1 it is of one run and has none"
        what = (
            "Figures are means over runs with fresh noise; error bars and numbers in brackets are one "
            f"standard deviation{some}."
        )
    return f"Synthetic tables from public data. {what} {TVD}"


def in_short(outcomes: Sequence[Outcome], counted: Sequence[Outcome]) -> list[str]:
    """What the page shows, first of all."""
    told = told_run(outcomes)
    lines = [told[0].upper() + told[1:], *_firsts(counted)]
    broken = sum(len(one.failures) for one in outcomes if one.kind is Part.MECHANISM)
    if broken:
        lines.append(f"{_number(broken, 'run', 'runs')} of ours gave no table; the reasons stand below.")
    libraries = [one for one in outcomes if one.kind is Part.PEER]
    if not libraries:
        lines.append("No library was measured beside us.")
    elif not any(one in counted for one in libraries):
        lines.append("No library that was run here counts: none has passed the gate in this version.")
    return lines


def _firsts(counted: Sequence[Outcome]) -> Iterator[str]:
    """Who of ours has the least error of pairs in how many cells."""
    cells: dict[object, list[Outcome]] = {}
    for one in counted:
        if one.kind is Part.MECHANISM and one.mean(FIGURE) is not None:
            cells.setdefault((one.place, one.epsilon), []).append(one)
    contests = [min(c, key=lambda o: o.mean(FIGURE) or 0.0) for c in cells.values() if len(c) > 1]
    if contests:
        first = Counter(one.name for one in contests)
        told = ", ".join(f"{name} in {count}" for name, count in first.most_common(5))
        rest = f", others in {len(contests) - sum(c for _, c in first.most_common(5))}" * (len(first) > 5)
        single = by_single_runs([one.runs for cell in cells.values() if len(cell) > 1 for one in cell])
        yield (
            f"Least error of pairs among ours, of {_number(len(contests), 'cell', 'cells')} (a table at one "
            f"epsilon): {told}{rest}{single}."
        )
