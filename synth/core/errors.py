"""What may go wrong, in sentences.

Two families that must not be mixed. A `Mistake` speaks about something the steward typed and quotes it.
A `Refusal` comes from the private side of the wall: its sentence is fixed beforehand, carries no value,
no count and no cause, and is told apart only by its code.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Literal


class MarginaliaError(Exception):
    """Base of every error this package raises on purpose; `str(error)` is a sentence for the steward, and
    `code` a word for machines."""

    exit_code = 1
    code: str = "mistake"


class Mistake(MarginaliaError):
    """Something the steward typed cannot be used: the sentence names it and says what to do next."""

    exit_code = 2


class NothingFound(Mistake):
    """What a run paid for came out empty, as it will again from the same answers: it cannot be resumed."""

    code = "nothing_found"


class BudgetRefused(MarginaliaError):
    """The budget line of a population does not cover a request.

    Units: integers of 1e-12 rho, or of 1e-18 delta where `currency` says so (lists bought with a threshold
    cost some). Nothing was asked of the data when this is raised.
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
        advice: str = "Ask for less, or raise the lifetime limit with a reason (ledger raise).",
    ) -> None:
        self.population, self.requested, self.left, self.currency = population, requested, left, currency
        self.missing = requested - left
        unit = 1e-12 if currency == "rho" else 1e-18
        super().__init__(
            f"The budget of population {population!r} does not cover this: requested {currency} "
            f"{requested * unit:.6g}, left {left * unit:.6g}, missing {self.missing * unit:.6g}. {advice}"
        )


class Code(StrEnum):
    """The fixed list of things the private side may say instead of an answer."""

    FILE_UNREADABLE = "file_unreadable"
    FILE_CHANGED = "file_changed"
    FILES_DIFFER = "files_differ"
    FILES_SAME = "files_same"
    FILE_UTF16 = "file_utf16"
    HEADER_OPEN = "header_open"
    HEADER_MISMATCH = "header_mismatch"
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
    QUESTION_INVALID = "question_invalid"
    INTERNAL = "internal"


SENTENCES: dict[Code, str] = {
    Code.FILE_UNREADABLE: "The private file could not be opened as a table. Check the path, the format and "
    "the permissions, then start again; nothing more was spent.",
    Code.FILE_CHANGED: "The private file is not the one this run began with. Put that file back and resume, "
    "or discard the run and start a new one; what was charged stays charged.",
    Code.FILES_DIFFER: "The files that were named are not one table: they are of several kinds, their "
    "headers or the types of their columns differ, or a folder lies among them. Name files of one kind with "
    "one and the same header, then start again; nothing more was spent.",
    Code.FILES_SAME: "Two of the files that were named are one file under two names, or copies of one "
    "another, so that each of its rows would count twice. Name every file once; rows that are truly there "
    "twice belong into one file. Then start again; nothing more was spent.",
    Code.FILE_UTF16: "The private file begins with the mark of UTF-16, but text is read as UTF-8. Save it "
    "again as CSV in UTF-8 (in a spreadsheet: save as CSV UTF-8), then start again; nothing more was spent.",
    Code.HEADER_OPEN: "The last name in the header of the private file begins with a quote that does not end "
    "on the same line. Put every name on one line, or end its quotes, then start again; nothing more was "
    "spent.",
    Code.HEADER_MISMATCH: "The header of the private file lacks a column that the schema declares. A name is "
    "another or stands twice, the file is empty, or its cells are parted by another sign than the schema "
    "says (its delimiter, a comma unless it names one). Compare the schema with the header, then start "
    "again; nothing more was spent.",
    Code.COLUMN_TYPE: "A declared column of the private file is of a type that holds no single values, "
    "such as a list or a structure. Leave it out (kind drop) or write the file anew, then start again; "
    "nothing more was spent.",
    Code.LINES_JOINED: "A text in quotes runs over several lines of the private file, which the "
    "declared format rules out. Mend the file, or declare that such lines are joined or that every line is a "
    "row, then start again; nothing more was spent.",
    Code.DATABASE_LOST: "The database did not answer: it cannot be reached, the connection was lost, or it "
    "stopped a query, be it for time or for a value that a view cannot cast. What was charged stays charged. "
    "When the table can be counted again, resume the run: nothing is charged twice.",
    Code.DATABASE_VALUES: "A category or ordered column has a type in the database whose values are not "
    "compared there as in a file. Text, whole numbers and true or false are (values declared as numbers need "
    "a column of numbers). Cast it in a view, or export the table as Parquet.",
    Code.DATABASE_NUMBER: "An integer or decimal column is in the database neither a whole number, nor "
    "double precision, nor a decimal of a declared precision. Cast it in a view, or export the table as "
    "Parquet.",
    Code.DATABASE_DATE: "A date column is in the database neither a date nor a moment without a time zone. "
    "Cast it in a view, or export the table as Parquet.",
    Code.DATABASE_UNIT: "The column that says whose row it is is in the database neither text nor a whole "
    "number. Cast it in a view, or export the table as Parquet.",
    Code.ROWS_ELSEWHERE: "This asks for more than counts, and from a database only counts come. Choose "
    "another method, declare what was to be bought, or export the table as Parquet.",
    Code.ANSWER_MISMATCH: "This run already holds an answer to another question at the same step. The code, "
    "the schema or the rules have changed since; start a new run.",
    Code.RUN_CLOSED: "This run was closed; it cannot ask anything more. Start a new run.",
    Code.LEDGER_BROKEN: "The ledger's chain of records does not verify. Stop, keep the file, and restore it "
    "from a copy that matches your last receipt.",
    Code.LEDGER_BUSY: "The ledger is busy: another run has been writing in it all the time. No answer "
    "was given that it does not hold. Wait until the other run has finished, then try again.",
    Code.LEDGER_UNAVAILABLE: "The ledger could not be opened or written. No answer was given that it does "
    "not hold. Check the disk and the permissions of the ledger file; marginalia where tells which file "
    "that is.",
    Code.QUESTION_INVALID: "A mechanism asked something the private side does not answer. Nothing was spent "
    "for it; report this as a fault of the program.",
    Code.INTERNAL: "The private side stopped for a reason it does not tell. What was charged stays charged; "
    "resume the run to continue from its stored answers.",
}


class Refusal(MarginaliaError):
    """An answer from behind the wall that is not an answer; carries a code and a fixed sentence only."""

    exit_code = 4
    code: Code

    def __init__(self, code: Code) -> None:
        self.code = code
        super().__init__(SENTENCES[code])


class Cancelled(MarginaliaError):
    """The steward stopped the run; what was charged stays charged and its answers stay usable."""

    exit_code = 5
    code = "cancelled"
