"""Words of the panel for the private file: where it is, how it is written, its names and those declared."""

from __future__ import annotations

from synth.app.project.describe.sources import Place
from synth.core.schema import DateOrder, LineBreaks

FILE_TITLE = "The private file"
FILE_NONE = "No file chosen yet. You can describe the columns first and choose the file later."
FILE_CHOSEN = {
    Place.DEMO: ":material/check: The invented table of the demo.",
    Place.FILE: ":material/check: A file in the data folder{named}. It stays where it is.",
    Place.FOLDER: (
        ":material/check: A folder in the data folder{named}: its files are one table and "
        "stay where they are."
    ),
    Place.PATTERN: (
        ":material/check: The files in the data folder that answer to a pattern{named}: they are one table "
        "and stay where they are."
    ),
    Place.TABLE: ":material/check: A table in a DuckDB file in the data folder{named}. It stays where it is.",
    Place.DATABASE: ":material/check: A table in a database, by the connection{named}. Its rows stay there.",
    Place.UPLOAD: ":material/check: An uploaded file{named}, kept in this project's own folder.",
}
FILE_NAMED = ", **{name}**"
FILE_UNREAD = "It stays unread until the run starts."
FILE_NAMES_READ = "The names of its columns have been read; its rows stay unread until the run starts."
FILE_COMPARED = "It has been read once, to compare it with the columns."
FILE_READ = "It has been read by a run."
FILE_ANOTHER = "Choose another file"
FILE_CHOOSE = "Choose the file"
FILE_BUTTON = "Use this file"
FILE_PLACE = "Where the table is"
FILE_PATH = "In the data folder"
FILE_UPLOAD = "On this computer"
FILE_DATABASE = "In a database"
PATH_LABEL = "File, folder or pattern, as a path inside the data folder"
PATH_HELP = (
    "CSV, Parquet, Arrow or DuckDB. A folder, or a pattern such as people-*.parquet, is one table of several "
    "files with one and the same header. Files stay where they are: nothing is copied, and any size will do. "
    "Only what lies under the data folder can be named. Whoever runs the app sets the folder with "
    "MARGINALIA_FOLDER."
)
TABLE_LABEL = "Table in it, where the file is of DuckDB and holds several"
CONNECTION_LABEL = "Name of the connection"
CONNECTION_HELP = (
    "Whoever runs the app writes connections into a file of their own (MARGINALIA_CONNECTIONS), with host, "
    "user, password and table. Here and in everything that is kept or published there is the name alone."
)
CONNECTION_NOTE = (
    "The rows stay in the database: it encodes them, caps the rows of a unit and counts, and only exact "
    "counts come here, to be given noise. **The database's own logs** may hold the queries, with the values "
    "declared here and how many rows there were, and, if a query fails, a cell that it failed on. They are "
    "as private as the table: ask who runs the database where they go and who reads them."
)
UPLOAD_LABEL = "Table (CSV, Parquet, Arrow or DuckDB, up to 200 MB)"
UPLOAD_HELP = (
    "It is moved, unread, into a folder only this app can open. Larger files go into the data folder."
)
FORMAT_TITLE = "How the file is written"
FORMAT_NOTE = (
    "This is declared too: the app does not try to find out. A number or a date in another "
    "form counts as blank, and so does a number whose thousands are parted, such as 3,638.28: take these "
    "marks out of the file first, or its large amounts are lost and only small ones stay. The synthetic CSV "
    "has decimal points and ISO dates whatever is declared here."
)
TYPED_NOTE = (
    "The columns of this table have types, which are read as they are; only what counts as blank is "
    "declared. A number that is stored as text is read with a decimal point, and a date as year-month-day. "
    "In any other form, 2,5 or 31.12.2025, it **counts as blank**: change the column's type in the table "
    "first, or use a CSV file, for which the form can be declared."
)
HEADER_LABEL = "The first line holds the names of the columns"
HEADER_HELP = "Without names the columns must be declared below in the order of the file, all of them."
DELIMITER_LABEL = "Between two cells stands"
DELIMITERS = {",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a bar"}
DECIMAL_LABEL = "Before the decimals stands"
DECIMALS = {".": "a point: 2.5", ",": "a comma: 2,5"}
DATES_LABEL = "Dates are written as"
DATES = {
    DateOrder.YEAR_FIRST: "2025-12-31",
    DateOrder.DAY_FIRST: "31.12.2025, 31/12/2025",
    DateOrder.MONTH_FIRST: "12/31/2025",
}
DATES_HELP = "Below, ranges of dates are typed as year-month-day in any case."
BREAKS_LABEL = "A line break inside quotes"
BREAKS = {
    LineBreaks.JOIN: "belongs to the text: the row goes on in the next line",
    LineBreaks.SPLIT: "ends the row: every line is a row of its own",
    LineBreaks.REFUSE: "must not occur: the file is then refused",
}
BREAKS_HELP = (
    "Only the first allows texts of several lines. With it, a quotation mark that somebody forgot can make "
    "one row of two, and the promise counts what was read as rows. With the second, every line counts for "
    "itself. With the third, a run stops before anything is asked."
)
MISSING_LABEL = "Read as blank"
MISSING_HELP = "Texts that stand for no answer, parted by commas. An empty cell is always blank."
MATCHED = "The names in the file and the columns declared here are the same."
NOT_IN_FILE = "Declared here, but not in the file: {names}. Rename or remove them, or the run cannot start."
NOT_DECLARED = "In the file, but not declared here: {names}. They will not be read."
ADD_BUTTON = "Add them"
