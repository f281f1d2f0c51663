"""Define the errors that this package raises deliberately.

There are two kinds of errors, and they must not be mixed. A `Mistake` is about the steward's input and quotes
it. A `Refusal` comes from the private side: its message is fixed and contains no value, no count and no
cause.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from typing import Literal

UNSPENT = "No budget was spent."


class MarginaliaError(Exception):
    """Base class of deliberate errors.

    `str(error)` is a message for the steward, and `code` is an identifier for programs.
    """

    exit_code = 1
    code: str = "mistake"


class Mistake(MarginaliaError):
    """Invalid input. The message names the input and explains what to do next."""

    exit_code = 2


class NothingFound(Mistake):
    """A query that used budget returned nothing that the run can use.

    Repeating the query would return nothing again, so the run cannot be resumed.
    """

    code = "nothing_found"


class BudgetRefused(MarginaliaError):
    """The lifetime budget of a population does not cover a request. The query was not made.

    Amounts are integers, in units of 1e-12 rho, or of 1e-18 delta if `currency` is "delta" (the thresholds of
    estimated lists use delta). `amounts` states them in words; the default is in rho or delta.
    """

    exit_code = 3
    code = "budget_refused"

    def __init__(
        self,
        population: str,
        *,
        requested: int,
        left: int,
        currency: Literal["rho", "delta"] = "rho",
        amounts: str = "",
        advice: str = "Request less, or raise the lifetime limit with a reason (ledger raise).",
    ) -> None:
        self.population, self.requested, self.left, self.currency = population, requested, left, currency
        self.missing = requested - left
        unit = 1e-12 if currency == "rho" else 1e-18
        amounts = amounts or (
            f"requested {currency} {requested * unit:.6g}, left {left * unit:.6g}, missing "
            f"{self.missing * unit:.6g}"
        )
        super().__init__(f"The budget of population {population!r} does not cover this: {amounts}. {advice}")


class Unfit(MarginaliaError):
    """Too many cells of the private table do not fit its declaration. The run has stopped after the columns.

    The figures are noisy, so they can be published. The charged budget stays spent, and the run can continue.
    `kept` is the share of the run's budget that is not spent; None before it is known.
    """

    exit_code = 7
    code = "unfit"

    def __init__(self, phrases: Sequence[str], *, kept: float | None = None) -> None:
        self.phrases, self.kept = tuple(phrases), kept
        sentence = f"The table does not fit its declaration: {'; '.join(phrases)}."
        if kept is not None:
            sentence += (
                " The run stopped after measuring the columns. "
                f"{100 - 100 * kept:.3g}% of its budget is spent and stays spent; {100 * kept:.3g}% is left."
            )
        super().__init__(sentence)


class Code(StrEnum):
    """The fixed list of reasons for refusals of the private side."""

    FILE_UNREADABLE = "file_unreadable"
    FILE_CHANGED = "file_changed"
    FILE_UNKNOWN = "file_unknown"
    FILES_DIFFER = "files_differ"
    FILES_SAME = "files_same"
    FILE_KIND = "file_kind"
    FILE_SLOW = "file_slow"
    ARCHIVE = "archive"
    SHEET = "sheet"
    HEADER_OPEN = "header_open"
    HEADER_MISMATCH = "header_mismatch"
    HEADER_REPEATED = "header_repeated"
    HEADER_SINGLE = "header_single"
    COLUMN_TYPE = "column_type"
    LINES_JOINED = "lines_joined"
    DATABASE_LOST = "database_lost"
    DATABASE_VALUES = "database_values"
    DATABASE_NUMBER = "database_number"
    DATABASE_DATE = "database_date"
    DATABASE_UNIT = "database_unit"
    ROWS_ELSEWHERE = "rows_elsewhere"
    ANSWER_MISMATCH = "answer_mismatch"
    RUN_CLOSED = "run_closed"
    LEDGER_BROKEN = "ledger_broken"
    LEDGER_BUSY = "ledger_busy"
    LEDGER_UNAVAILABLE = "ledger_unavailable"
    QUERY_INVALID = "question_invalid"
    DISK_FULL = "disk_full"
    INTERNAL = "internal"


SENTENCES: dict[Code, str] = {
    Code.FILE_UNREADABLE: (
        "The private file cannot be opened as a table: it is missing, damaged, not "
        "readable, protected by a password, or not in the format of its file extension. "
        "Check it, or save it again. This step spent no budget."
    ),
    Code.FILE_CHANGED: "The private file is not the one this run started with. Put that file back and "
    "resume, or discard the run and start a new one. Budget already spent stays spent.",
    Code.FILE_UNKNOWN: "This run has measured its private file, but its record of the file (vault.json) is "
    "missing, so the file cannot be checked. Restore the folder of the run and resume, or discard the run "
    "and start a new one. Budget already spent stays spent.",
    Code.FILES_DIFFER: "The files are not one table: they have different formats, headers or column types, "
    "or include a folder. Choose files of one format with the same header. This step spent "
    "no budget.",
    Code.FILES_SAME: "Two of the files are the same file or copies of each other, so their rows would "
    "count twice. Name each file once. This step spent no budget.",
    Code.FILE_KIND: (
        "The private file is not text: it is compressed, a workbook or another kind of file. "
        "Give it the file extension of its kind, such as .gz, .zip, .xlsx or .parquet. This step "
        "spent no budget."
    ),
    Code.FILE_SLOW: "Reading the private file needs more than an hour of processor time, the limit for "
    "workbooks and statistics files. Save the table as CSV or Parquet. This step spent no budget.",
    Code.ARCHIVE: (
        "The zip file must contain exactly one CSV file, without a password. Put only the table "
        "into it, or unzip it. This step spent no budget."
    ),
    Code.SHEET: "The workbook has no sheet with the declared name. Declare the name of its sheet, or leave "
    "it out for the first sheet. This step spent no budget.",
    Code.HEADER_OPEN: "The last name in the file header starts with a quote that does not end on the same "
    "line. Put each name on one line, or close its quote. This step spent no budget.",
    Code.HEADER_MISMATCH: "A declared column is missing from the table; `marginalia check` names it. Check "
    "the names of the columns, the lines above the header, and for an empty file. This step spent no budget.",
    Code.HEADER_REPEATED: (
        "A declared column occurs twice in the table, or two column names differ only in "
        "case or blanks. Rename one of them in the table. This step spent no budget."
    ),
    Code.HEADER_SINGLE: (
        "The table has only one column, but several are declared. The file probably uses "
        "another delimiter, such as a semicolon or a tab, or has a title above the header. "
        "Declare the delimiter or the lines to skip. This step spent no budget."
    ),
    Code.COLUMN_TYPE: (
        "The cells of a declared column are lists, structures or durations, not single values. Exclude "
        "the column (kind drop), or convert it to text or numbers, such as hours. This step spent no budget."
    ),
    Code.LINES_JOINED: (
        "A quoted text in the private file spans several lines, which the declared format "
        "does not allow. Correct the file, or declare how line breaks are read. This step "
        "spent no budget."
    ),
    Code.DATABASE_LOST: "The database did not answer: the connection failed, or it stopped a query that took "
    "too long or met a value that a view cannot cast. Budget already spent stays spent. Resume the run "
    "later; nothing is charged twice.",
    Code.DATABASE_VALUES: "A categorical column has an unsupported database type. Supported: text, integer, "
    "boolean (numeric values need a numeric column). Cast the column in a view, or "
    "export the table as Parquet.",
    Code.DATABASE_NUMBER: "A numeric column has an unsupported database type. Supported: integer, double "
    "precision, decimal with a declared precision. Cast the column in a view, or export "
    "the table as Parquet.",
    Code.DATABASE_DATE: "A date column has an unsupported database type. Supported: date, and timestamp "
    "without a time zone. Cast the column in a view, or export the table as Parquet.",
    Code.DATABASE_UNIT: "The ID column has an unsupported database type. Supported: text and integer. Cast "
    "the column in a view, or export the table as Parquet.",
    Code.ROWS_ELSEWHERE: "This needs row-level access, but database sources only return counts. Choose "
    "another method, enter the domains yourself, or export the table as Parquet.",
    Code.ANSWER_MISMATCH: "This run already has the result of another query at the same step. The program, "
    "the schema or the rules have changed since. Start a new run.",
    Code.RUN_CLOSED: "This run is closed and cannot run further queries. Start a new run.",
    Code.LEDGER_BROKEN: "The ledger's chain of records does not verify. Stop, keep the file, and restore a "
    "copy that matches your last receipt.",
    Code.LEDGER_BUSY: (
        "The ledger is locked by another run. All results so far are recorded. Try again "
        "when that run has finished."
    ),
    Code.LEDGER_UNAVAILABLE: (
        "The ledger cannot be opened or written. All results so far are recorded. "
        "Check the disk and the permissions of the ledger file; `marginalia where` "
        "prints its path."
    ),
    Code.QUERY_INVALID: (
        "A method made a query that the private side does not support. No budget was spent "
        "on it. Please report this as a bug."
    ),
    Code.DISK_FULL: (
        "The disk is full, or your quota on it is used up. Free some space, then resume: nothing is charged "
        "twice. Budget already spent stays spent. `marginalia where` prints the folders in use."
    ),
    Code.INTERNAL: "The run stopped. The cause is hidden because it could reveal private data. Budget "
    "already spent stays spent. Resume to continue from the saved measurements.",
}


_FULL = (errno.ENOSPC, errno.EDQUOT)
_SQLITE_FULL = 13


def is_disk_full(error: BaseException) -> bool:
    """Return whether an error of the operating system or of SQLite means that there is no space on a disk."""
    is_full = isinstance(error, OSError) and error.errno in _FULL
    return is_full or getattr(error, "sqlite_errorcode", None) == _SQLITE_FULL


class Refusal(MarginaliaError):
    """A refusal of the private side, which has only a code and a fixed message."""

    exit_code = 4
    code: Code

    def __init__(self, code: Code) -> None:
        self.code = code
        super().__init__(SENTENCES[code])


class Cancelled(MarginaliaError):
    """The steward stopped the run. Its budget stays spent, and its measurements can still be used."""

    exit_code = 5
    code = "cancelled"


@contextmanager
def unspent() -> Iterator[None]:
    """Add a note to any error in this block that no budget was spent, unless its message states a cost.

    Use it for everything that is checked before a run reserves budget.
    """
    try:
        yield
    except MarginaliaError as error:
        if not states_cost(with_notes(error)):
            error.add_note(UNSPENT)
        raise


def states_cost(sentence: str) -> bool:
    """Return whether the message of an error states what was spent."""
    return re.search(r"\bbudget\b[^.]*\bspent\b|\bspent\b[^.]*\bbudget\b", sentence) is not None


def with_notes(error: BaseException) -> str:
    """Return the message of an error, followed by its notes."""
    notes = error.__notes__ if hasattr(error, "__notes__") else ()
    return " ".join(filter(None, [str(error), *notes]))
