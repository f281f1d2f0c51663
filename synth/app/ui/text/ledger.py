"""Words of the ledger page."""

from __future__ import annotations

LEAD = (
    "What has been promised to whom, and how much of it is used up. One line for each population, whichever "
    "files and projects the releases came from. A charge is never taken back."
)
BOOK_LABEL = "Which ledger"
BOOKS = {False: "Real releases", True: "Rehearsals"}
BOOK_NOTE = "Rehearsals have a ledger of their own. It protects nobody and uses up nothing."
EMPTY = "No release yet. No budget is touched: a line is opened with the first run about a population."
LINES_TITLE = "Lifetime budgets"
LINES_NOTE = (
    "Reserved is what open runs may still ask for; what they do not ask is free again when they are closed. "
    "The scale is rho, on which prices add up: half the epsilon costs about a quarter of the rho."
)
RUNS_TITLE = "Releases"
RUNS_NOTE = (
    "Epsilon is what a run's charges amount to by themselves, at the delta of the lifetime limit; the papers "
    "of a release tell it at that release's own delta. Epsilons of several runs do not add up; the shares "
    "of the limit do."
)
RUNS_NONE = "No release matches. Choose another filter."
POPULATION_FILTER = "Population"
POPULATION_ALL = "All populations"
STATE_FILTER = "State"
STATES = {"all": "All", "open": "Open", "closed": "Closed"}
EXPORT_BUTTON = "Export this list (CSV)"
EXPORT_NAME = "ledger.csv"
RAISE_TITLE = "Raise a lifetime limit"
RAISE_NOTE = (
    "A limit is a promise to people. Raising it after the first release ends that promise, for the earlier "
    "releases too, and puts a weaker one in its place; every later report says so. It cannot be lowered "
    "again, and the reason stays on record for everyone to read."
)
RAISE_LIMIT = "New limit (epsilon), in all"
RAISE_DELTA = "At which allowance (delta)"
RAISE_DELTA_HELP = (
    "The chance with which the limit may fail. A hundredth of it is for buying value lists; raise it only if "
    "a run asks for that."
)
RAISE_REASON = "Reason, and who decided"
RAISE_BUTTON = "Raise the limit"
RAISED = "The limit of {population} is now {limit}. The reason is on record."
NOT_ALLOWED = "Only an approver can raise a limit. Ask {approver}."
CHECK_TITLE = "Check the record"
CHECK_NOTE = (
    "Reads the ledger from its first entry to its last: every entry must obey the rules, and each is chained "
    "to the one before by a checksum."
)
CHECK_BUTTON = "Check now"
WHOLE = "The record is whole: every entry obeys the rules and the chain has no gap."
BROKEN = "The record was changed from outside or is damaged. Start no run, and ask whoever runs this app."
