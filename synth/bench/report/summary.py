"""The benchmark in plain text: a table for a terminal, one for the README, and the verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from synth.bench.metrics import METRICS
from synth.bench.privacy.gate_verdict import Gate
from synth.bench.report import losing, paper_tables, standing
from synth.bench.report import verdicts as verdict
from synth.bench.report.kinds import first_of_each, ranked
from synth.bench.report.tally import Outcome, outcomes_of
from synth.bench.report.who_counts import beside_rows, counts, left_out
from synth.bench.trials.results import Record
from synth.bench.trials.trial import Part


def as_text(records: Sequence[Record]) -> str:
    """One line per table, task, method and epsilon: means over runs, (sd) for errors."""
    outcomes = outcomes_of(records)
    shown = [m for m in METRICS if m.short and any(m.name in one.figures for one in outcomes)]
    rows = [["table", "task", "method", "epsilon", "runs", *(m.short for m in shown)]]
    for one in outcomes:
        cells = [one.cell(m.name) for m in shown]
        rows.append([one.table, one.task, one.name, one.promise, str(one.runs), *cells])
        if one.failures:
            rows[-1][-1] += f"  failed {len(one.failures)}: {one.failures[0]}"
    return _in_columns(rows)


def verdicts(records: Sequence[Record], gate: Gate | None = None) -> list[str]:
    """How ours stands to the libraries, what they failed at, in what we lose, and who is first where. What
    does not pass the gate is named and left out."""
    outcomes = outcomes_of(records)
    counted = counts(outcomes, gate)
    lost = [f"Lost. {sentence}" for sentence in losing.lost(outcomes, counted).all]
    out = [f"Not counted. {name}: {word} at the gate." for name, word in _uncounted(outcomes, gate)]
    firsts = [f"First. {one}" for one in first_of_each(list(ranked(counted)))]
    stands = [f"Default. {one}" for one in standing.summary(list(standing.standings(counted)))]
    return [*map(str, verdict.comparisons(counted)), *verdict.broken(outcomes), *lost, *out, *firsts, *stands]


def _uncounted(outcomes: Sequence[Outcome], gate: Gate | None) -> list[tuple[str, str]]:
    left = [one for one in outcomes if gate is not None and not gate.counts(one)]
    return list(dict.fromkeys((one.method, gate.word(one)) for one in left if gate is not None))


def papers(records: Sequence[Record], gate: Gate | None = None) -> list[str]:
    """What the papers print beside what was measured; nothing where they print nothing of it."""
    beside = paper_tables.compared(records)
    return [_in_columns([paper_tables.HEADINGS, *beside_rows(beside, gate)])] if beside else []


def _in_columns(rows: Sequence[Sequence[str]]) -> str:
    """Words below each other."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(word.ljust(width) for word, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def as_markdown(records: Sequence[Record], notes: dict[str, Any], gate: Gate | None = None) -> str:
    """For the README: machine, command, a table, and what was lost."""
    outcomes, last = outcomes_of(records), notes["sessions"][-1]
    counted = counts(outcomes, gate)
    lost = losing.lost(outcomes, counted).all
    measured = (
        f"Measured {last['started'][:10]} on {last['machine']}, {last['cores']} core(s) for all alike, by "
        f"`{last['command']}`. TVD is the mean total variation distance of all 2-way and of 300 fixed 3-way "
        "marginals, mean (standard deviation) over runs with fresh noise; seconds are wall time of fit and "
        "sample."
    )
    lines = [
        measured,
        "",
        "| table | method | epsilon | runs | TVD 2-way | TVD 3-way | seconds | peak MB |",
        "|---|---|---|---|---|---|---|---|",
        *(_row(one, left_out(one, gate)) for one in outcomes if one.figures),
        "",
        *_bullets([*map(str, verdict.comparisons(counted)), *verdict.broken(outcomes)]),
        *(["", "Where we lose:", "", *_bullets(lost)] if lost else []),
    ]
    return "\n".join(lines)


def _row(one: Outcome, why: str) -> str:
    table = one.table if one.task == "all-2way" else f"{one.table}, {one.task}"
    name = f"{one.name} (not private)" if one.kind is Part.REFERENCE else f"`{one.name}`"
    name += f" ({why})" if why else ""
    cells = (one.cell(figure) for figure in ("tvd2", "tvd3", "seconds", "peak_mb"))
    return f"| {' | '.join([table, name, one.promise, str(one.runs), *cells])} |"


def _bullets(sentences: Iterable[str]) -> list[str]:
    return [f"- {sentence}" for sentence in sentences]
