"""Texts of the panel for one column in detail."""

from __future__ import annotations

from collections.abc import Sequence

from synth.app.project.describe.lookup import Lookup
from synth.app.ui.text import number_of, plain, some

PANEL_DROPPED = "This column is not modelled. The grid shows whether it is excluded or gets generated IDs."
PANEL_COMPUTED = "The output computes this column with the formula in the grid. It is not read or modelled."


TOTALS_HELP = (
    "For a stratum: public totals in the order of the values. The release has exactly these numbers of rows."
)
LIMIT_HELP = "A formula of other columns, such as 100 - a. Larger synthetic values are lowered to it."
WEIGHT_HELP = (
    "Each row stands for this many people. The report then advises readers to weight totals and means."
)


VALUES_ORDERED = "Values, one per line, from lowest to highest"
VALUES_HELP = (
    "Every possible value, including rare ones. Add a meaning after an equals sign: 1 = male. On one line, "
    "commas separate values; on several lines, they belong to the value."
)


READS_HELP = (
    "If the file has finer codes than you publish: the value, a colon and its codes, one value per line. A "
    "star means any ending: J: J* takes all codes that start with J."
)


READS_PLACEHOLDER = "yes: Yes, YES\nno: No, NO"


def reads_lost(lines: Sequence[str]) -> str:
    """Name the lines of codes that are not used, and explain how to write them."""
    shown = ", ".join(f"`{line}`" for line in lines[:3])
    return f"Not used: {shown}. Write a declared value, a colon and its codes, such as `yes: Yes, YES`."


LOOKUP_NOTE = (
    "One code and its group per line, optionally with the group's meaning. The groups become the "
    "values. Use a public classification, not the file."
)


LOOKUP_PLACEHOLDER = "I21, I, heart\nI22, I, heart\nJ10, J, lungs"


CUTS_HELP = "The first value of every band except the lowest: 18, 65. Replaces equal bins."


ESTIMATED_LIST = (
    ":material/shopping_cart: The value list is estimated from the data with part of the budget. "
    "Values that too few people share are left out. For numbers or dates, choose that kind in the grid."
)
ESTIMATED_RANGE = (
    ":material/shopping_cart: The ends of the range are estimated from the data with part of the budget."
)

OTHER_HELP = "Cells outside the list become one more value. Otherwise they count as blank."


RARE_HELP = "Values rarer than the noise are modelled as one. Useful for long lists; costs a little budget."


ADAPTIVE_LABEL = "Bins follow the data"
ADAPTIVE_HELP = "Fine bins where many people are, coarse ones elsewhere (PrivTree). Costs a little budget."


MULTIPLES = (
    (
        "multiple",
        "All numbers are multiples of",
        "If people write only 10, 20, 30, enter 10. Synthetic numbers are then multiples of it.",
    ),
    (
        "heaps",
        "Many people round to multiples of",
        "If many people give 50, 100, 150 and some 63, enter 50. Each multiple gets its own bin.",
    ),
)
MISSING_HELP = (
    "Codes such as 999 or refused, separated by commas, in addition to the list for the whole file. To keep "
    "a reason, use a list of values and declare its code as one. A range keeps no reasons."
)
AS_FILE = "as in the file"
FORM_LABELS = {
    "decimal_sign": "Decimals in this column",
    "thousands": "Thousands in this column",
    "date_order": "Dates in this column",
}
FORM_HELP = "Choose another form if this column is written differently from the rest of the file."
POINTS_LABEL = "Values with their own bin"
POINTS_HELP = "Values that many people share, such as 0 for no income, separated by commas."


def looked_up(table: Lookup, left: Sequence[str]) -> str:
    """State the result of a table of codes and groups.

    >>> looked_up(Lookup(codes={"I": ("I21", "I22")}, meanings={}), ())
    '2 codes are read as 1 group.'
    >>> looked_up(Lookup(codes={"I": ("I21",)}, meanings={}), ("Z",))
    '1 code is read as 1 group. Not in the table, and kept as a value: Z.'
    """
    read = f"{number_of(table.count, 'code')} {'is' if table.count == 1 else 'are'} read as "
    said = f"{read}{number_of(len(table.codes), 'group')}."
    kept = "a value" if len(left) == 1 else "values"
    return f"{said} Not in the table, and kept as {kept}: {plain(some(left))}." if left else said
