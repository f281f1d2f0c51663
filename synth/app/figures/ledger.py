"""Figures for the ledger: a bar for each population, the list of releases, and the runs of a project."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from synth.app.figures.budget import LINE_LOOKS
from synth.app.figures.figure import Figure
from synth.app.figures.marks import ABOVE, finish, stack
from synth.app.figures.words import delta, four_digits, limit, share
from synth.app.jobs.spec import RunSpec
from synth.app.jobs.store import State, Status
from synth.app.project.runs import method_title
from synth.app.project.spend.ledger import BookedRun, BudgetLine
from synth.core.accounting import delta_of
from synth.core.numbers import per_cent

_NOT_DECLARED = "not declared yet"
STATES = {
    State.QUEUED: "waiting",
    State.RUNNING: "running",
    State.DONE: "finished",
    State.CANCELLED: "stopped",
    State.PAUSED: "paused",
    State.FAILED: "failed",
    State.LOST: "lost",
}


def lines(budget_lines: Sequence[BudgetLine]) -> Figure:
    """Draw lifetime budgets as percentages of their limits: spent, reserved, and remaining (also shown next
    to the name).
    """
    balances = [line.balance for line in budget_lines]
    parts = pd.DataFrame(
        [line.parts() for line in budget_lines], index=[line.population for line in budget_lines]
    )
    marks = stack(parts, LINE_LOOKS)
    finish(marks, height=100 + 44 * len(parts), bargap=0.4, legend=ABOVE | {"traceorder": "normal"})
    marks.update_xaxes(range=[0, 101], dtick=25, ticksuffix="%", title="of the lifetime limit")
    names_with_left = [f"{name} <br>{per_cent(left)} remaining" for name, left in parts["left"].items()]
    names = list(parts.index)
    marks.update_yaxes(autorange="reversed", type="category", tickvals=names, ticktext=names_with_left)
    frame = pd.DataFrame(
        {
            "Population": names,
            "Protects": [str(b.protects or _NOT_DECLARED) for b in balances],
            "Lifetime limit": [limit(*b.lifetime) for b in balances],
            "Spent (epsilon)": [b.claim(b.spent) for b in balances],
            "Spent": parts["spent"].tolist(),
            "Reserved": parts["reserved"].tolist(),
            "Remaining": parts["left"].tolist(),
            "Remaining for one release (epsilon)": [b.claim(b.left) for b in balances],
            "Remaining for value lists (delta)": [
                delta(delta_of(b.delta_left)) if b.delta_left else "none" for b in balances
            ],
            "Reason for this limit": ["; ".join(line.reasons) for line in budget_lines],
        }
    )
    epsilons = dict.fromkeys(("Spent (epsilon)", "Remaining for one release (epsilon)"), four_digits)
    written = {**epsilons, **dict.fromkeys(("Spent", "Reserved", "Remaining"), share)}
    least = f"{parts['left'].idxmin()}: {per_cent(parts['left'].min())}"
    words = f"Bars of {len(frame)} lifetime budgets. {least} has the least budget left."
    return Figure(frame=frame, written=written, marks=marks, words=words)


def entries(shown: Sequence[BookedRun], *, of: int) -> Figure:
    """Return the list of releases as displayed. The exported file has more fields."""
    rows = [(e.opened, e.population, e.table, e.run, e.state, e.epsilon, e.law, e.share) for e in shown]
    heads = ["Opened (UTC)", "Population", "Table", "Run", "State", "Epsilon", "Accounting", "Of the limit"]
    frame = pd.DataFrame(rows, columns=heads)
    words = f"Table of {len(shown)} of {of} releases with date, population, state and cost."
    return Figure(frame=frame, written={"Epsilon": four_digits, "Of the limit": share}, words=words)


def runs(ordered: Sequence[tuple[RunSpec, Status]], *, lifetime: int) -> Figure:
    """Return a table with the method, epsilon, state and last event of each run, and the share of the
    `lifetime` limit that it spent.
    """
    frame = pd.DataFrame(
        {
            "Run": [spec.run for spec, _ in ordered],
            "Method": [method_title(spec.method) for spec, _ in ordered],
            "Epsilon": [f"{spec.epsilon:g}" for spec, _ in ordered],
            "State": [STATES[end.state] for _, end in ordered],
            "Of the limit": ["" if end.spent is None else share(end.spent / lifetime) for _, end in ordered],
            "Last event (UTC)": [end.at.replace("T", " ")[:16] for _, end in ordered],
        }
    )
    return Figure(frame=frame, words="Every run of this project with its state and cost.")
