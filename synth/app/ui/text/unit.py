"""Words of the unit page: whether this is the right tool, who is protected, which budget they share."""

from __future__ import annotations

from synth.app.project.describe.suitability import UnitAnswers
from synth.app.ui.text import four_digits, limit
from synth.private.ledger import Balance

LEAD = (
    "Two questions come before everything else: is this the right tool for your table, and who exactly is "
    "protected by it? Answer from what you know about the table; it is not opened."
)
FIT_TITLE = "Is this the right tool?"
YES_NO = {True: "Yes", False: "No"}
PEOPLE_LABEL = "Is the table about people, or about something that stands for people?"
PEOPLE_HELP = "Patients, pupils, households, farms, small firms: whatever a person could be harmed through."
RECORDS_LABEL = "Does each row describe one record, rather than a total over many?"
RECORDS_HELP = (
    "A row for each person, visit or order is a record. A row such as 'ward 5: 1,204 inhabitants' is a total."
)
HARM_LABEL = "If somebody's row became known, what is the worst that could happen to them?"
HARMS = {
    "none": "Nothing: it is public already",
    "mild": "It could embarrass them",
    "moderate": "It could cost them money, standing or peace",
    "serious": "It could cost them a job, an insurance or a lawsuit",
    "severe": "It could cost them their life, their health or their freedom",
}
SIZE_LABEL = "Roughly how many rows does the table have, by what is publicly known?"
SIZE_HELP = (
    "A rough guess from public knowledge, such as the size of the town. Do not count the rows of the file."
)
SIZES = {
    "tens": "under 100",
    "hundreds": "hundreds",
    "thousands": "thousands",
    "ten-thousands": "tens of thousands",
    "more": "100,000 or more",
}
UNIT_TITLE = "Who is protected?"
UNIT_LABEL = "Unit of protection"
UNIT_HELP = (
    "The one whose presence must not be noticed. If members of a household must be protected together, "
    "choose household. If you choose visit, a person with many visits is protected much less."
)
UNITS = ("person", "household", "patient", "pupil", "business", "visit")
ROWS_LABEL = "Most rows one {unit} can fill"
ROWS_PLACEHOLDER = "required; an upper bound, not a typical value"
ROWS_HELP = (
    "Think of the busiest one there could be, not the usual one. Whoever fills more rows than this is "
    "protected less than promised. Noise grows with this number."
)
ID_LABEL = "Column that says whose row it is (optional)"
ID_PLACEHOLDER = "patient_number"
ID_HELP = (
    "If you name it, at most that many rows of each are used, the others are left out at random. Rows where "
    "it is blank are not used at all, as nobody could tell how many of them are one person's. The column "
    "itself is never synthesised. Write the name as in the header of the file."
)
ID_NOTE = (
    "If you name it, a {unit} with more than {rows} rows keeps {rows} of them, drawn at random. The others "
    "are left out: the synthetic table, and every figure about it, is about the rows that are kept."
)
PUBLIC_LABEL = "Number of rows, if everybody may know it (optional)"
PUBLIC_PLACEHOLDER = "empty: the number is not public"
PUBLIC_HELP = (
    "Left empty, even being in the table at all is protected, and the size of the synthetic table follows a "
    "noisy count. If the number is public, say from a yearly report, you can type it; do not count the rows "
    "of the file. It is printed as you typed it and never compared with the file. Then only what a row says "
    "is protected, and noise is 1.4 times as large for the same epsilon."
)
POPULATION_TITLE = "Which people are these?"
POPULATION_LABEL = "Name of the population"
POPULATION_PLACEHOLDER = "choose one, or type a new name such as town-residents-2024"
POPULATION_HELP = (
    "Every release about the same people draws on one lifetime budget, whichever file it comes from. Two "
    "names for the same people would promise them twice what they get."
)
POPULATION_NOTE = (
    "Name the people, not the file. If another table is about the same people, choose the same name: they "
    "share one lifetime budget."
)
LINE_NEW = (
    "A new budget line. You open it on the Run page, for the unit above and with a limit; from then on every "
    "release about these people has to protect the same."
)
DECLARE_TITLE = "Say what this budget line protects"
DECLARE_OLD = (
    "Releases on this line were recorded without their unit. If all of them protected {protects}, say so "
    "here. If even one did not, their losses have no sum that could be promised: choose another name, and "
    "do not count on the old line."
)
DECLARE_UNUSED = (
    "Nothing has been spent on this line, so it can still be changed to protect {protects}. After its first "
    "run it cannot."
)
DECLARE_REASON = "How do you know, and who decided? (stays on record)"
DECLARE_BUTTON = "Declare"
DECLARE_NOT_ALLOWED = "Only an approver can declare what a budget line protects."
MORE_TITLE = "What is promised, exactly?"
NEIGHBOURS = {
    False: "Two tables are *neighbours* if one of them lacks all rows of one {unit}, at most {rows}. The "
    "promise compares what could be published from the one and from the other: almost the same things, "
    "almost equally often. So the release says little about whether a given {unit} was in the table, and "
    "the budget says how little.",
    True: "Everybody knows the number of rows, so two tables that are compared have the same. They are "
    "*neighbours* if the rows of one {unit}, at most {rows}, are replaced by another's, at most as many. "
    "The promise compares what could be published from the one and from the other. So the "
    "release says little about what the rows of a given {unit} hold, and the budget says how little; that "
    "they are in the table may be known.",
}
MORE_NOTE = (
    "It does not hide what is true of everybody. If the release shows that smoking harms health, it will say "
    "so about a smoker who is not in the table, too. That is what a release is for."
)
VERDICT_TITLE = "Can you go on?"
CLEAR = "Yes. The table can be described now."
STOPPED = "This project stops here."
WAITING = "Not yet. Still to answer:"

STOPS = {
    "aggregates": (
        "Rows that are totals cannot be traced to one person, so no promise can be made about a person. "
        "Begin with the records the totals were made from."
    ),
    "harm": (
        "Where life, health or freedom is at stake, a promise that holds almost always is not enough. Keep "
        "this table inside, and ask your data protection officer about supervised access."
    ),
    "tiny": (
        "With fewer than 100 rows the noise would drown everything. Publish nothing, or a single count with "
        "noise, or join the table with others first."
    ),
}
MISSING = {
    "people": "whether the table is about people",
    "records": "whether each row is one record",
    "harm": "what could happen to somebody whose row became known",
    "size": "roughly how many rows there are",
    "rows": "the most rows one of them can fill",
    "population": "the name of the population",
}
NOTES = {
    "nobody": (
        "If nobody can be harmed through this table, you may not need noise at all. The promise works for "
        "any unit you name, though."
    ),
    "public": "If the rows are public already, publish the table itself: it will be more useful.",
    "small": (
        "With a few hundred rows only one-column counts will be of use. Expect relations between columns to "
        "be blurred, and use few columns."
    ),
    "noise": (
        "With up to {rows} rows for each {unit}, the noise on a count is {rows} times as large as with one "
        "row, for the same epsilon."
    ),
    "no id": (
        "Without a column that says whose row it is, your number is taken at its word. If somebody fills "
        "more rows, they are protected less than promised."
    ),
    "blank id": (
        "Rows in which the column {column} is blank are left out. The comparison on the columns page says in "
        "coarse terms whether there are many; if so, fill them in first."
    ),
    "many": (
        "Noise {rows} times as large leaves little of groups below a few thousand rows. A table with fewer "
        "rows for each, such as one row a year, would come out better."
    ),
    "rows public": (
        "The number of rows will be published as you typed it. Take it from a public source, not from the "
        "file."
    ),
}
"""What the codes of `suitability.Judgement` say."""
LOCKED_NOTE = (
    "A run has been paid for under these answers, so they can no longer be changed. Start another project "
    "for another unit of protection."
)


def note(code: str, answers: UnitAnswers) -> str:
    """One of the notes, with what was answered."""
    column = answers.id_column.strip()
    return NOTES[code].format(rows=answers.max_rows or 1, unit=answers.unit, column=column)


def line(standing: Balance) -> str:
    """The state of an existing budget line; what is left is an epsilon at the lifetime's delta."""
    protects = f"It protects {standing.protects}. " if standing.protects else ""
    return (
        f"These people have a budget line, {standing.population}. {protects}Its lifetime limit is "
        f"{limit(*standing.lifetime)}, of which a release of up to epsilon "
        f"{four_digits(standing.claim(standing.left))} at that delta is left."
    )
