"""Texts of the page Who is protected: suitability, privacy unit, population."""

from __future__ import annotations

from synth.app.project.describe.suitability import UnitAnswers
from synth.app.ui.text import four_digits, limit
from synth.private.ledger import Balance

YES_NO = {True: "Yes", False: "No"}
PEOPLE_LABEL = "Is the table about people, or something that stands for people?"
PEOPLE_HELP = "For example, patients, pupils, households, farms or small firms."
RECORDS_LABEL = "Is each row one record, not a total?"
RECORDS_HELP = (
    "One row per person, visit or order is a record. A row such as 'ward 5: 1,204 inhabitants' is a total."
)

HARMS = {
    "none": "None: it is already public",
    "mild": "Embarrassment",
    "moderate": "Loss of money, reputation or peace of mind",
    "serious": "Loss of a job, insurance cover or a court case",
    "severe": "Loss of life, health or freedom",
}
ROWS_LABEL = "Number of rows (public knowledge)"
ROWS_HELP = (
    "An estimate from public knowledge, such as the size of the town. Do not count the rows. It predicts "
    "errors before anything is spent."
)
EXACT_LABEL = "This number is exact and public"

UNIT_ALT = "One person has one row in the table. Another has two, so the noise is twice as large."

UNIT_HELP = (
    "The unit whose presence is hidden. Choose household to protect its members together. If you "
    "choose visit, a person with many visits is protected much less."
)
UNITS = ("person", "household", "patient", "pupil", "business", "visit")


ID_HELP = (
    "At most this many rows per ID are used, chosen at random. Rows with a blank ID are not used. The "
    "column is not synthesised. Write the name as in the file header."
)
ID_NOTE = (
    "A {unit} with more than {rows} rows keeps {rows} of them, chosen at random. All figures then "
    "describe the rows that are kept."
)


PUBLIC_HELP = (
    "If not ticked, even presence in the table is protected. Tick it only if the number is published, and "
    "never count the rows. Then only the contents of rows are protected, and noise is 1.4 times larger."
)


POPULATION_HELP = (
    "Name the people, not the file. All releases about them share one lifetime budget. Two names for the "
    "same people would break the guarantee."
)


DECLARE_OLD = (
    "Releases of this budget were recorded without a privacy unit. Confirm here that all of them "
    "protected {protects}. If one did not, choose another population name."
)
DECLARE_UNUSED = (
    "Nothing has been spent, so you can still change the privacy unit of this budget to {protects}."
)


NEIGHBOURS = {
    False: (
        "Two tables are *neighbours* if they differ by all rows of one {unit} (at most {rows}). A release "
        "is almost equally likely for both. It reveals little about whether a given {unit} is in the table."
    ),
    True: (
        "The number of rows is public. Two tables are *neighbours* if the rows of one {unit} (at most "
        "{rows}) are replaced by those of another. A release is almost equally likely for both, so it "
        "reveals little about the contents of one unit's rows."
    ),
}
MORE_NOTE = (
    "It does not hide facts about everyone. If the release shows that smoking harms health, this is also "
    "true of smokers who are not in the table."
)
STOPPED = "You cannot continue with this table."
NOT_CLEAR = "Answer the questions and resolve the errors first."
WAITING = "Still to answer:"

STOPS = {
    "aggregates": (
        "Totals cannot be traced to one person, so no guarantee for a person is possible. Start with "
        "the records behind the totals."
    ),
    "harm": (
        "If life, health or freedom is at stake, this protection is not enough. Keep the table "
        "internal, and ask your data protection officer about supervised access."
    ),
    "tiny": (
        "With fewer than 100 rows, the noise at epsilon 1 is as large as most counts. Join the table with "
        "others, or publish a single noisy count."
    ),
}
MISSING = {
    "people": "people",
    "records": "records",
    "harm": "worst harm",
    "size": "number of rows",
    "rows": "maximum rows",
    "population": "population name",
}
NOTES = {
    "nobody": ("If no one can be harmed, you may not need noise. The guarantee works for any unit."),
    "public": "If the rows are already public, publish the table itself.",
    "small": ("With a few hundred rows, only one-column counts are useful. Use few columns."),
    "noise": ("With up to {rows} rows per {unit}, the noise is {rows} times larger than with one row."),
    "no id": ("Without an ID column, the maximum is not checked. A unit with more rows has less protection."),
    "blank id": (
        "Rows with a blank {column} are not used. The check on the Columns page shows whether there are many."
    ),
    "many": (
        "Noise this large ({rows} times) hides groups below a few thousand rows. A table with fewer "
        "rows per unit gives better results."
    ),
    "rows public": ("The number of rows is published as you typed it. Use a public source, not the file."),
}
"""Sentences for the codes of `suitability.Judgement`."""
LOCKED_NOTE = (
    "A run used these answers, so they can no longer change. Create another project for another privacy unit."
)


def note(code: str, answers: UnitAnswers) -> str:
    """Return one of the notes, with the answers filled in."""
    column = answers.id_column.strip()
    return NOTES[code].format(rows=answers.max_rows or 1, unit=answers.unit, column=column)


def line(standing: Balance) -> str:
    """Describe an existing lifetime budget. The remaining epsilon is stated at the budget's delta."""
    protects = f"It protects {standing.protects}. " if standing.protects else ""
    return (
        f"Population {standing.population} has a lifetime budget. {protects}Its limit is "
        f"{limit(*standing.lifetime)}. A release of up to epsilon "
        f"{four_digits(standing.claim(standing.left))} at that delta is possible."
    )
