"""Texts of the Release page: checks, publication details, and the published release."""

from __future__ import annotations

import math
from collections.abc import Sequence

from synth.app.project.results.publication import ChecklistPoint, Settled, Topic
from synth.app.project.results.released import RedFlag
from synth.app.ui.text import number_of, plain
from synth.app.ui.text.results import held

RUN_HELP = "If private data was viewed before, the report records that you chose between runs."

# Checks


SIGNS = {
    Settled.DONE: ":green[:material/check_circle:]\N{NO-BREAK SPACE}done",
    Settled.OPEN: ":orange[:material/radio_button_unchecked:]\N{NO-BREAK SPACE}to\N{NO-BREAK SPACE}do",
    Settled.NOTE: ":blue[:material/info:] note",
    Settled.BLOCKED: ":red[:material/block:] blocks",
}

REHEARSAL = "A practice run has predictable noise and cannot be published."


DOMAIN_DECLARED = "Declared, or estimated with part of the budget."
DOMAIN_READ = "Read from the file, which is declared public: {names}. The guarantee does not cover this."
CHOICES_NONE = "None."


# Form

WORDS_HELP = "Printed in the report, the statement and the README, so it becomes public."

FIELD_DONE, FIELD_OPEN = ":green[:material/check_circle:]", ":orange[:material/radio_button_unchecked:]"


LICENCES = (
    "CC0 1.0 (public domain)",
    "CC BY 4.0 (name the source)",
    "CC BY-SA 4.0 (name the source, share alike)",
    "CC BY-NC 4.0 (name the source, not commercial)",
    "ODC-BY 1.0 (name the source)",
    "By agreement only: not to be passed on",
)


APPROVE_HELP = "The report prints your name. If the details above change, your approval lapses."

APPROVERS_ASK = "Approval is given by {names} on this page. Send them its address."
SAME_NAME = "Both approvals have the same name. A second person must approve."

# Choices

CHOICES_HELP = (
    "The app records when numbers of the private table were shown, and what changed before the next run. "
    "Add any other choice that you made because of them."
)

CHOICE_HELP = "State what you chose and why. Do not enter a number you saw: the report is public."
CHOICE_PLACEHOLDER = "Excluded the column income after the private evaluation."


# Preview


# Publish


# After
PUBLISHED = "Release **{release}** was published on {day}. It was checked after it was written."
FROZEN = "Its settings are read-only. A new release starts from a copy and needs its own run."
DOWNLOAD_NOTE = "Synthetic table, data dictionary, noisy measurements, statement and report, with checksums."


NEW_HELP = "Copies these settings into a new draft. The published release stays as it is."


FORMATS_NOTE = (
    "The same rows, with labels of values and variables. *CSV like the source* has the decimal sign and the "
    "dates of the declared file."
)
ROWS_FORMS = {"parquet": "Parquet", "csv": "CSV"}


ROWS_FLAGGED = "These rows must not be published.\n\n{flags}"


VERIFY_CODE = "sha256sum -c CHECKSUMS.sha256\nmarginalia verify ."


def describe(point: ChecklistPoint) -> str:
    """Format the result of a check."""
    facts, is_done = point.facts, point.settled is Settled.DONE
    match point.topic:
        case Topic.REAL:
            return (
                "The random numbers for the noise came from the operating system." if is_done else REHEARSAL
            )
        case Topic.FLAGS:
            return "None." if is_done else flags_in_short(facts["flags"])
        case Topic.RULES:
            kept = held(facts["rules"], facts["never_blank"])
            return rules_hold(facts["broken"], kept) if kept else "No rule was declared."
        case Topic.DOMAIN:
            return DOMAIN_DECLARED if is_done else DOMAIN_READ.format(names=", ".join(facts["columns"]))
        case _:
            lines = facts["lines"]
            return (
                f"{number_of(lines, 'line')} in the report, with the choice of this table."
                if lines
                else CHOICES_NONE
            )


def field(label: str, value: object) -> str:
    """Return the label of a required field, with a sign that shows whether it is filled in."""
    return f"{FIELD_DONE if value else FIELD_OPEN} {label}"


def flags_in_short(flags: Sequence[RedFlag]) -> str:
    """State how many warnings there are, and how many block the release.

    >>> flags_in_short([RedFlag(sentence="a", blocks=False)])
    '1 warning, see below. 0 block the release.'
    """
    blocking = sum(flag.blocks for flag in flags)
    block = "blocks" if blocking == 1 else "block"
    return f"{number_of(len(flags), 'warning')}, see below. {blocking:,} {block} the release."


def flags(found: Sequence[RedFlag]) -> str:
    """Format a line for each warning."""
    signs = {True: ":red[:material/block:]", False: ":blue[:material/flag:]"}
    return "\n".join(f"- {signs[flag.blocks]} {plain(flag.sentence)}" for flag in found)


def rules_hold(broken: int, held: str) -> str:
    """State whether the synthetic rows satisfy the rules.

    >>> rules_hold(0, "2 rules"), rules_hold(3, "1 rule")
    ('All rows satisfy the 2 rules.', '3 violations of 1 rule.')
    """
    return f"{number_of(broken, 'violation')} of {held}." if broken else f"All rows satisfy the {held}."


def locked(names: tuple[str, ...]) -> str:
    """State why the button is disabled."""
    return f"Missing before you can publish: {', '.join(plain(name) for name in names)}."


def size(amount: int) -> str:
    """Format a number of bytes.

    >>> size(900), size(2_500_000), size(31_000_000_000)
    ('less than 1 MB', '3 MB', '31.0 GB')
    """
    if amount < 10**6:
        return "less than 1 MB"
    return f"{math.ceil(amount / 10**6)} MB" if amount < 10**9 else f"{amount / 10**9:.1f} GB"


def at_most(amount: int) -> str:
    """Format an estimate of the number of bytes that a file will need.

    >>> at_most(900), at_most(2_500_000)
    ('less than 1 MB', 'up to about 3 MB')
    """
    return size(amount) if amount < 10**6 else f"up to about {size(amount)}"
