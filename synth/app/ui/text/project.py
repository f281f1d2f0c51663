"""Words of the project page: beginning, finding again, and where a project stands."""

from __future__ import annotations

import datetime as dt
import re

from synth.app.project.portable import PortableProject
from synth.app.project.removal import Remains
from synth.app.project.runs import method_title
from synth.app.project.store import Limits, Project
from synth.app.ui import text
from synth.core.schema import Schema

DEMO_TITLE = "Try the demo"
DEMO_BODY = (
    "Three thousand people of a harbour town that does not exist, with a schema and six rules. Invented, "
    "so nothing can go wrong, yet treated like a private table: two minutes from here to a release."
)
DEMO_STEPS = (
    "1. See how a table is declared, and what each rule takes away.\n"
    "2. Set a budget, and see what it means for an attacker and for a count.\n"
    "3. Start, and watch the method ask its questions.\n"
    "4. See how good the synthetic table is, and take it with you."
)
DEMO_BUTTON = "Open the demo"

LEAD_NEW = (
    "A project leads one table from its description to a release. No row of your file is read until you "
    "start a run at the end, unless you ask before whether the file fits its description."
)
LEAD_OPEN = "Where this project stands, and the way on."
NEW_TITLE = "Start a project"
NEW_BODY = (
    "A name and a purpose are enough. The table itself comes later, and only its description comes first."
)
NAME_LABEL = "Name of the project"
NAME_HELP = "You type this name again before anything is spent. It appears in the release."
PURPOSE_LABEL = "What is the release for? (optional)"
PURPOSE_PLACEHOLDER = "Teaching material on commuting"
KIND_LABEL = "Rehearsal or real?"
KINDS = {True: "Rehearsal", False: "Real release"}
KIND_NOTES = {
    True: "Every page works as it will, on a public or invented file, and every paper says REHEARSAL. The "
    "noise is predictable, so a rehearsal protects nobody and cannot be released.",
    False: "The file is private. Every question to it is charged to the lifetime budget of its people.",
}
PUBLIC_LABEL = "The file I will rehearse with is public or invented. No private row is in it."
LIMITS_TITLE = "Limits of the organisation (optional)"
LIMITS_NOTE = (
    "If your organisation has decided how much a release may cost, write it here: the budget page holds you "
    "to it. Others have chosen between 1 and 10 for one release."
)
RELEASE_LIMIT = "Largest epsilon of one release"
LIFETIME_LIMIT = "Largest epsilon over a lifetime"
APPROVERS_LABEL = "Who has to agree before a release is published?"
APPROVERS = {1: "One person", 2: "Two people"}
LIMIT_EMPTY = "no limit"
START_BUTTON = "Start this project"
LIST_TITLE = "Go on with a project"
LIST_NONE = (
    "Nothing here yet. Try the demo, which takes two minutes, or start a project. Its columns are declared "
    "two pages on, from a data dictionary if there is one."
)
LIST_NOT_FOUND = "No project here has these words in its name, its purpose or its population."
SEARCH_LABEL = "Search"
SEARCH_PLACEHOLDER = "name, purpose or population"
ARCHIVE_LABEL = "Archived ones"
ARCHIVE_EMPTY = "No project is archived."
OPEN_BUTTON = "Open"
ALL_LABEL = "Show older projects, too"
IMPORT_TITLE = "Begin from a project file"
IMPORT_NOTE = (
    "A file that was exported on this page, here or elsewhere. The new project has its own id, no table and "
    "no runs, and nothing is written into the ledger. Whether this is the right tool is asked again."
)
IMPORT_LABEL = "Project file (.json)"
IMPORT_BUTTON = "Begin from this file"
EXPORT_TITLE = "Take the project elsewhere"
EXPORT_NOTE = (
    "One file without data, to begin the same project on another machine or once more here.\n\n"
    "**In it:** name and purpose, columns with their values as declared, rules, the organisation's limits, "
    "the budget asked for, the method, and the lines of the decision log as a report prints them.\n\n"
    "**Not in it:** the table, its place and its file name; runs, noisy counts and synthetic tables; what "
    "the ledger says; any number of the steward's view; contact, approvals and written reasons."
)
EXPORT_BUTTON = "Export as one file"
PUT_AWAY_TITLE = "Archive or delete"
ARCHIVE_NOTE = (
    "An archived project is out of the list and stays as it is. It can be brought back at any time."
)
ARCHIVE_BUTTON, RESTORE_BUTTON = "Archive", "Back to the list"
ARCHIVED_BADGE = ":gray-badge[:material/inventory: archived]"
DELETE_GOES = (
    "Deleting cannot be undone.\n\n"
    "**What goes:** everything declared here, an uploaded table, the orders of its runs, all synthetic "
    "tables and papers on this machine, and the files of the steward's view. A table in the data folder "
    "stays where it is. Copies that were downloaded or backed up are out of reach."
)
DELETE_STAYS = "**What stays:**\n"
DELETE_LABEL = "Type the project's name to delete it"
DELETE_BUTTON = "Delete for good"
DELETE_WRONG = "This is not the project's name. Type it as it stands above: {name}."
DELETED = "The project {name} is deleted."
REVISE_TITLE = "Change purpose or limits"
SAVE_BUTTON = "Save"
REHEARSAL_BADGE = ":orange-badge[:material/theater_comedy: rehearsal]"
DEMO_BADGE = ":violet-badge[:material/sailing: demo]"
REAL_BADGE = ":blue-badge[:material/verified_user: real release]"
REHEARSAL_CHIP = ":green-badge[:material/theater_comedy: Private data: none in a rehearsal]"
WATERMARK = (
    "**REHEARSAL.** The noise of this project is predictable and its file is declared public. Nothing here "
    "protects anybody, and nothing here can be released."
)
GO_ON = "Go on: {title}"
ALL_DONE = "Every step is done. Results and release stay open."
CLOSE_BUTTON = "Close and choose another"
DECIDED_TITLE = "What is decided"


def changed(moment: dt.datetime) -> str:
    """When a project was last changed.

    >>> changed(dt.datetime(2024, 3, 5, 9, 7))
    '5 Mar 2024, 09:07'
    """
    return f"{moment.day} {moment:%b %Y, %H:%M}"


def limits(given: Limits) -> str:
    """The organisation's limits in one sentence; empty if there are none."""
    parts = []
    if given.release is not None:
        parts.append(f"epsilon {given.release:g} for one release")
    if given.lifetime is not None:
        parts.append(f"epsilon {given.lifetime:g} over a lifetime")
    sentence = f"The organisation allows at most {' and '.join(parts)}." if parts else ""
    return f"{sentence} Two people must approve a release.".strip() if given.approvers > 1 else sentence


def stays(remains: Remains) -> tuple[str, ...]:
    """What a deletion leaves, a sentence each.

    >>> none = Remains(booked=0, share=0, unfinished=0, published=0, has_log=False, lifetime=None)
    >>> stays(none)
    ('Nothing of it stands in the ledger, so nothing stays.',)
    """
    sentences = []
    if remains.booked:
        runs = "its run stays" if remains.booked == 1 else f"{remains.booked} of its runs stay"
        share = "" if remains.share is None else f" ({text.share(remains.share)} of the lifetime limit)"
        sentences.append(
            f"In the ledger {runs}, with what was spent{share} and the noisy counts that were paid for. What "
            "was asked about people cannot be unasked, so nothing of it is given back."
        )
    if remains.unfinished:
        ended = "A run that ended" if remains.unfinished == 1 else f"{remains.unfinished} runs that ended"
        sentences.append(
            f"{ended} early cannot be resumed any more; what was reserved and never asked is free."
        )
    if remains.has_log:
        sentences.append("The decision log stays on this machine: whoever saw exact numbers has seen them.")
    if remains.published:
        releases = "A release was" if remains.published == 1 else f"{remains.published} releases were"
        sentences.append(f"{releases} published. What others have of it, they keep.")
    if remains.lifetime is not None:
        sentences.append(
            f"The organisation's limit for a lifetime, epsilon {remains.lifetime:g}, is stated here. Unless "
            "another project about the same people states it, nothing holds their budget line to it any "
            "more."
        )
    return tuple(sentences) or ("Nothing of it stands in the ledger, so nothing stays.",)


def file_name(name: str) -> str:
    """What an exported project is called.

    >>> file_name("Commuters, 2026 (draft)")
    'commuters-2026-draft.marginalia.json'
    """
    return f"{'-'.join(re.findall(r'[a-z0-9]+', name.lower())) or 'project'}.marginalia.json"


def contents(portable: PortableProject) -> str:
    """What a project file holds, in a line."""
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


def standing(done: int, total: int, next_step: str) -> str:
    """How far a project has come; steps that nobody needs for a release are not counted.

    >>> standing(8, 9, "Results")
    '8 of the 9 steps to a release done, next is Results'
    """
    rest = f", next is {next_step}" if next_step else ""
    return f"{done} of the {total} steps to a release done{rest}"


def decided(step: str, project: Project, schema: Schema | None) -> str:
    """What a project has decided at a step, in a line; empty where there is nothing to say yet."""
    unit, budget = project.schema.get("unit"), project.budget
    if step == "project":
        return text.plain(project.purpose)
    if step == "unit" and unit:
        rows = "one row" if unit["max_rows"] == 1 else f"at most {unit['max_rows']} rows"
        population = text.plain(project.schema.get("population", ""))
        return f"each {text.plain(unit.get('name', 'person'))} fills {rows}; population {population}"
    if step == "schema" and schema is not None:
        return f"{text.number_of(len(schema.modelled), 'column')}, {text.table_of(project)}"
    if step == "rules" and project.rules:
        return text.number_of(len(project.rules), "rule")
    if step == "budget":
        return f"epsilon {budget.epsilon:g}, delta {text.delta(budget.delta)}"
    if step == "method":
        return text.plain(method_title(project.method.name))
    if step == "run" and project.runs:
        return "one run" if len(project.runs) == 1 else f"{len(project.runs)} runs"
    return ""
