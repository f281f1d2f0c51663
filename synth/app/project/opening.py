"""Create, list and revise projects. This is the logic of the Project page."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

from synth.app.project import store as projects
from synth.app.project.store import Limits, Origin, Project
from synth.core.errors import Mistake

LONGEST_NAME = 80
MOST_LIMIT = 100.0
"""The largest epsilon that can be a limit. A larger one gives no meaningful guarantee."""
RECENT = 12
"""Number of projects that are listed at first."""


def begin(
    name: str,
    *,
    purpose: str = "",
    rehearsal: bool = True,
    public: bool = False,
    limits: Limits | None = None,
    owner: str = "",
) -> Project:
    """Create a project without columns or a file. `public` states that the file of a practice run is declared
    public. Raises: `Mistake` that names what is missing.
    """
    name, limits = _checked(name), limits or Limits()
    if rehearsal:
        check_public(public)
    _check(limits)
    return Project(
        id=projects.fresh_id(),
        name=name,
        origin=Origin.PENDING,
        data="",
        schema={"name": name, "columns": []} | ({"file_is_public": True} if rehearsal else {}),
        purpose=purpose.strip(),
        rehearsal=rehearsal,
        limits=limits,
        owner=owner,
    )


def renamed(project: Project, name: str) -> Project:
    """Return the project with another name, which its table gets too if it had the same. Raises: `Mistake`
    for an invalid name.
    """
    name = _checked(name)
    fields = {key: name for key in ("name", "title") if project.schema.get(key) == project.name}
    return replace(project, name=name, schema={**project.schema, **fields})


def _checked(name: str) -> str:
    name = " ".join(name.split())
    if not name:
        raise Mistake("The project has no name. Give it a name first.")
    if len(name) > LONGEST_NAME:
        raise Mistake(f"The name has {len(name)} characters. Use at most {LONGEST_NAME}.")
    return name


def check_public(given: bool) -> None:
    """Check that the file of a practice run is declared public. Raises: `Mistake`."""
    if not given:
        raise Mistake(
            "A practice run has predictable noise and protects no one. Confirm that its file is public or "
            "invented, or choose a real release."
        )


def listing(
    *, owner: str = "", most: int | None = None, words: str = "", archived: bool = False
) -> tuple[tuple[Project, dt.datetime], ...]:
    """Return at most `most` readable projects of one owner with the time of their last change (UTC), latest
    first.

    All `words` must occur in the name, purpose or population. With `archived`, return only archived projects,
    and otherwise only the others.
    """
    found: list[tuple[Project, dt.datetime]] = []
    for identity, changed in sorted(projects.on_disk(), key=lambda dated: dated[1], reverse=True):
        project = projects.find(identity)
        if project is None or project.owner != owner or project.archived is not archived:
            continue
        if _is_about(project, words):
            found.append((project, changed))
        if len(found) == most:
            break
    return tuple(found)


def revise(project: Project, *, purpose: str, limits: Limits) -> Project:
    """Return the project with this purpose and these limits. Raises: `Mistake` for invalid limits."""
    _check(limits)
    return replace(project, purpose=purpose.strip(), limits=limits)


def _is_about(project: Project, words: str) -> bool:
    text = " ".join((project.name, project.purpose, str(project.schema.get("population", ""))))
    return all(word in text.casefold() for word in words.casefold().split())


def _check(limits: Limits) -> None:
    release, lifetime = limits.release, limits.lifetime
    for name, limit in (("one release", release), ("all releases together", lifetime)):
        if limit is not None and not 0 < limit <= MOST_LIMIT:
            raise Mistake(
                f"The limit of {name} is {limit:g}. It must be above 0 and at most {MOST_LIMIT:g}. Correct "
                "it, or leave it empty for no limit."
            )
    if release is not None and lifetime is not None and release > lifetime:
        raise Mistake(
            f"The limit of one release ({release:g}) exceeds the limit of all releases together "
            f"({lifetime:g}). Lower the first limit or raise the second."
        )
