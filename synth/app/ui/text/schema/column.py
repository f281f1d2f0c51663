"""Words of the panel for one column in detail."""

from __future__ import annotations

from collections.abc import Sequence

from synth.app.project.describe.lookup import Lookup
from synth.app.ui.text import number_of, plain, some

PANEL_TITLE = "One column in detail"
PANEL_LABEL = "Column"
PANEL_DROPPED = "This column is left out of the synthetic table, so there is nothing to say about it."
PANEL_NO_KIND = "Say in the grid what it can hold; then its details can be given here."
TITLE_LABEL = "Title, for people"
DESCRIPTION_LABEL = "Description"
VALUES_LABEL = "Values, one per line"
VALUES_ORDERED = "Values, one per line, from lowest to highest"
VALUES_HELP = (
    "Every value the column can hold, also rare ones; behind an equals sign what it means: 1 = male. On a "
    "single line commas part the values; on several lines a comma belongs to the value. Leave the box to "
    "see the count."
)
WRITE_LABELS = "Write what they mean into the CSV"
WRITE_LABELS_HELP = "Otherwise the CSV holds the codes, and the dictionary beside it says what they mean."
READS_LABEL = "Codes of the file that count as a value"
READS_HELP = (
    "For codes of a finer level than is published: the value, a colon, and its codes, parted by commas, "
    "one value per line. A star stands for any ending: J: J* takes every code that begins with J."
)
LEVEL_LABEL = "Publish only the first characters of the codes"
LEVEL_HELP = "As many as the level to publish has. Codes that begin alike become one value."
LEVEL_EMPTY = "all"
LEVEL_BUTTON = "Group them"
LOOKUP_TITLE = "From a table of codes and groups"
LOOKUP_NOTE = (
    "A code and its group in every line, and if wanted what the group means: as a CSV file, or pasted from a "
    "spreadsheet. The groups become the values, and every code counts as its group. Take it from a public "
    "classification, not from the file."
)
LOOKUP_FILE = "Table as a CSV file"
LOOKUP_TYPED = "or its lines"
LOOKUP_PLACEHOLDER = "I21, I, heart\nI22, I, heart\nJ10, J, lungs"
LOOKUP_HEADED = "The first line holds headings"
LOOKUP_BUTTON = "Use this table"
CUTS_LABEL = "Cut where a new band begins"
CUTS_HELP = "The first value of every band but the lowest, parted by commas: 18, 65. Instead of equal bins."
BANDS_LABEL = "Names of the bands"
BANDS_HELP = "From the lowest band up, parted by commas: child, adult, old. One more than there are cuts."
WRITE_BANDS = "Write these names into the CSV"
WRITE_BANDS_HELP = (
    "Otherwise it holds numbers or dates inside the bands, as the Parquet file does in any case."
)
PLACES_LABEL = "Decimals in the CSV"
PLACES_EMPTY = "by its bins"
PLACES_HELP = (
    "As many as its ends were typed with: 34.0 to 42.0 gives one. A bin that holds no such number gets more. "
    "Empty: two more than the bins need, at least two."
)
MEASURED_LABEL = "What the numbers count"
MEASURED_HELP = "Such as years or US dollars. It stands behind the title on every chart."
VALUES_MANY = "More than {most} values: noise is added to each, so fewer keep more of the signal."
VALUES_TWICE = "Stands more than once: {names}."
BOUGHT_LIST = (
    ":material/shopping_cart: The list of values is bought: the run asks the table with noise and keeps only "
    "what enough people share. It takes a share of the budget. If this column holds numbers or dates, choose "
    "that as its kind in the grid: then the ends of its range are bought."
)
BOUGHT_RANGE = (
    ":material/shopping_cart: The ends of the range are bought: the run asks the table with noise. It takes "
    "a share of the budget."
)
OTHER_LABEL = "Keep other values together"
OTHER_HELP = "Cells outside the list become one more value. Otherwise they count as blank."
OTHER_NAME = "Name of that value"
RARE_LABEL = "Model rare values together"
RARE_HELP = (
    "Values too rare to be told from noise share one place in the model. Useful for long lists; finding "
    "them costs a little budget."
)
BLANK_OUTSIDE = "Cells outside count as blank"
BLANK_OUTSIDE_HELP = "Otherwise they are moved to the nearest end of the range."
ADAPTIVE_LABEL = "Bins follow the data"
ADAPTIVE_HELP = (
    "Fine bins where many people are, coarse ones elsewhere, found with noise (PrivTree). It costs a "
    "little budget."
)
STEP_LABEL = "Width of one bin"
STEP_HELP = "Instead of a number of bins. For dates, in days."
STEP_EMPTY = "as in the grid"
POINTS_LABEL = "Values with a bin of their own"
POINTS_HELP = "Values that many people share, such as 0 for no income. Parted by commas."


def looked_up(table: Lookup, left: Sequence[str]) -> str:
    """What came of a table of codes and groups.

    >>> looked_up(Lookup(codes={"I": ("I21", "I22")}, meanings={}), ())
    '2 codes are read as 1 group.'
    >>> looked_up(Lookup(codes={"I": ("I21",)}, meanings={}), ("Z",))
    '1 code is read as 1 group. Not in the table, and kept as a value: Z.'
    """
    read = f"{number_of(table.count, 'code')} {'is' if table.count == 1 else 'are'} read as "
    said = f"{read}{number_of(len(table.codes), 'group')}."
    kept = "a value" if len(left) == 1 else "values"
    return f"{said} Not in the table, and kept as {kept}: {plain(some(left))}." if left else said
