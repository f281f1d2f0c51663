"""Words of the run page: the last sheet before spending, a run under way, and every way it can end."""

from __future__ import annotations

from synth.app.jobs.store import State, Status
from synth.app.project.runs import generator_title
from synth.app.project.store import Project
from synth.app.ui.text import delta, four_digits, limit, plain, rows_of_one, share, table_of
from synth.core.errors import NothingFound
from synth.core.numbers import number_of, per_cent
from synth.core.schema import Schema
from synth.private.ledger import Balance
from synth.private.ledger.quote import Quote

LEAD_DRAFT = (
    "The last sheet before anything is spent. Read it once from top to bottom; until you confirm it, the run "
    "reads no file and nothing is charged."
)
LEAD_RUN = "What the run is doing. Everything told here is public: it says what is asked, never what is seen."

# The last sheet
SHEET_TITLE = "What will be done"
SHEET_ALT = "The choices this run would be started with."
UNREAD = "unread until you start"
READ_BEFORE = "read before {by}; a new run reads it again when you start"
BY_FIT, BY_RUN, BY_BOTH = (
    "for the comparison with the columns",
    "by an earlier run",
    "for the comparison with the columns and by an earlier run",
)
BEFORE_AFTER_TITLE = "The lifetime budget of {population}, before and after"
BEFORE, AFTER = "before", "after"
OPENS = "These people have no budget line yet; this run opens it."
GIVES_UP = (
    "It is the first run about these people whose answers are not all Gaussian. They add up less tightly, so "
    "{share} of the lifetime budget is given up; the promise stays the same."
)
LARGER_DELTA = (
    "This run's own allowance (delta {own}) is larger than the one of the lifetime limit ({lifetime}): what "
    "it promises by itself and what it counts as are two figures for the same price."
)
LISTS = "The value lists it buys use {share} of the delta that is left for lists."
LISTS_TOO_MUCH = (
    "What is left of the lifetime limit's delta does not cover the value lists this run buys. Declare the "
    "values on the columns page, or have the limit raised to {limit} on the ledger page."
)
TOO_MUCH = "The lifetime limit does not cover this run. Up to epsilon {most} is left at this delta."
TOO_MUCH_RAISE = "Ask for less, or have the limit raised to {limit} on the ledger page."
TOO_MUCH_NEW = "Ask for less, or open the budget line with a limit of {limit}."
UNDONE_TITLE = "This cannot be undone"
UNDONE = (
    "Whatever the run measures stays spent, also if you stop it half way or do not like the result. What a "
    "stopped run has not asked yet stays reserved for it: resuming spends it as agreed here, preparing "
    "another run instead gives it back."
)
UNDONE_REHEARSAL = (
    "This is a rehearsal: it is charged to a ledger of its own, which is worth nothing, and it cannot be "
    "released."
)
CHANGED_TITLE = "Choices made after looking"
LOOKED_COARSELY = "This file was compared with the declared columns, in coarse bands per column."
LOOKED_EXACTLY = "Exact numbers of this table have been looked at."
CHANGED = "What was changed since {since} will be printed in the report of every release:"
CHANGED_NOTHING = "Nothing was changed since {since}, and the report of every release will say so."
SINCE_LOOK, SINCE_RUN = "then", "the last run"
CONFIRM_NOTE = "Type {name} to confirm."
CONFIRM_LABEL = "Name of this project"
CONFIRM_WRONG = "That is not the name of this project. It is {name}."
CONFIRM_BUTTON = "Spend and start"
OPENING_TITLE = "A budget line is opened"
OPENING_LABEL = "Open this budget line"
TO_UNIT = "Change who is protected"
TO_BUDGET = "Change the budget"
TO_METHOD = "Change the method's settings"
UNSETTLED = (
    "The budget is not settled: it goes beyond what the organisation allows without a reason, or no column "
    "matters."
)

# Under way
PROGRESS_TITLE = "This run"
CANCEL_BUTTON = "Stop this run"
CANCEL_ASKED = "Stopping after the current step. What was measured so far stays spent."
STAY = (
    "The run goes on if you close this tab. Keep this page's address to come back to it: it names the "
    "project by a random id and carries nothing else."
)
WAITING = "Waiting to start"
STARTING = "Starting"
STAGES = {
    "budget": "Opening the budget line",
    "ingest": "Reading the table into codes",
    "domain": "Buying what the schema leaves open",
    "columns": "Measuring every column",
    "graph": "Drawing a map of dependence",
    "score": "Looking for related columns",
    "select": "Choosing what to measure",
    "measure": "Measuring",
    "rounds": "Measuring, round by round",
    "steps": "Measuring, step by step",
    "comparison": "Measuring what is held back for comparing",
    "fit": "Fitting the model",
    "sample": "Making synthetic rows",
    "check": "Checking the result",
    "bundle": "Writing the bundle",
    "extras": "Making further tables",
    "done": "Finished",
}
STEP_DONE, STEP_GOING, STEP_BROKEN = ":material/check_circle:", "spinner", ":material/error:"
LATEST = 6
"""Facts of a stage that its step lists; earlier ones are counted."""

FIT_TITLE = "How near the model is to the answers"
FIT_NOTE = (
    "The loss compares a model under way with the noisy answers and with nothing else. Networks, particles "
    "and mixtures have one; a copula is computed in closed form and has none. A fit that goes on below the "
    "noise only learns the noise."
)

# Ends
DONE = "Finished. The synthetic table and its papers are ready."
SEE_RESULTS = "See the results"
RESUME_BUTTON = "Resume this run"
OTHER_PEOPLE_LABEL = "I know these people: none of them is in the other population."
OTHER_PEOPLE_HELP = (
    "Your word is kept with the run, for you alone. It is printed nowhere, because that two files are the "
    "same tells something about their rows. If you are wrong, the losses of these people add up."
)
OTHER_PEOPLE_BUTTON = "Go on"
ANOTHER_BUTTON = "Prepare another run"
ANOTHER_HELP = "Copies these choices into a new draft. This run and its choices stay as they are."
ANOTHER_HELP_ENDED = (
    "Copies these choices into a new draft and gives back what this run had reserved and not asked. It can "
    "no longer be resumed then."
)
ENDS = {
    State.CANCELLED: "You stopped this run.",
    State.PAUSED: "The run was paused: the ledger was in use by another run for too long.",
    State.FAILED: "The run ended before it was finished.",
    State.LOST: "The worker stopped without a final report: the machine may have been switched off, or may "
    "have run out of memory.",
}
NEXT_AFTER = {
    State.CANCELLED: "Resume it where it stopped, or prepare another run.",
    State.PAUSED: "Nothing is lost: resume it when the other run has finished.",
    State.FAILED: "Resume it once the cause is mended; if a declaration was wrong, prepare another run.",
    State.LOST: "Nothing is broken: resume it from its stored answers, or prepare another run.",
}
NEXT_AFTER_NOTHING = (
    "What was paid for is kept and would say the same again, so this run cannot be resumed. Mend the "
    "declaration and prepare another run."
)
NEXT_AFTER_DISCARD = "What it had reserved was given back. Prepare another run when you are ready."
HELD = "{rest} of the lifetime budget is held: a resume spends it as agreed, another run gives it back."
HELD_TO_GIVE_BACK = "{rest} of the lifetime budget is held: another run gives it back."
REFERENCE = "Whoever runs this app can look up reference {reference}."
FROZEN_TITLE = "What the last run was started with"
TO_RUN = "Go to the run"
FROZEN_ALT = "The choices the last run was started with."
EARLIER_TITLE = "Earlier runs of this project"


def next_after(status: Status, *, given_back: bool) -> str:
    """What can be done after a run that did not end well."""
    if given_back:
        return NEXT_AFTER_DISCARD
    return NEXT_AFTER_NOTHING if status.code == NothingFound.code else NEXT_AFTER[status.state]


def queued(ahead: int) -> str:
    """Why it has not begun.

    >>> queued(1)
    'One run works at a time on this machine, and one is ahead of yours. It starts by itself.'
    """
    runs = "one is" if ahead == 1 else f"{ahead} are"
    return f"One run works at a time on this machine, and {runs} ahead of yours. It starts by itself."


def looked(*, exactly: bool, changed: bool, again: bool) -> str:
    """What was looked at before this run, and what the report says of it; `again`: there was a run since.

    >>> looked(exactly=False, changed=False, again=True)[:74]
    'This file was compared with the declared columns, in coarse bands per colu'
    """
    what = (CHANGED if changed else CHANGED_NOTHING).format(since=SINCE_RUN if again else SINCE_LOOK)
    return f"{LOOKED_EXACTLY if exactly else LOOKED_COARSELY} {what}"


def _table(project: Project, *, compared: bool, named: bool) -> str:
    """Where the table is, and while a run is prepared what it is called and whether it has been read."""
    if not project.drafting:
        return table_of(project)
    place = table_of(project, named=named)
    by = (BY_BOTH if project.runs else BY_FIT) if compared else BY_RUN if project.runs else ""
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
    named: bool = False,
) -> dict[str, str]:
    """The choices of a run, one line each (Markdown).

    `epsilon` is what the run itself promises; `rules` forbid something, `shares` do not; `compared` says that
    the file was compared with the columns, `named` that whoever looks may know the name of its file.
    """
    bought = sum(column.buy for column in schema.modelled)
    left_out = len(schema.columns) - len(schema.modelled)
    columns = [f"{len(schema.modelled)} in the synthetic table"]
    columns += [f"{left_out} left out"] if left_out else []
    columns += [f"{bought} with values to be bought"] if bought else []
    unit = schema.unit
    held = [f"{rules} held to be always true"] if rules else []
    held += [f"{number_of(shares, 'share')} of records to be kept to"] if shares else []
    further = [plain(generator_title(name)) for name in project.method.extras]
    return {
        "Project": f"**{plain(project.name)}**",
        "Table": _table(project, compared=compared, named=named),
        "Budget line": plain(schema.population),
        "Who is protected": f"each {plain(unit.name)}, {rows_of_one(unit)}",
        "Columns": ", ".join(columns),
        "Rules": ", ".join(held) or "none",
        "Promise": f"**epsilon {epsilon:g}** at delta {delta(project.budget.delta)}",
        "Method": plain(method),
        **({"Further tables": f"{', '.join(further)}: from the same answers, free"} if further else {}),
        "Rows to make": _rows_to_make(schema) if project.method.rows is None else f"{project.method.rows:,}",
    }


def _rows_to_make(schema: Schema) -> str:
    """The number that follows from the table: without the rows that a cap leaves out, where there is one."""
    unit = schema.unit
    most = f"are left when each {plain(unit.name)} keeps {rows_of_one(unit)}"
    return f"about as many as {most if schema.protects.is_capped else 'the table has'}, by a noisy estimate"


def after(quote: Quote, *, opens: bool = True) -> str:
    """What starting would do to the budget line: its price, what it leaves, and what else changes; `opens`
    unless the page has said already that the run opens the line."""
    _, at = quote.line.lifetime
    price = (
        f"This run reserves **{share(quote.share)}** of the lifetime budget. "
        f"At the lifetime's delta, {delta(at)}, it counts as epsilon {four_digits(quote.claim)}."
    )
    if quote.price.units > quote.left:
        return f"{price} Only {_less_than(quote.share, quote.left / quote.limit)} is left."
    if not quote.covers:
        return price
    more = {0: "no room for another run like it", 1: "room for one more run like it"}
    room = more.get(quote.room, f"room for {quote.room} more runs like it")
    sentences = [price, f"After it {share(quote.left_after / quote.limit)} is left: {room}."]
    if opens and quote.opens:
        sentences.insert(1, OPENS)
    if quote.limit_after < quote.limit:
        lost = share(1 - quote.limit_after / quote.limit)
        sentences.append(GIVES_UP.format(share=lost))
    if quote.exceeds_delta:
        sentences.append(LARGER_DELTA.format(own=delta(quote.delta), lifetime=delta(at)))
    if quote.price.delta_units and quote.line.delta_left:
        part = quote.price.delta_units / quote.line.delta_left
        sentences.append(LISTS.format(share=share(part)))
    return " ".join(sentences)


def _less_than(asked: float, left: float) -> str:
    """What is left of a budget that does not cover what is asked, never so rounded that it seems to: in more
    digits where both read alike, and at last as less than that.

    >>> _less_than(0.614, 0.606), _less_than(0.7, 0.61), _less_than(0.61, 0.609999)
    ('60.6 %', '61 %', 'less than 61.0 %')
    """
    if share(left) != share(asked):
        return share(left)
    told = per_cent(left, 1)
    return told if told != per_cent(asked, 1) else f"less than {told}"


def opening(line: Balance) -> str:
    """What opening a line settles, before its first run."""
    return (
        f"With this run you open the budget line of {line.population}. From then on it protects "
        f"{line.protects}, in every release about these people together, up to {limit(*line.lifetime)}. A "
        "release that would protect something else is refused. Raising the limit later makes today's promise "
        "lapse."
    )


def too_much(quote: Quote) -> str:
    """Why the lifetime limit does not cover it, what would fit, and which limit would."""
    needed = limit(*quote.cure())
    if quote.price.units <= quote.left:
        return LISTS_TOO_MUCH.format(limit=needed)
    most = TOO_MUCH.format(most=four_digits(quote.largest_epsilon))
    return f"{most} {(TOO_MUCH_NEW if quote.opens else TOO_MUCH_RAISE).format(limit=needed)}"


def so_far(spent: int, reserved: int) -> str:
    """What is spent while a run is at work; stopping keeps it spent."""
    if not reserved:
        return "Nothing is reserved yet."
    return f"Spent so far: **{share(spent / reserved)}** of this run's budget."


def cancel_help(spent: int, reserved: int) -> str:
    """What stopping now would keep."""
    if not spent or not reserved:
        return "Nothing has been measured yet, so stopping now costs nothing."
    return (
        f"Stopping now keeps {share(spent / reserved)} of this run's budget spent, because those answers "
        "were already taken. A later resume takes them as they are and spends the rest as agreed; preparing "
        "another run gives the rest back."
    )


def resume_help(status: Status, lifetime: int) -> str:
    """What resuming spends of the `lifetime` limit: what was agreed and not asked yet, and nothing twice."""
    spent, reserved = status.spent or 0, status.reserved or 0
    rest = "The rest of the price of this run"
    if reserved:
        rest = f"The rest ({share((reserved - spent) / lifetime)} of the lifetime budget)"
    repeated = "What was asked is answered again for nothing. " if spent else ""
    return f"{repeated}{rest} is spent as agreed when it was started, and no more."


def ended(status: Status) -> str:
    """How a run ended: in words, in its own words where it has some, and whom to ask."""
    own = f" {plain(status.sentence)}" if status.sentence and status.state is State.FAILED else ""
    reference = f" {REFERENCE.format(reference=status.reference)}" if status.reference else ""
    return f"**{ENDS.get(status.state, '')}**{own}{reference}"


def cost(status: Status, lifetime: int) -> str:
    """What an ended run has cost of the `lifetime` limit, in ledger units, and what it still holds."""
    spent, reserved = status.spent or 0, status.reserved or 0
    if not spent:
        said = "Nothing was spent: it ended before the first question was asked of the table."
    else:
        said = f"Spent for good: **{share(spent / lifetime)}** of the lifetime budget."
    if reserved <= spent:
        return said
    held = HELD_TO_GIVE_BACK if status.code == NothingFound.code else HELD
    return f"{said} {held.format(rest=share((reserved - spent) / lifetime))}"


def stage_name(stage: str) -> str:
    return STAGES.get(stage, stage.capitalize())


def stage(status: Status) -> str:
    """The line over the progress bar."""
    if status.state is State.QUEUED:
        return WAITING
    return stage_name(status.stage) if status.stage else STARTING


def step_label(name: str, times: int) -> str:
    """The heading of a stage in the timeline, with how much of it is listed where that is not all.

    >>> step_label("Measuring", 6), step_label("Measuring", 14)
    ('Measuring', 'Measuring (last 6 of 14)')
    """
    return f"{name} (last {LATEST} of {times})" if times > LATEST else name
