"""Beginning a project and finding it again: what the project page does, without a page."""

from __future__ import annotations

import datetime as dt
from contextlib import suppress
from dataclasses import dataclass, field, replace

from synth.errors import Mistake
from synth.ui import journey
from synth.ui import project as projects
from synth.ui.project import Limits, Origin, Project
from synth.ui.text import project as text

LONGEST_NAME = 80
RECENT = 12
"""How many projects the page lists at first."""


@dataclass(frozen=True, kw_only=True)
class Beginning:
    """What the steward typed to begin. `public` is the word given that a rehearsal's file holds no secret."""

    name: str
    purpose: str = ""
    rehearsal: bool = True
    public: bool = False
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True, kw_only=True)
class Known:
    """A project on disk. `changed` is UTC; `done` of `all` steps are behind it, `next_step` comes next."""

    id: str
    name: str
    rehearsal: bool
    demo: bool
    changed: dt.datetime
    done: int
    all: int
    next_step: str


def begin(given: Beginning, *, owner: str = "") -> Project:
    """A project without columns and without a file. Raises: `Mistake` naming what is missing."""
    name = " ".join(given.name.split())
    if not name:
        raise Mistake(text.NEED_NAME)
    if len(name) > LONGEST_NAME:
        raise Mistake(text.LONG_NAME.format(length=len(name), most=LONGEST_NAME))
    if given.rehearsal and not given.public:
        raise Mistake(text.NEED_PUBLIC)
    _check(given.limits)
    return Project(
        id=projects.fresh_id(),
        name=name,
        origin=Origin.PENDING,
        data="",
        schema={"name": name, "columns": []} | ({"file_is_public": True} if given.rehearsal else {}),
        purpose=given.purpose.strip(),
        rehearsal=given.rehearsal,
        limits=given.limits,
        owner=owner,
    )


def listing(*, owner: str = "", most: int | None = None) -> tuple[Known, ...]:
    """The projects of one owner, the latest change first, at most so many; unreadable ones are left out."""
    found: list[Known] = []
    for identity, changed in sorted(projects.on_disk(), key=lambda entry: entry[1], reverse=True):
        with suppress(Mistake):
            project = projects.load(identity)
            if project.owner == owner:
                found.append(_known(project, changed))
        if len(found) == most:
            break
    return tuple(found)


def revise(project: Project, *, purpose: str, limits: Limits) -> Project:
    """The project with another purpose and other limits. Raises: `Mistake` if the limits cross."""
    _check(limits)
    return replace(project, purpose=purpose.strip(), limits=limits)


def _check(limits: Limits) -> None:
    release, lifetime = limits.release, limits.lifetime
    if release is not None and lifetime is not None and release > lifetime:
        raise Mistake(text.LIMITS_CROSSED.format(release=release, lifetime=lifetime))


def _known(project: Project, changed: dt.datetime) -> Known:
    met = journey.facts_of(project)
    step = journey.next_open(met)
    done, total = journey.progress(met)
    return Known(
        id=project.id,
        name=project.name,
        rehearsal=project.rehearsal,
        demo=project.origin is Origin.DEMO,
        changed=changed,
        done=done,
        all=total,
        next_step=step.title if step else "",
    )
