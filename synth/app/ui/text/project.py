"""Texts of the Project page: create, find and continue a project."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence

from synth.app.project.journey import Step
from synth.app.project.portable import PortableProject
from synth.app.project.removal import Remains
from synth.app.project.runs import method_title
from synth.app.project.starting import Match
from synth.app.project.store import Limits
from synth.app.ui import text
from synth.core.request import People

DEMO_BODY = (
    "An invented town survey with all settings filled in. It takes 2 minutes and uses a practice ledger."
)


START_ALT = "Differential privacy turns a private table into a synthetic table and a report."
LEAD = (
    "Turn a private table into synthetic data with differential privacy: new rows, and a proven limit "
    "on what they reveal about any person."
)


NAME_HELP = "You type this name to confirm a run. It appears in the release."


KINDS = {True: "Practice run", False: "Real release"}
KIND_HELP = (
    "A practice run uses a public or invented file. Its noise is predictable, so it protects no one and "
    "cannot be published."
)
PUBLIC_LABEL = "My practice file is public or invented"

LIMITS_NOTE = (
    "If your organisation limits epsilon, enter it here. The Budget page then enforces it. Typical "
    "limits for one release are 1 to 10."
)
RELEASE_LIMIT = "Highest epsilon per release"
LIFETIME_LIMIT = "Highest lifetime epsilon"
APPROVERS_LABEL = "Approvals before publication"
APPROVERS = {1: "One person", 2: "Two people"}


LIST_NOT_FOUND = "No project matches. Search by name, purpose or population."


IMPORT_NOTE = (
    "Import a project file that was exported on this page. The new project has no table and no runs, "
    "and the suitability questions are asked again."
)


EXPORT_NOTE = (
    "One file without data, from which you can start the same project elsewhere.\n\n"
    "**Included:** name, purpose, columns, rules, limits, budget, method, and the decision log as "
    "the report prints it.\n\n"
    "**Not included:** the table and its path, the starting table, runs, measurements, synthetic tables and "
    "ledger entries. Also not included: figures of the private evaluation, contact, approvals and written "
    "reasons."
)


ARCHIVE_BUTTON, RESTORE_BUTTON = "Archive", "Back to the list"
ARCHIVED_BADGE = ":gray-badge[:material/inventory: archived]"
DELETE_GOES = (
    "Deletion cannot be undone.\n\n"
    "**Deleted:** all settings, an uploaded table, all synthetic tables and documents on this machine. "
    "Also the files of the private evaluation. A table in the data folder "
    "is kept. Downloads and backups are not affected."
)
DELETE_STAYS = "**Kept:**\n"


START_HELP = (
    "A public table with the same columns: an earlier release, a public file, or another office's release. "
    "Default: none."
)
START_ASK = (
    "Has a similar table been published? The run can start from it and measure mainly what differs. At a "
    "small epsilon, a similar table can halve the error. A dissimilar one costs little accuracy."
)
START_PUBLIC = (
    "Rows of the starting table become part of the release package and get no protection. So the table "
    "must be public."
)
START_WHERE = "Where the public table is"
START_RUN, START_FILE = "Release of this project", "In the data folder"
START_PATH = "Release package or CSV file in the data folder"
START_PATH_HELP = "A folder or zip of a release package, or a CSV file in UTF-8 with a header and commas."
START_SOURCE_HELP = (
    "The report names this source. Release packages already state their source. Example: census sample of "
    "2023."
)
START_LATER = "You can choose a starting table once the columns are declared."
NONE_OF_RUN = "The last run has no starting table."
NO_START = (
    "The chosen method or generator cannot use a starting table. To use one, choose the default method with "
    "its own generator on *Method*."
)

AGAIN_NOTE = (
    "Prepare the release of the next table, such as next year's survey. Columns, rules, budget and method "
    "stay the same. Nothing is read or charged until you start the run."
)
AGAIN_NAME = "Name of the next release"
SHIFT_LABEL = "Move the declared dates"
SHIFTS = {
    "": "no: the same dates",
    "1d": "one day later",
    "1w": "one week later",
    "1m": "one month later",
    "3m": "three months later",
    "1y": "one year later",
}
SHIFT_HELP = "For the file of the next period, such as July after June. Rules with dates do not change."
SHIFT_START = "Tables with other dates cannot be a starting table."
AGAIN_FOLDER, AGAIN_UPLOAD, AGAIN_DEMO = "In the data folder", "Upload", "Second year of the demo"
PEOPLE_LABEL = "Who is in the next table"
PEOPLE = {
    People.SAME: "One lifetime budget: the ledger adds the costs. Measurements can be combined.",
    People.CHANGING: "One lifetime budget: the ledger adds the costs. Measurements are not combined.",
    People.NEW: (
        "A lifetime budget of their own: the ledger charges nothing to the earlier one. Measurements are not "
        "combined."
    ),
}
PEOPLE_MISSING = "Choose who is in the next table."
NEW_POPULATION = "Name of the new population"
NEW_POPULATION_HELP = (
    "A name that has no release yet, such as admissions-2026. Its lifetime budget gets the earlier limit."
)
AGAIN_START = "Start from an earlier release of this project"

REHEARSAL_BADGE = ":orange-badge[:material/theater_comedy: practice]"
DEMO_BADGE = ":violet-badge[:material/sailing: demo]"
REAL_BADGE = ":blue-badge[:material/verified_user: real release]"

WATERMARK = (
    "**PRACTICE RUN.** The noise is predictable and the file is declared public. Nothing here "
    "protects anyone, and nothing can be published."
)


def people(declared: People, new_to: Sequence[str]) -> str:
    """State who is declared to be in the table, and the consequences.

    >>> people(People.CHANGING, ())
    '**People come and go.** One lifetime budget: the ledger adds the costs. Measurements are not combined.'
    """
    said = f"**{declared.words.capitalize()}.** {PEOPLE[declared]}"
    if new_to:
        said += f" No one in the table is in a release of {text.plain(' or '.join(new_to))}."
    return said


def changed(moment: dt.datetime) -> str:
    """Format the time of a project's last change.

    >>> changed(dt.datetime(2024, 3, 5, 9, 7))
    '5 Mar 2024, 09:07'
    """
    return f"{moment.day} {moment:%b %Y, %H:%M}"


def limits(given: Limits) -> str:
    """Describe the organisation's limits, or return an empty string if there are none."""
    parts = []
    if given.release is not None:
        parts.append(f"epsilon {given.release:g} for one release")
    if given.lifetime is not None:
        parts.append(f"epsilon {given.lifetime:g} over a lifetime")
    sentence = f"The organisation allows at most {' and '.join(parts)}." if parts else ""
    return f"{sentence} Two people must approve a release.".strip() if given.approvers > 1 else sentence


def stays(remains: Remains) -> tuple[str, ...]:
    """List what remains after a deletion, with one sentence per item.

    >>> none = Remains(booked=0, share=0, unfinished=0, published=0, has_log=False, lifetime=None)
    >>> stays(none)
    ('No ledger entries. Nothing is kept.',)
    """
    sentences = []
    if remains.booked:
        runs = "its run" if remains.booked == 1 else f"{remains.booked} of its runs"
        share = "" if remains.share is None else f" ({text.share(remains.share)} of the lifetime limit)"
        sentences.append(
            f"The ledger keeps {runs}, with the cost{share} and measurements. Spent budget is not refunded."
        )
    if remains.unfinished:
        ended = "A run that ended" if remains.unfinished == 1 else f"{remains.unfinished} runs that ended"
        sentences.append(f"{ended} early can no longer be resumed. The unused reservation is released.")
    if remains.has_log:
        sentences.append("The decision log stays on this machine, because the private evaluation was viewed.")
    if remains.published:
        releases = "A release was" if remains.published == 1 else f"{remains.published} releases were"
        sentences.append(f"{releases} published. Copies that others have are not affected.")
    if remains.lifetime is not None:
        sentences.append(
            f"The organisation's lifetime limit, epsilon {remains.lifetime:g}, is set here. Once "
            "the project is deleted, the limit applies only if another project for the population sets it."
        )
    return tuple(sentences) or ("No ledger entries. Nothing is kept.",)


def match(found: Match) -> str:
    """Describe how well a starting table fits the declared columns, in one paragraph per point.

    >>> one = Match(rows=2_000, found=("Age", "Sex"), absent=("Ward",), outside={"Age": 12}, error=None)
    >>> print(match(one))
    It has 2 of 3 columns, and 2,000 of its rows are used.
    <BLANKLINE>
    Not in the starting table, so measured without it: Ward.
    <BLANKLINE>
    Cells outside the declared domain, which are not used: Age (12).
    """
    columns = len(found.found) + len(found.absent)
    held = f"{len(found.found)} of {text.number_of(columns, 'column')}"
    lines = [f"It has {held}, and {found.rows:,} of its rows are used."]
    if found.absent:
        lines.append(
            f"Not in the starting table, so measured without it: {text.plain(text.some(found.absent))}."
        )
    if found.outside:
        cells = [f"{text.plain(name)} ({count:,})" for name, count in found.outside.items()]
        lines.append(f"Cells outside the declared domain, which are not used: {text.some(cells)}.")
    return "\n\n".join(lines)


def file_name(name: str) -> str:
    """Return the file name of an exported project.

    >>> file_name("Commuters, 2026 (draft)")
    'commuters-2026-draft.marginalia.json'
    """
    return f"{'-'.join(re.findall(r'[a-z0-9]+', name.lower())) or 'project'}.marginalia.json"


def contents(portable: PortableProject) -> str:
    """Summarise a project file in one line."""
    project = portable.project
    parts = [
        text.number_of(len(project.schema["columns"]), "column"),
        text.number_of(len(project.rules), "rule"),
        f"epsilon {project.budget.epsilon:g}",
        method_title(project.method.name),
    ]
    log = (
        f"; {text.number_of(len(portable.decisions), 'line')} of a decision log" if portable.decisions else ""
    )
    return f"{text.plain(project.name)}: {', '.join(map(text.plain, parts))}{log}."


def standing(done: int, total: int, step: Step | None) -> str:
    """Describe the progress of a project and its next step. Optional steps do not count.

    >>> standing(9, 9, None)
    '9 of 9 steps to a release done'
    """
    rest = f", next is {step.title}" if step else ""
    return f"{done} of {total} steps to a release done{rest}"
