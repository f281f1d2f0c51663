"""Texts for asking questions about a release package."""

from __future__ import annotations

LEAD = (
    "Answers come from the noisy measurements of the release, with intervals that include the privacy noise. "
    "They cost no budget."
)
KINDS = {
    "count": "Number of records",
    "share": "Share of records",
    "mean": "Average",
    "quantile": "Median or other quantile",
    "regression": "Regression",
}
KIND_LABEL, COLUMN_LABEL, WHERE_LABEL, BY_LABEL = (
    "Question",
    "Column",
    "Only records with",
    "For each value of",
)
SHARE_LABEL, AMONG_LABEL = "Share of records with", "Of the records with"
WHERE_HELP = "Choose columns, then their values. Without columns, the answer is about all records."
AT_LABEL, AT_HELP = "Quantile", "0.5 is the median: half the records have a smaller value."
LEVEL_LABEL, LEVEL_HELP = "Confidence", "How often such intervals contain the true figure."
FORMULA_LABEL = "Measured formula"
ALL = "All records"
BLANK = "(blank)"
NO_VALUE = "Choose at least one value of {column}."
MAP_NOTE = (
    "Lines join columns that are related in the synthetic rows: a wide line is a strong relation, the colour "
    "is the error of the pair. Solid lines were measured together; other pairs get a bound, not an interval."
)
MAP_TOO_WIDE = "The map is drawn for up to {most} columns. The table lists all pairs."
ROWS_NOTE = "Draw synthetic rows that meet conditions. They are free. Do not compute intervals from them."
ROWS_LABEL, ROWS_BUTTON, ROWS_DOWNLOAD = "Number of rows", "Draw rows (free)", "Download rows (CSV)"
BLANKS_NOTE = (
    "Each blank cell gets a random value that depends on the other values in its row. Your table stays in "
    "memory and is not stored. Do not compute intervals from filled cells."
)
BLANKS_LABEL, BLANKS_BUTTON, BLANKS_DOWNLOAD = (
    "Your table (CSV)",
    "Fill blanks (free)",
    "Download filled table (CSV)",
)
TOO_LONG = (
    "Your table has {rows:,} rows, and the page fills at most {most:,}. Use marginalia ask RELEASE impute."
)
PACKAGE_LEAD = (
    "Ask questions about this release package. They are free, and need neither a project nor a private table."
)
PACKAGE_FACTS = (
    "Release {release}, {rows}. The influence of any one {unit} is limited by ε = {epsilon} at δ = {delta} "
    "({neighbours})."
)
PRACTICE = "This is a practice run without a privacy guarantee. It is not a release."
NO_ACCURACY = "This release has no accuracy check. The table of the map lists its bounds."
