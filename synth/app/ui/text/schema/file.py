"""Texts of the panel for the private file: its place, its format, and its column names."""

from __future__ import annotations

from synth.app.project.describe.sources import Place
from synth.core.schema import DateOrder, LineBreaks

FILE_CHOSEN = {
    Place.DEMO: ":material/check: The invented table of the demo.",
    Place.FILE: ":material/check: A file in the data folder{named}. It stays where it is.",
    Place.FOLDER: (
        ":material/check: A folder in the data folder{named}: its files are one table and "
        "stay where they are."
    ),
    Place.PATTERN: (
        ":material/check: The files in the data folder that match a pattern{named}: they are one table and "
        "stay where they are."
    ),
    Place.TABLE: ":material/check: A table in a DuckDB file in the data folder{named}. It stays where it is.",
    Place.DATABASE: (
        ":material/check: A table in a database, through the connection{named}. Its rows stay there."
    ),
    Place.UPLOAD: ":material/check: An uploaded file{named}, kept in this project's own folder.",
}


FILE_NAMES_READ = "Its column names have been read. Its rows stay unread until the run starts."

FILE_READ = "It has been read by a run."


FILE_PATH = "In the data folder"
FILE_UPLOAD = "On this computer"

PATH_LABEL = "File, folder or pattern, as a path inside the data folder"
PATH_HELP = (
    "CSV (also .gz or .zip), Excel (.xlsx), SPSS, Stata, SAS, Parquet, Arrow or DuckDB. A folder or a "
    "pattern such as people-*.parquet is one table of files with the same header. Nothing is copied. Your "
    "administrator sets the folder (MARGINALIA_FOLDER)."
)


CONNECTION_HELP = (
    "Your administrator defines connections (MARGINALIA_CONNECTIONS). Only the name is stored and published."
)
CONNECTION_NOTE = (
    "The rows stay in the database. It encodes and counts them, and only exact counts leave it. "
    "**The database's logs** may contain the queries, declared values, row counts, and cells of "
    "failed queries. Ask who can read them."
)
UPLOAD_LABEL = "Table (CSV, Excel, SPSS, Stata, SAS, Parquet, Arrow or DuckDB, up to 200 MB)"
UPLOAD_HELP = (
    "It is stored, unread, in a folder that only this app can open. Put larger files into the data folder."
)

FORMAT_NOTE = (
    "Declare the format; the app does not guess. Numbers and dates in another form count as blank. Currency "
    "signs, per cent signs and units are recognised. The synthetic CSV has decimal points and ISO dates."
)
TYPED_NOTE = (
    "This table has column types. Declare how numbers and dates are written in columns of text; in another "
    "form they count as blank."
)
DATABASE_NOTE = "This table has column types; declare only what counts as blank."
HEADER_LABEL = "The first line has the column names"
SHEET_HELP = "The name of the sheet with the table. Leave empty for the first sheet."
SKIP_HELP = "Lines or sheet rows above the column names, such as a title."
NOTES_HELP = (
    "Beginnings of notes and totals in the table, separated by commas, such as: Source, Total. A row whose "
    "first cell begins with one of them is left out."
)
HEADER_HELP = "Without names, declare all columns in the order of the file."

DELIMITERS = {",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a bar"}

DECIMALS = {".": "a point: 2.5", ",": "a comma: 2,5"}

DATES = {
    DateOrder.YEAR_FIRST: "2025-12-31",
    DateOrder.DAY_FIRST: "31.12.2025, 31/12/25",
    DateOrder.MONTH_FIRST: "12/31/2025, 12/31/25",
    DateOrder.SERIAL: "46022 (Excel's day numbers)",
}
DATES_HELP = (
    "Dates with the year first or with a month name are always recognised. On this page, type dates as "
    "year-month-day."
)

THOUSANDS = {"": "nothing, a space or an apostrophe: 12 500", ",": "a comma: 12,500", ".": "a point: 12.500"}
THOUSANDS_HELP = "What separates thousands. By default, a number with such a comma or point counts as blank."
YEARS_HELP = "If it is 1930 (the default), 97 is 1997 and 29 is 2029."


BREAKS = {
    LineBreaks.JOIN: "belong to the text: the row continues",
    LineBreaks.SPLIT: "end the row: each line is a row",
    LineBreaks.REFUSE: "must not occur: the file is refused",
}
BREAKS_HELP = (
    "Only the first option allows text that spans several lines. Then a forgotten quotation mark can join "
    "two rows. With the second, each line is a row. With the third, a run stops before any query."
)

MISSING_HELP = "Entries that stand for a missing value, separated by commas. An empty cell is always missing."

RESPELLED = "Spelled differently in the file, but recognised: {names}."
NOT_IN_FILE = "Declared, but not in the file: {names}. Rename or remove them."
NOT_DECLARED = "In the file, but not declared: {names}. They will not be read."
