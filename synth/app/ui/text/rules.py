"""Words of the rules page: the menus, what a rule takes away, what speaks against it."""

from __future__ import annotations

from synth.app.project.describe.sentences import How, Shape, Wanted
from synth.app.ui.text import number_of
from synth.core.numbers import per_cent
from synth.core.schema import Column, Value
from synth.rules.terms import Share

LEAD = (
    "Some combinations no possible person can have: a married child, a first job before birth. Say them "
    "here, and no synthetic row will ever break one. What share of the rows has something can be set here as "
    "well. This page needs no data at all."
)
LAW = (
    "A rule must hold for **every possible person**, by law or by logic. A rule taken from looking at this "
    "file is a leak: it would tell what the file happens to hold. The same goes for the number of a share: "
    "it is publicly known, or bought."
)
ROWS_NOTE = (
    "Rows of the file that break a rule are not dropped: they are counted with the others. The synthetic "
    "table has none like them, and how many there were is told to nobody."
)
NONE = "No rules yet. That is allowed: every combination of values then counts as possible."
FROZEN = (
    "A run has used these rules, so they stay as they are. To change them, start another run on the run page."
)

# Together
LIST_TITLE = "Rules that are always true, and shares"
CONTRADICTION = "The rules cannot all hold. Remove one of those named here."
REMARKS_TITLE = "Worth a look ({count})"

# One rule
EDIT_BUTTON, EDIT_SAVE, EDIT_COPY = "Change", "Change it", "Add it as another rule"
MOVE_HELP = {"up": "Move up the rule: {sentence}", "down": "Move down the rule: {sentence}"}
REMOVE_BUTTON = "Remove"
REMOVE_HELP = "Remove the rule: {sentence}"
BECAUSE = "Because: {reason}"
SEE = "See the combinations"
UNCOUNTED = "Counted once the columns it names have been bought; until then only its words are known."
NOTHING = "It removes no combination: everything it forbids was impossible or cannot be told apart anyway."

# Building
BUILD_TITLE = "Add a rule"
SHAPE_LABEL = "What the rule says"
SHAPES = {
    Shape.IF_THEN: "If … then …",
    Shape.NEVER: "Never together",
    Shape.COMPARE: "One column against another",
    Shape.SHARE: "A share of records",
    Shape.WORDS: "In words",
}
IF_LABEL, THEN_LABEL, NEVER_LABEL = "If", "Then", "Never"
AND_LABEL = "and"
AND_BUTTON = "One more condition"
AND_LESS = "One less"
COLUMN_LABEL = "Column"
HOW_LABEL = "How"
HOWS = {
    How.IS: "is",
    How.IS_NOT: "is not",
    How.BETWEEN: "is between",
    How.AT_LEAST: "is at least",
    How.AT_MOST: "is at most",
    How.ABOVE: "is above",
    How.BELOW: "is below",
    How.BLANK: "is blank",
    How.NOT_BLANK: "is not blank",
}
VALUES_LABEL = "Values"
VALUE_LABEL = "Value"
LOW_LABEL, HIGH_LABEL = "From", "To"
COMPARISONS = {
    "at most": "is at most",
    "below": "is below",
    "at least": "is at least",
    "above": "is above",
}
COMPARE_NONE = (
    "No two columns here can be compared: both must be numbers, dates, or ordered by the same values."
)
SHARE_LABEL = "Of all records, those where"
SHARE_LIMIT = (
    "A row counts if it meets all conditions, each of them on one column. There is no *or* between columns: "
    "ask for each side by itself. Two shares of the same rows are refused, as both would be paid for."
)
WANTED_LABEL = "Their share should be"
WANTED = {
    Wanted.AS_TABLE: "as in the table, bought with a part of the budget",
    Wanted.DECLARED: "a number that is publicly known, free",
    Wanted.HIDDEN: "another number than the true one, free",
}
PERCENT_LABEL = "Per cent"
SHARE_BOUGHT = (
    "Counted by a question of its own, with noise, for a part of the budget. The synthetic rows are then "
    "moved to the noisy share."
)
SHARE_DECLARED = "Free: the number is yours. The synthetic rows are moved to it, whatever the table holds."
SHARE_HIDDEN = (
    "Free: the synthetic rows are moved to your number. The noisy counts are published as well, and may "
    "still tell of the true one."
)
SOURCE_LABEL = "Where the number is publicly known from"
SOURCE_PLACEHOLDER = "for instance: the census of 2021, table 4"
SOURCE_HELP = "Needed for a number that is publicly known, and printed in the report. Never the file."
WORDS_LABEL = "The rule as a sentence"
WORDS_PLACEHOLDER = "if age is 0 to 14 then marital is only never married"
WORDS_HELP = (
    "*if COLUMN is … then COLUMN is …*, *never COLUMN is … and COLUMN is …*, or *COLUMN is …*. After *is*: "
    "values joined by *or*, *0 to 14*, *at least 18*, *not …*, *blank*. Two columns: "
    "*COLUMN is at most COLUMN*, or *at least*, *below*, *above*. *the share of records where … should be "
    "20 %* (or *as in the table*, or *hidden as 30 %*) sets a share. Names with odd signs go in quotes. A "
    "blank breaks a rule only where the rule speaks of blank."
)
BECAUSE_LABEL = "Why this is always true"
BECAUSE_PLACEHOLDER = "for instance: the law of marriage, section 3"
BECAUSE_HELP = "Printed in the report, so that others can judge the rule. A law or logic, never the file."
ADD_BUTTON = "Add this rule"
UNFINISHED = "Choose columns and values; what the rule takes away is then shown here before you add it."
PREVIEW = "Reads as: **{sentence}**"

# Import
IMPORT_TITLE = "Load rules or allowed pairs"
IMPORT_NOTE = (
    "A CSV whose first line names two or more columns lists the **only** combinations that can occur, one "
    "per line, taken from a document such as a code list. A JSON file holds rules as this app writes them, "
    "such as the config/spec.json of an earlier release."
)
IMPORT_LABEL = "File of rules (CSV or JSON)"
IMPORT_BUTTON = "Add these rules"
IMPORT_COUNT = "The file holds {count}."


TRY_TITLE = "Try the rules on invented rows"
TRY_NOTES = {
    True: "The demo's table is invented, so its rows may be looked at. A private table is not read for this.",
    False: "This rehearsal's table is declared public or invented, so its rows may be looked at. A private "
    "table is not read for this.",
}
TRY_BUTTON = "Try the rules"
TRY_THIS = "Try it on invented rows"
INVENTED = ":violet-badge[:material/theater_comedy: invented rows]"


def tried(rows: int, forbidden: int | None, *, at_least: bool) -> str:
    """What one rule did to the rows of an invented table.

    >>> tried(3000, 12, at_least=False), tried(1, 0, at_least=False)
    ('12 of 3,000 rows would be forbidden', 'none of 1 row would be forbidden')
    """
    if forbidden is None:
        return "cannot be tried: it forbids nothing, or is about a column that is still to be bought"
    many = f"at least {forbidden:,}" if at_least else f"{forbidden:,}" if forbidden else "none"
    return f"{many} of {number_of(rows, 'row')} would be forbidden"


def removed(removed: int, cells: int, columns: str, share: str) -> str:
    """What a rule takes away from one small table."""
    return f"{columns}: removes **{removed:,}** of {cells:,} combinations ({share})"


def joined(blocks: int, cells: int) -> str:
    """That a picture has fewer squares than there are combinations.

    >>> joined(1, 14).partition(":")[0]
    '1 square stands for 14 combinations'
    """
    return (
        f"{number_of(blocks, 'square')} {'stands' if blocks == 1 else 'stand'} for {cells:,} combinations: "
        "neighbouring values share one where the rule treats them alike, or where they are too many to draw."
    )


def share(asked: Share) -> str:
    """What asking for a share means, instead of what a rule takes away."""
    if asked.wanted is None:
        return SHARE_BOUGHT
    return SHARE_HIDDEN if asked.hides else SHARE_DECLARED


def width(cells: int, capacity: int) -> str:
    """How much of the model the rules need by themselves."""
    if not cells:
        return "The rules join no columns, so they need no room in the model."
    part = cells / capacity
    share = "less than 1 %" if part < 0.01 else per_cent(part)
    return (
        f"The rules by themselves need a model of {cells:,} cells: {share} of what the method has room for."
    )


def column_name(column: Column) -> str:
    """A column in a menu: its name, and its title where it has one."""
    return f"{column.name} · {column.title}" if column.title and column.title != column.name else column.name


def value_name(column: Column, value: Value) -> str:
    """A value in a menu: as it stands in the file, and what it means where that was said."""
    label = column.label_of(value)
    return str(value) if label == str(value) else f"{value} · {label}"
