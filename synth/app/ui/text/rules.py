"""Texts of the Rules page: the menus, the effect of a rule, and contradictions."""

from __future__ import annotations

from synth.app.project.describe.sentences import How, Shape, Wanted
from synth.app.ui.text import number_of
from synth.core.numbers import per_cent
from synth.core.schema import Column, Value
from synth.rules.terms import OPERATORS, Share

LEAD = "List combinations that law or logic excludes, such as a married child. Do not use the file."
ROWS_NOTE = "Rows that break a rule are still counted. The number of violations is not disclosed."

FROZEN = "A run used these rules, so they are fixed. To change them, start another run."


CONTRADICTION = "The rules contradict each other. Remove one of the rules named here."


EDIT_SAVE, EDIT_COPY = "Change rule", "Add as another rule"

SEE = "Show the combinations that the rule removes."


SHAPES = {
    Shape.IF_THEN: "If … then …",
    Shape.NEVER: "Never together",
    Shape.COMPARE: "One column against another",
    Shape.SHARE: "Target proportion",
    Shape.WORDS: "In words",
}
IF_LABEL, THEN_LABEL, NEVER_LABEL = "If", "Then", "Never"


COLUMN_LABEL = "Column"
HOW_LABEL = "How"
HOWS = {how: how.value if how in (How.IS, How.IS_NOT) else f"is {how.value}" for how in How}

VALUE_LABEL = "Value"
LOW_LABEL, HIGH_LABEL = "From", "To"
COMPARISONS = {operator: f"is {operator}" for operator in OPERATORS}
COMPARE_NONE = (
    "No two columns here can be compared. Both must be numbers, dates, or ordered by the same values."
)

SHARE_LIMIT = (
    "A row counts if it meets all conditions. Each condition is about one column. Conditions cannot "
    "be joined by *or*."
)

WANTED = {
    Wanted.AS_TABLE: "as in the table (uses budget)",
    Wanted.DECLARED: "a public number (free)",
    Wanted.HIDDEN: "a replacement for the true number (free)",
}


SHARE_HIDDEN = (
    "Free: the synthetic rows are adjusted to your number. The noisy counts are published too, and "
    "may reveal the true number."
)


SOURCE_HELP = "Required for a public number and printed in the report. Never use the file."
WORDS_LABEL = "The rule as a sentence"
WORDS_PLACEHOLDER = "if age is 0 to 14 then marital is only never married"
WORDS_HELP = (
    "*if COLUMN is … then COLUMN is …*, *never COLUMN is … and COLUMN is …*, or *COLUMN is …*. After *is*: "
    "values joined by *or*, *0 to 14*, *at least 18*, *not …*, *blank*. Two columns: *COLUMN is at most "
    "COLUMN*, or *at least*, *below*, *above*. *the share of records where … should be 20%* sets a target "
    "proportion. It can also be *as in the table* or *hidden as 30%*. Put names with other signs in "
    "quotes. A blank satisfies every rule that does not mention blanks."
)
BECAUSE_LABEL = "Reason"
BECAUSE_PLACEHOLDER = "for example: the law of marriage, section 3"
BECAUSE_HELP = "Printed in the report. Name a law or a logical reason, never the file."


IMPORT_NOTE = (
    "A CSV with two or more column names in its first line lists the **only** allowed combinations, "
    "one per line. A JSON file contains rules, such as config/spec.json of an earlier release."
)


IMPORT_COUNT = "The file contains {count}."


def removed(removed: int, cells: int, columns: str) -> str:
    """State how many combinations a rule removes. `columns` names its columns, or is empty."""
    return f"Removes **{removed:,}** of {cells:,} combinations{columns and f' of {columns}'}."


def share(requested: Share) -> str:
    """Explain how a target proportion is reached and what it costs."""
    if requested.wanted is None:
        return "Measured with noise, for a part of the budget. The synthetic rows are then adjusted to it."
    return SHARE_HIDDEN if requested.hides else "Free: the synthetic rows are adjusted to your number."


def width(cells: int, capacity: int) -> str:
    """Describe the size of the model that the rules alone need.

    >>> width(50_000, 10**6)
    'Size of the rules: 50,000 cells, 5% of the limit.'
    """
    return f"Size of the rules: {number_of(cells, 'cell')}, {per_cent(cells / capacity)} of the limit."


def column_name(column: Column) -> str:
    """Return the label of a column in a menu: its name, and its title if it has one."""
    return f"{column.name} · {column.title}" if column.title and column.title != column.name else column.name


def value_name(column: Column, value: Value) -> str:
    """Return the label of a value in a menu: the value as in the file, and its label if it has one."""
    label = column.label_of(value)
    return str(value) if label == str(value) else f"{value} · {label}"


SKETCH = "Rows without data"
SKETCH_NOTE = (
    "Rows drawn from the columns and rules alone: structure only, no information about the people. No table "
    "is read. Analysts can use them to write code before the release."
)
