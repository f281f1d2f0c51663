"""The benchmark in plain text: a table for a terminal, one for the README, and the verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from synth.bench import verdicts as verdict
from synth.bench.results import Record
from synth.bench.tally import Line, lines_of
from synth.bench.trial import Part

COLUMNS = (
    ("TVD2", "tvd2", ".4f"),
    ("TVD3", "tvd3", ".4f"),
    ("workload", "workload_error", ".4f"),
    ("fidelity", "fidelity", ".4f"),
    ("seconds", "seconds", ".2f"),
    ("CPU s", "cpu_seconds", ".2f"),
    ("peak MB", "peak_mb", ".0f"),
    ("cmd s", "command_seconds", ".1f"),
    ("cmd MB", "command_peak_mb", ".0f"),
    ("covered", "covered", ".3f"),
    ("loose m", "loose_measured", ".1f"),
    ("loose i", "loose_inferred", ".1f"),
    ("broken", "violations", ".4f"),
)
SPREAD = {"tvd2", "tvd3", "workload_error", "fidelity"}
"""Figures printed with their standard deviation over runs."""


def as_text(records: Sequence[Record]) -> str:
    """One line per table, task, method and epsilon: means over runs, (sd) for errors."""
    lines = lines_of(records)
    shown = [c for c in COLUMNS if any(c[1] in line.figures for line in lines)]
    rows = [["table", "task", "method", "epsilon", "runs", *(title for title, _, _ in shown)]]
    for line in lines:
        rows.append(
            [
                line.table,
                line.task,
                line.name,
                _epsilon(line),
                str(line.runs),
                *(cell(line, figure, form) for _, figure, form in shown),
            ]
        )
        if line.failures:
            rows[-1][-1] += f"  failed {len(line.failures)}: {line.failures[0]}"
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join(_padded(row, widths) for row in rows)


def verdicts(records: Sequence[Record]) -> list[str]:
    """How ours stands to the libraries, what they failed at, and in what we lose."""
    lines = lines_of(records)
    lost = [f"Lost. {line}" for line in verdict.losses(lines).all]
    return [*map(str, verdict.comparisons(lines)), *verdict.broken(lines), *lost]


def as_markdown(records: Sequence[Record], told: dict[str, Any]) -> str:
    """For the README: machine, command, a table, and what was lost."""
    lines = lines_of(records)
    last = told["sessions"][-1]
    told_first = (
        f"Measured {last['started'][:10]} on {last['machine']}, {last['cores']} core(s) for all alike, by "
        f"`{last['command']}`. TVD is the mean total variation distance of all 2-way and of 300 fixed 3-way "
        "marginals, mean (standard deviation) over runs with fresh noise; seconds are wall time of fit and "
        "sample."
    )
    head = [
        told_first,
        "",
        "| table | method | epsilon | runs | TVD 2-way | TVD 3-way | seconds | peak MB |",
        "|---|---|---|---|---|---|---|---|",
    ]
    rows = [
        f"| {line.table if line.task == 'all-2way' else f'{line.table}, {line.task}'} | {_marked(line)} "
        f"| {_epsilon(line)} | {line.runs} "
        + "".join(
            f"| {cell(line, figure, form)} "
            for figure, form in (("tvd2", ".4f"), ("tvd3", ".4f"), ("seconds", ".2f"), ("peak_mb", ".0f"))
        )
        + "|"
        for line in lines
        if line.figures
    ]
    told_too = [*map(str, verdict.comparisons(lines)), *verdict.broken(lines)]
    lost = verdict.losses(lines).all
    return "\n".join(
        [
            *head,
            *rows,
            "",
            *_bullets(told_too),
            *(["", "Where we lose:", ""] if lost else []),
            *_bullets(lost),
        ]
    )


def cell(line: Line, figure: str, form: str) -> str:
    """A mean, with its spread where that is told; a dash where nothing was measured."""
    mean, spread = line.mean(figure), line.spread(figure)
    if mean is None:
        return "-"
    told = format(mean, form)
    return f"{told} ({spread:.4f})" if figure in SPREAD and spread is not None else told


def _marked(line: Line) -> str:
    if line.kind is Part.REFERENCE:
        return f"{line.name} (not private)"
    return f"`{line.name}`"


def _bullets(sentences: Iterable[str]) -> list[str]:
    return [f"- {sentence}" for sentence in sentences]


def _epsilon(line: Line) -> str:
    return "-" if line.epsilon is None else f"{line.epsilon:g}"


def _padded(row: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(word.ljust(width) for word, width in zip(row, widths, strict=True)).rstrip()
