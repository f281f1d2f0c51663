"""Texts of the Ledger page."""

from __future__ import annotations

LEAD = "Privacy budget used and remaining for each population. Charges cannot be reversed."

BOOKS = {False: "Real releases", True: "Practice runs"}

EMPTY = "No release yet. The first run about a population creates its lifetime budget."

LINES_HELP = (
    "Reserved: budget set aside for runs in progress. Unused budget is released when the run is closed. "
    "Percentages are shares of the lifetime budget. Losses add up as squares, so half the epsilon uses a "
    "little more than a quarter. *Given up*: lost to another accounting rule, since a run trained privately."
)

RUNS_HELP = (
    "Epsilon is shown at the delta of the lifetime limit, so it can differ from a release's report. Do not "
    "add epsilons; the shares of the limit do add up."
)

POPULATION_FILTER = "Population"


STATES = {"all": "All", "open": "Open", "closed": "Closed"}


RAISE_NOTE = (
    "Raising a limit ends the earlier guarantee, including for releases already published. A weaker "
    "guarantee replaces it, and later reports state this. The limit cannot be lowered again. The reason is "
    "recorded and visible to everyone."
)


RAISED = "The limit of {population} is now {limit}. The reason is recorded."
NOT_ALLOWED = "Only an approver can raise a limit. Ask {approver}."


WHOLE = "The ledger is intact: every entry is valid and the chain has no gap."
BROKEN = (
    "The ledger was changed by another program or is damaged. Do not start a run; ask your administrator."
)
