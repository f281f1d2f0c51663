"""Texts of the Run page: the review, the progress, and every way a run can end."""

from __future__ import annotations

from collections.abc import Collection

from synth.app.jobs.store import State, Status
from synth.app.project.decisions import LOOKED_AT_FIT
from synth.app.project.runs import generator_title
from synth.app.project.store import Project
from synth.app.ui.text import delta, four_digits, limit, plain, rows_of_one, share, table_of
from synth.core.errors import NothingFound, Unfit
from synth.core.numbers import number_of, per_cent
from synth.core.schema import Schema
from synth.private.ledger import Balance
from synth.private.ledger.quote import Quote

LEAD_RUN = "Progress of the run. It shows queries, never an exact result."


# Review


UNREAD = "not read until you start"
READ_BEFORE = "read before {by}"
BY_FIT, BY_RUN, BY_BOTH = (
    "for the check of the columns",
    "by an earlier run",
    "for the check of the columns and by an earlier run",
)

BEFORE, AFTER = "before", "after"

GIVES_UP = (
    "This is the first run with private training. It needs another accounting rule, so {share} of the "
    "lifetime budget can no longer be used. The guarantee does not change."
)
SQUARES = (
    "Losses add up as squares: a run with a quarter of the lifetime epsilon uses far less than a quarter of "
    "the budget. Percentages have the same basis on all pages and in all documents."
)
CLAIM = "At the delta of the lifetime budget, {delta}, this run counts as epsilon {claim}."
LISTS = "The estimated value lists of this run use {share} of the delta that remains for lists."
LISTS_TOO_MUCH = (
    "The remaining delta does not cover the estimated value lists. Declare the values on *Columns*, or ask "
    "for a higher limit ({limit}) on *Ledger*."
)

TOO_MUCH_RAISE = "Use a smaller budget, or ask for a higher limit ({limit}) on *Ledger*."
TOO_MUCH_NEW = "Use a smaller budget, or set a lifetime limit of {limit}."

UNDONE = (
    "Spent budget cannot be recovered. If you stop early, the unused part stays reserved so that you can "
    "resume. Starting another run releases it."
)
UNDONE_REHEARSAL = "This is a practice run. It uses a separate ledger and cannot be published."

LOOKED_COARSELY = "This file was checked against the declared columns, with counts of cells that do not fit."
LOOKED_EXACTLY = "Exact numbers of this table were viewed."
CHANGED = "The report will list what changed since {since}:"
CHANGED_NOTHING = "The report will state that nothing changed since {since}."
LOOKED_EARLIER = "Numbers of an earlier table were viewed."
SINCE_LOOK, SINCE_RUN = "then", "the last run"


FIT_OFFER = (
    "You have not checked whether the file fits. *Does my file fit?* counts the cells that do not. It costs "
    "no budget, and the report states it."
)
TO_BUDGET = "Change the budget"
TO_PEOPLE = "Change the people"
TO_START = "Change the starting table"

UNSETTLED = (
    "The budget is incomplete: it exceeds your organisation's limit without a reason, or no column has a "
    "priority."
)

# Progress


CANCEL_REQUESTED = "Stopping after the current step. Budget for the measurements made so far stays spent."


STAGES = {
    "budget": "Creating the lifetime budget",
    "ingest": "Reading and encoding the table",
    "start": "Reading the starting table",
    "domain": "Estimating missing domains",
    "columns": "Measuring every column",
    "graph": "Estimating dependence",
    "score": "Scoring pairs of columns",
    "select": "Choosing what to measure",
    "measure": "Measuring",
    "rounds": "Measuring, round by round",
    "steps": "Measuring, step by step",
    "shares": "Measuring target proportions",
    "means": "Measuring means and regressions",
    "verdict": "Measuring the error of the synthetic rows",
    "fit": "Fitting the model",
    "sample": "Generating synthetic rows",
    "check": "Checking the result",
    "bundle": "Writing the release package",
    "extras": "Generating further tables",
    "done": "Finished",
}
STEP_DONE, STEP_GOING, STEP_BROKEN = ":material/check_circle:", "spinner", ":material/error:"
LATEST = 6
"""Number of facts that are listed for a stage. Earlier facts are only counted."""


# Ends


RESUME_BUTTON = "Resume run"
OTHER_PEOPLE_LABEL = "None of these people is in the other population."
OTHER_PEOPLE_HELP = (
    "Your answer is stored privately with the run and not published. If it is wrong, the privacy losses "
    "add up."
)

ANOTHER_BUTTON = "Prepare another run"
ANOTHER_HELP = "Copies these settings into a new draft. This run stays as it is."
ANOTHER_HELP_ENDED = (
    "Copies these settings into a new draft and releases the reserved budget. After that, you can no longer "
    "resume this run."
)
ENDS = {
    State.CANCELLED: "You stopped this run.",
    State.PAUSED: "The run was paused: the ledger was locked by another run.",
    State.FAILED: "The run ended before it was finished.",
    State.LOST: (
        "The worker stopped without a final report. The machine may have been switched off or out of memory."
    ),
}
NEXT_AFTER = {
    State.CANCELLED: "Resume it, or prepare another run.",
    State.PAUSED: "Resume it when the other run has finished.",
    State.FAILED: "Correct the cause and resume. If a declaration was wrong, prepare another run.",
    State.LOST: "Resume it from its stored measurements, or prepare another run.",
}
UNFIT = "The run was paused after the columns were measured."
NEXT_AFTER_UNFIT = (
    "**Continue, or stop and keep {rest} of the budget?** Stop if the file or a "
    "declaration is wrong. The shares are noisy, so they can be published."
)
CONTINUE_BUTTON = "Continue run"
NEXT_AFTER_NOTHING = (
    "This run would end the same way again, so it cannot be resumed. Correct the declaration and prepare "
    "another run."
)

HELD = (
    "{rest} of the lifetime budget is reserved. Resuming the run spends it; starting another run releases it."
)
HELD_TO_GIVE_BACK = "{rest} of the lifetime budget is reserved. Starting another run releases it."
REFERENCE = "Your administrator can look up reference {reference}."


def next_after(status: Status, *, given_back: bool) -> str:
    """State what the user can do after a run that did not finish."""
    if given_back:
        return "Its reserved budget was released. Prepare another run when you are ready."
    if status.code == Unfit.code:
        return NEXT_AFTER_UNFIT.format(rest=kept(status))
    return NEXT_AFTER_NOTHING if status.code == NothingFound.code else NEXT_AFTER[status.state]


def kept(status: Status) -> str:
    """Return the share of the run's budget that is not spent."""
    spent, reserved = status.spent or 0, status.reserved or 1
    return share((reserved - spent) / reserved)


def stop_button(status: Status) -> str:
    """Return the label of the button that discards a run that was paused because its table does not fit."""
    return f"Stop and keep {kept(status)}"


def lead(status: Status | None) -> str:
    """Return a sentence on the state of the page: a draft, a run in progress, or a finished run."""
    if status is None:
        return "Nothing is read or charged until you start the run."
    return "This run has finished." if status.state is State.DONE else LEAD_RUN


def queued(ahead: int) -> str:
    """State why the run has not started.

    >>> queued(1)
    'This machine works on one run at a time. 1 run is ahead of yours.'
    """
    return (
        f"This machine works on one run at a time. {number_of(ahead, 'run')} "
        f"{'is' if ahead == 1 else 'are'} ahead of yours."
    )


def looked(*, views: Collection[str], changed: bool, again: bool) -> str:
    """State what was viewed before this run, and what the report will contain. `views` contains the recorded
    views of the present table. `again` is True if there has been a run since the view.
    """
    what = (CHANGED if changed else CHANGED_NOTHING).format(since=SINCE_RUN if again else SINCE_LOOK)
    if not views:
        return f"{LOOKED_EARLIER} {what}"
    return f"{LOOKED_COARSELY if set(views) == {LOOKED_AT_FIT} else LOOKED_EXACTLY} {what}"


def _table(project: Project, *, compared: bool, read: bool, named: bool) -> str:
    """Describe where the table is. For a draft, add its name and whether it has been read."""
    if not project.drafting:
        return table_of(project)
    place = table_of(project, named=named)
    by = (BY_BOTH if read else BY_FIT) if compared else BY_RUN if read else ""
    return f"{place}, {READ_BEFORE.format(by=by) if by else UNREAD}"


def sheet_rows(
    project: Project,
    schema: Schema,
    *,
    epsilon: float,
    rules: int,
    method: str,
    shares: int = 0,
    compared: bool = False,
    read: bool = False,
    named: bool = False,
) -> dict[str, str]:
    """Return the settings of a run, one line each (in Markdown).

    `epsilon` is the epsilon of the run itself. `rules` and `shares` are the numbers of constraints and target
    proportions. `compared` is True if the file was checked against the columns, `read` if an earlier run read
    the file, and `named` if the name of the file is shown.
    """
    estimated = sum(column.buy for column in schema.modelled)
    excluded = len(schema.columns) - len(schema.published)
    columns = [f"{len(schema.published)} in the synthetic table"]
    columns += [f"{excluded} excluded"] if excluded else []
    columns += [f"{estimated} with an estimated domain"] if estimated else []
    unit = schema.unit
    held = [number_of(rules, "constraint")] if rules else []
    held += [number_of(shares, "target proportion")] if shares else []
    further = [plain(generator_title(name)) for name in project.method.extras]
    return {
        "Table": _table(project, compared=compared, read=read, named=named),
        "Population": plain(schema.population),
        "Who is protected": f"each {plain(unit.name)}, {rows_of_one(unit)}",
        **({"People": project.people.words} if project.people else {}),
        "Columns": ", ".join(columns),
        "Rules": ", ".join(held) or "none",
        "Guarantee": f"**epsilon {epsilon:g}** at delta {delta(project.budget.delta)}",
        "Method": plain(method),
        **({"Starting table": f"{plain(project.start.source)} (public)"} if project.start.path else {}),
        **({"Further tables": f"{', '.join(further)} (free)"} if further else {}),
        **({"Rows to generate": f"{project.method.rows:,}"} if project.method.rows is not None else {}),
    }


def after(quote: Quote, *, opens: bool = True) -> str:
    """State how a run would affect the lifetime budget: its cost, what remains, and other changes. With
    `opens`, also state that the run creates the budget.
    """
    _, at = quote.line.lifetime
    cost = f"This run reserves **{share(quote.share)}** of the lifetime budget."
    if four_digits(quote.claim) != four_digits(quote.epsilon):
        cost += f" {CLAIM.format(delta=delta(at), claim=four_digits(quote.claim))}"
    if quote.price.units > quote.left:
        return f"{cost} Only {_less_than(quote.share, quote.share_left)} remains."
    if not quote.covers:
        return cost
    more = {0: "no budget for another run like it", 1: "budget for one more run like it"}
    room = more.get(quote.room, f"budget for {quote.room:,} more runs like it")
    sentences = [cost, f"Afterwards {share(quote.share_after)} remains: {room}."]
    if opens and quote.opens:
        sentences.insert(1, "This run creates the lifetime budget.")
    if quote.lost:
        sentences.append(GIVES_UP.format(share=share(quote.lost)))
    if quote.price.delta_units and quote.line.delta_left:
        sentences.append(LISTS.format(share=share(quote.price.delta_units / quote.line.delta_left)))
    return " ".join(sentences)


def _less_than(requested: float, left: float) -> str:
    """Format what remains of a budget that does not cover a run. It is rounded so that it never seems to
    cover the run.

    >>> _less_than(0.614, 0.606), _less_than(0.7, 0.61), _less_than(0.61, 0.609999)
    ('60.6%', '61%', 'less than 61.0%')
    """
    if share(left) != share(requested):
        return share(left)
    finer = per_cent(left, 1)
    return finer if finer != per_cent(requested, 1) else f"less than {finer}"


def opening(line: Balance) -> str:
    """State what the first run about a population determines for later releases."""
    return (
        f"This run creates the lifetime budget of {line.population}: {limit(*line.lifetime)} in total, "
        f"protecting "
        f"{line.protects}. Every later release about this population must use the same privacy unit. If "
        f"you raise "
        "the limit later, today's guarantee no longer applies."
    )


def too_much(quote: Quote) -> str:
    """State why the lifetime budget does not cover the run, which run would fit, and which limit would cover
    it.
    """
    needed = limit(*quote.cure())
    if quote.price.units <= quote.left:
        return LISTS_TOO_MUCH.format(limit=needed)
    largest = four_digits(quote.largest_epsilon)
    most = f"The lifetime budget does not cover this run. At most epsilon {largest} remains at this delta."
    return f"{most} {(TOO_MUCH_NEW if quote.opens else TOO_MUCH_RAISE).format(limit=needed)}"


def so_far(spent: int, reserved: int) -> str:
    """State how much budget a run in progress has spent."""
    if not reserved:
        return "Nothing is reserved yet."
    return f"Spent so far: **{share(spent / reserved)}** of this run's budget."


def cancel_help(spent: int, reserved: int) -> str:
    """State what would stay spent and reserved if the run stopped now."""
    if not spent or not reserved:
        return "Nothing has been measured yet, so stopping spends no budget."
    return (
        f"{share(spent / reserved)} of this run's budget stays spent. The rest stays reserved so that you "
        "can resume."
    )


def resume_help(status: Status, lifetime: int) -> str:
    """State how much of the `lifetime` limit the run spends if it is resumed, which is what it still
    reserves.
    """
    spent, reserved = status.spent or 0, status.reserved or 0
    rest = (
        f"{share((reserved - spent) / lifetime)} of the lifetime budget"
        if reserved
        else "The cost of this run"
    )
    return f"{'Stored measurements are reused. ' if spent else ''}{rest} is spent, as reserved at the start."


def ended(status: Status) -> str:
    """State how a run ended, with its own sentence if it has one, and the reference."""
    if status.code == Unfit.code:
        return f"**{UNFIT}** {plain(status.sentence)}"
    own = f" {plain(status.sentence)}" if status.sentence and status.state is State.FAILED else ""
    reference = f" {REFERENCE.format(reference=status.reference)}" if status.reference else ""
    return f"**{ENDS.get(status.state, '')}**{own}{reference}"


def cost(status: Status, lifetime: int) -> str:
    """State what share of the `lifetime` limit (in ledger units) an ended run has spent and still
    reserves.
    """
    spent, reserved = status.spent or 0, status.reserved or 0
    if not spent:
        said = "No budget was spent: the run ended before its first query."
    else:
        said = f"Spent: **{share(spent / lifetime)}** of the lifetime budget."
    if reserved <= spent:
        return said
    held = HELD_TO_GIVE_BACK if status.code == NothingFound.code else HELD
    return f"{said} {held.format(rest=share((reserved - spent) / lifetime))}"


def stage_name(stage: str) -> str:
    return STAGES.get(stage, stage.capitalize())


def stage(status: Status) -> str:
    """Return the line above the progress bar."""
    if status.state is State.QUEUED:
        return "Waiting to start"
    return stage_name(status.stage) if status.stage else "Starting"


def step_label(name: str, times: int) -> str:
    """Return the heading of a stage in the timeline, with the number of its facts.

    >>> step_label("Measuring", 6), step_label("Measuring", 14)
    ('Measuring', 'Measuring (last 6 of 14)')
    """
    return f"{name} (last {LATEST} of {times})" if times > LATEST else name
