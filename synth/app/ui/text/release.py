"""Texts of the release page: checks, publication details, and the published release."""

from __future__ import annotations

import math
from collections.abc import Sequence

from synth.app.project.results.publication import ChecklistPoint, Settled, Topic
from synth.app.project.results.released import RedFlag
from synth.app.ui.text import number_of, plain
from synth.app.ui.text.results import held

LEAD = "Publish one finished run as a release package with its report."
RUN_LABEL = "Run to publish"
RUN_HELP = "Choosing between runs is recorded in the report if private data was viewed before."

# Checks
LIST_TITLE = "Checks"
LIST_ALT = "{done} of {all} checks are done."
SIGNS = {
    Settled.DONE: ":green[:material/check_circle:]\N{NO-BREAK SPACE}done",
    Settled.OPEN: ":orange[:material/radio_button_unchecked:]\N{NO-BREAK SPACE}to\N{NO-BREAK SPACE}do",
    Settled.NOTE: ":blue[:material/info:] note",
    Settled.BLOCKED: ":red[:material/block:] blocks",
}
REAL = "The noise came from the operating system."
REHEARSAL = "A practice run has predictable noise and cannot be published."
FLAGS_NONE = "None."
FLAGS_TITLE = "Warnings"
FLAGS_SEE = "Show on Results"
RULES_NONE = "No rule was declared."
DOMAIN_DECLARED = "Declared, or estimated with budget."
DOMAIN_READ = "Read from the file, which is declared public: {names}. The guarantee does not cover this."
CHOICES_NONE = "None."
MISSING = "missing"

# Form
WORDS_TITLE = "Publication details"
WORDS_HELP = "Printed in the report, the statement and the README. It becomes public."
FIELD = "{icon} {label}"
FIELD_DONE, FIELD_OPEN = ":green[:material/check_circle:]", ":orange[:material/radio_button_unchecked:]"
USE_LABEL = "Intended use"
USE_PLACEHOLDER = "Teaching and exploratory analysis of commuting. Not for decisions about individuals."
LICENCE_LABEL = "Licence"
LICENCE_PLACEHOLDER = "Choose one, or type another"
LICENCE_HELP = "What others may do with the table. CC0 and CC BY are usual for open data."
LICENCES = (
    "CC0 1.0 (public domain)",
    "CC BY 4.0 (name the source)",
    "CC BY-SA 4.0 (name the source, share alike)",
    "CC BY-NC 4.0 (name the source, not commercial)",
    "ODC-BY 1.0 (name the source)",
    "By agreement only: not to be passed on",
)
CONTACT_LABEL = "Contact"
CONTACT_HELP = "Prefer an office or a shared address. It stays public."
CONTACT_PLACEHOLDER = "Statistics office, data@example.org"
APPROVER_LABEL = "Approved by"
SECOND_LABEL = "Second approval"
SECOND_OPTIONAL = "Second approval (optional)"
APPROVE_BUTTON = "Approve release"
APPROVE_HELP = "The report prints your name. If the details above change, your approval lapses."
APPROVED_ALREADY = "You have approved this release with these details."
APPROVERS_ASK = "Approval is given by {names} on this page. Send them its address."
SAME_NAME = "Both approvals have the same name. A second person must approve."

# Choices
CHOICES_TITLE = "Choices after viewing private data"
CHOICES_HELP = (
    "The app records when numbers of the private table were shown, and what changed before the next run. "
    "Add any "
    "other choice you made because of them."
)
CHOICE_LABEL = "Another choice"
CHOICE_HELP = "State what you chose and why. Do not enter a number you saw: the report is public."
CHOICE_PLACEHOLDER = "Excluded the column income after the private evaluation."
CHOICE_BUTTON = "Add to report"
CHOICE_LATE = "Add to next report"

# Preview
PREVIEW_TITLE = "Report"
PREVIEW_SHOW = "Show the report"
PREVIEW_ALT = "The privacy report of this release."

# Publish
PUBLISH_TITLE = "Publish"
PUBLISH_NOTE = "A published release cannot be recalled or changed. Publishing uses no budget."
READ_LABEL = "I have read the report and take responsibility for publishing it."
PUBLISH_BUTTON = "Publish release"
OWNER_PUBLISHES = "The owner of this project publishes it."
PUBLISHING_TITLE = "Publishing"
PUBLISHING = "Starting"
PUBLISHING_NOTE = "The release is being written and checked. You can leave this page."

# After
PUBLISHED = "Release **{release}** was published on {day}. It was checked after it was written."
FROZEN = "Its settings are read-only. A new release starts from a copy and needs a run of its own."
DOWNLOAD_NOTE = "Synthetic table, data dictionary, noisy measurements, statement and report, with checksums."
DOWNLOAD_BUTTON = "Download release (zip)"
NEW_BUTTON = "Start new release"
NEW_HELP = "Copies these settings into a new draft. The published release stays as it is."
ROWS_TITLE = "More rows (free)"
ROWS_NOTE = "Generate any number of rows from the same measurements. More rows do not add information."
ROWS_LABEL = "Rows"
ROWS_FORM = "Format"
ROWS_FORMS = {"parquet": "Parquet", "csv": "CSV"}
ROWS_OUTLOOK = "Takes {time} and {size} on the disk of this server. Uses no budget."
ROWS_BUTTON = "Generate rows"
ROWS_STARTING = "reading the measurements"
ROWS_STOP = "Stop"
ROWS_STOP_HELP = "Deletes the part that was written. No budget was spent."
ROWS_FILE = "**{name}**, {size}."
ROWS_PLACE = "Too large for a browser. The file is on this server:"
ROWS_DOWNLOAD = "Download"
ROWS_REMOVE = "Delete"
ROWS_FLAGGED = "These rows must not be published.\n\n{flags}"
SAID_TITLE = "Publication details"
SAID_ALT = "The details of the publisher, as printed."
VERIFY_TITLE = "Verification"
VERIFY_NOTE = "Anyone can check that the release is complete and consistent:"
VERIFY_CODE = "sha256sum -c CHECKSUMS.sha256\npython -m synth verify ."


def describe(point: ChecklistPoint) -> str:
    """The result of a check."""
    facts, is_done = point.facts, point.settled is Settled.DONE
    match point.topic:
        case Topic.REAL:
            return REAL if is_done else REHEARSAL
        case Topic.FLAGS:
            return FLAGS_NONE if is_done else flags_in_short(facts["flags"])
        case Topic.RULES:
            kept = held(facts["rules"], facts["never_blank"])
            return rules_hold(facts["broken"], kept) if kept else RULES_NONE
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
    """The label of a required field, with a sign for whether it is filled in."""
    return FIELD.format(icon=FIELD_DONE if value else FIELD_OPEN, label=label)


def flags_in_short(flags: Sequence[RedFlag]) -> str:
    """How many warnings there are, and how many block the release.

    >>> flags_in_short([RedFlag(sentence="a", blocks=False)])
    '1 warning, see below. 0 block the release.'
    """
    blocking = sum(flag.blocks for flag in flags)
    block = "blocks" if blocking == 1 else "block"
    return f"{number_of(len(flags), 'warning')}, see below. {blocking:,} {block} the release."


def flags(found: Sequence[RedFlag]) -> str:
    """A line for each warning."""
    signs = {True: ":red[:material/block:]", False: ":blue[:material/flag:]"}
    return "\n".join(f"- {signs[flag.blocks]} {plain(flag.sentence)}" for flag in found)


def rules_hold(broken: int, held: str) -> str:
    """Whether the synthetic rows satisfy the rules.

    >>> rules_hold(0, "2 rules"), rules_hold(3, "1 rule")
    ('All rows satisfy the 2 rules.', '3 violations of 1 rule.')
    """
    return f"{number_of(broken, 'violation')} of {held}." if broken else f"All rows satisfy the {held}."


def locked(names: tuple[str, ...]) -> str:
    """Why the button is disabled."""
    return f"Missing before you can publish: {', '.join(plain(name) for name in names)}."


def size(amount: int) -> str:
    """A number of bytes.

    >>> size(900), size(2_500_000), size(31_000_000_000)
    ('less than 1 MB', '3 MB', '31.0 GB')
    """
    if amount < 10**6:
        return "less than 1 MB"
    return f"{math.ceil(amount / 10**6)} MB" if amount < 10**9 else f"{amount / 10**9:.1f} GB"


def at_most(amount: int) -> str:
    """About how many bytes something will take.

    >>> at_most(900), at_most(2_500_000)
    ('less than 1 MB', 'up to about 3 MB')
    """
    return size(amount) if amount < 10**6 else f"up to about {size(amount)}"
