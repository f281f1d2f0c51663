"""Words of the guide: for every step what to do, in short lines, and why, for whoever wants to know."""

from __future__ import annotations

from dataclasses import dataclass

from synth.app.figures.words import share

SWITCH = "Guide me"
SWITCH_HELP = "Short notes on every page: what to do there, and why. Your choice is kept for next time."
TITLE = "On this page"
MORE = "Learn more"


@dataclass(frozen=True, kw_only=True)
class StepNotes:
    """`todo` are short lines; `why` is a paragraph or two."""

    todo: tuple[str, ...]
    why: str


STEPS = {
    "project": StepNotes(
        todo=(
            "New here? Open the demo and click through to the end. It costs nothing and takes two minutes.",
            "With a table of your own, start with a rehearsal on a public file of the same shape.",
        ),
        why=(
            "A project keeps every choice on the way to a release. You can close the window at any time "
            "and go on later. In a rehearsal every page works, but the noise is predictable, so nothing "
            "is protected and nothing can be released: it is there for making mistakes."
        ),
    ),
    "unit": StepNotes(
        todo=(
            "Say who must not be noticed in the release: usually a person.",
            "Give the most rows one of them could fill. Think of the busiest one, not the usual one.",
            "Name the people, not the file.",
        ),
        why=(
            "The promise is about one unit of protection. If a hospital table has a row for each visit "
            "and the unit is a visit, somebody with forty visits is protected forty times less than you "
            "think. Noise grows with the number of rows, so a table with one row for each person gives "
            "the best release."
        ),
    ),
    "schema": StepNotes(
        todo=(
            "Load a data dictionary if there is one. It must come from a codebook, not from this file.",
            "Give every column its list of values, or its smallest and largest value.",
            "Leave out ids, names and free text.",
        ),
        why=(
            "A value list taken from the file tells who is in it: one rare diagnosis in the list, and "
            "everybody knows that somebody has it. That is why nothing is looked up. If nobody knows what "
            "a column can hold, it can be *bought*: the run asks the table with noise, for a share of the "
            "budget. Fewer and wider bins lose detail for ever, but each keeps more people and so drowns "
            "less in the noise."
        ),
    ),
    "rules": StepNotes(
        todo=(
            "State what is impossible for anybody, such as a married child. No rule is needed to go on.",
            "A rule that comes from looking at this file is a leak; leave it out.",
        ),
        why=(
            "Noise can put a few people into combinations that cannot exist. A rule keeps them out, and "
            "the counts around it get better for free, because the noise has fewer places to go. Rules "
            "that join many columns make the model large and slow."
        ),
    ),
    "budget": StepNotes(
        todo=(
            "Choose epsilon by the picture of odds, then look at how far counts will be off.",
            "Off too far? Give the columns that matter more weight, or use fewer and wider bins.",
            "Will there be another release about these people? Keep some of the budget for it.",
        ),
        why=(
            "Every answer costs some privacy, and costs add up over all releases about the same people. "
            "Epsilon says how much in all. There is no right number; other offices have released with 1 "
            "to 10. Half the epsilon makes counts off by about twice as much. What is spent cannot be "
            "taken back."
        ),
    ),
    "method": StepNotes(
        todo=(
            "If unsure, keep the method that is chosen, or let *Help me choose* ask you two questions.",
            "Tick further tables if you want to compare: they are free.",
        ),
        why=(
            "A method decides which counts to ask for. That is what costs. A generator turns the answers "
            "into rows, as often as you like, for nothing. So another generator on the same answers is "
            "free, and another method is paid for again."
        ),
    ),
    "run": StepNotes(
        todo=(
            "Read the sheet, type the project's name, start. This is the moment the private file is read.",
            "You may close the window while it works.",
        ),
        why=(
            "The price is written into the ledger before a row is read, and the database refuses what the "
            "limit does not cover. If you stop a run, what it has already asked stays spent, because the "
            "answers exist. A run that breaks off can go on where it stopped: it pays for nothing twice."
        ),
    ),
    "results": StepNotes(
        todo=(
            "Look at the flags first, then at the columns your users need.",
            "In the grid of pairs, look for *no bound*: such pairs must not be relied on.",
            "Where a pair has a bound for groups of values only, rely on the groups, not on single values.",
        ),
        why=(
            "Everything here comes from noisy answers and synthetic rows, so you may show it to anybody. "
            "A bound tells how far the release can be from the truth because of the noise; it says "
            "nothing about errors that were in the table before."
        ),
    ),
    "steward": StepNotes(
        todo=(
            "Open this only if the public results leave a question. What you look at is recorded.",
            "Do not write these numbers down anywhere, and do not run again until they look good.",
        ),
        why=(
            "Exact comparisons with the private table are not protected by anything. Each choice made "
            "because of them gives a little of the table away, and no ledger can count that. So the "
            "report says that they were looked at, and what was changed afterwards."
        ),
    ),
    "compare": StepNotes(
        todo=(
            "Choose two runs or more, and read the column with the question your users will ask.",
            "Remember what each run has paid: a larger epsilon should look better.",
        ),
        why=(
            "The runs are judged by noisy counts their models never saw. These are paid for already, so "
            "choosing by them is free and needs no note in the report."
        ),
    ),
    "release": StepNotes(
        todo=(
            "Settle every point of the list, then read the report as others will read it.",
            "Publish once. It cannot be called back.",
        ),
        why=(
            "The release is one file with the rows, the data dictionary, the noisy counts, the statement "
            "and the report. Its papers say what is promised and what is not, so that nobody has to ask "
            "you. After it is published, its choices can be read but no longer changed; a new release "
            "starts from a copy."
        ),
    ),
}


OPENED = (
    "The bar shows how far it has come. Go on with the next step that is still open, if there is one.",
    "What is decided so far stands below; a choice is changed on the page where it was made.",
)
STARTED = (
    "You may close the window while it works, and come back by this page's address.",
    "When it has finished, look at the results before you prepare another run.",
)
FIRST_RELEASE = "This is the first release about these people: you open their budget line here, with a limit."
ANOTHER_RELEASE = "So far {spent} of these people's lifetime limit is spent; a run that you start adds to it."


def before_run(spent: float | None) -> str:
    """What to know before a run: `spent` is a share of the lifetime limit, None where no line is open yet."""
    return FIRST_RELEASE if spent is None else ANOTHER_RELEASE.format(spent=share(spent))
