"""Texts of the guide: what to do in each step, in short lines, and why."""

from __future__ import annotations

from dataclasses import dataclass

SWITCH_HELP = "Short notes on each page. Your choice is saved."


@dataclass(frozen=True, kw_only=True)
class StepNotes:
    """Instructions for a step: `todo` contains short lines, and `why` explains them."""

    todo: str
    why: str


STEPS = {
    "unit": StepNotes(
        todo="Enter the number of rows of the busiest unit, not of a typical one.",
        why=(
            "The guarantee covers one privacy unit. Example: if the unit is a hospital visit, a "
            "person with forty visits has much less protection. Noise grows with the rows per unit, "
            "so a table with one row per person gives the best release."
        ),
    ),
    "schema": StepNotes(
        todo=(
            "Best source: a data dictionary that was written without this file.\n"
            "Exclude IDs, names and free text."
        ),
        why=(
            "A value list read from the file reveals who is in it: one rare diagnosis is enough. If "
            "a domain is unknown, estimate it with part of the budget. Fewer and wider bins lose "
            "detail, but their counts are more accurate."
        ),
    ),
    "rules": StepNotes(
        todo="You can skip this step.",
        why=(
            "Noise can create impossible combinations. A rule removes them and improves the counts "
            "around them for free. Rules that join many columns make the model large and slow."
        ),
    ),
    "budget": StepNotes(
        todo=(
            "Error too large? Use fewer bins, or give important columns a higher priority.\n"
            "Keep some budget if you plan another release for these people."
        ),
        why=(
            "Each measurement costs privacy, and costs add up over all releases for the same people. "
            "Epsilon limits the total. Other offices have used values from 1 to 10. Half the epsilon "
            "roughly doubles the error. Spent budget cannot be recovered."
        ),
    ),
    "method": StepNotes(
        todo="If unsure, keep the recommended method.",
        why=(
            "A method decides which marginals to measure, which costs budget. A generator turns the "
            "measurements into rows, as often as you like, for free. To try another method, you "
            "spend budget again."
        ),
    ),
    "run": StepNotes(
        todo=(
            "You can close the window and return to this address.\n"
            "After the run, check the results before you prepare another run."
        ),
        why=(
            "The cost is recorded before any row is read, and the ledger refuses what the limit does not "
            "cover. If you stop a run, budget for its measurements stays spent. A stopped run can be "
            "resumed and charges nothing twice."
        ),
    ),
    "results": StepNotes(
        todo="Check whether your use is accurate enough, and which pairs need care.",
        why=(
            "Everything here uses noisy measurements and synthetic rows only, so you may show it to "
            "anyone. Errors are differences from the private table, not errors in it."
        ),
    ),
    "steward": StepNotes(
        todo="Do not record these figures, and do not repeat runs until they look good.",
        why=(
            "Exact comparisons are not differentially private. Each choice based on them can reveal "
            "information that no ledger records. The report states that they were viewed and what "
            "changed afterwards."
        ),
    ),
    "compare": StepNotes(
        todo="Consider the cost: a run with a larger epsilon should be more accurate.",
        why=(
            "Runs are compared by the accuracy that each run measured. It is already paid for, so choosing "
            "by it is free."
        ),
    ),
    "release": StepNotes(
        todo="Complete the checklist and read the report.\nPublishing cannot be undone.",
        why=(
            "The release package has the rows, the data dictionary, the measurements, the statement "
            "and the report. After publication, its settings can no longer change."
        ),
    ),
}
