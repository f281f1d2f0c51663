"""Merge the changes that two windows made to one project.

`merged` combines documents (JSON objects) field by field. A field that both windows changed differently keeps
the value that was saved first. It is reported as a clash, with both values. A run keeps the choices with
which it was started until another run is prepared.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from synth.app.project import inputs, store
from synth.app.project.store import Project
from synth.core.errors import Mistake

Document = Mapping[str, Any]

_COLLECTIONS = ("rules", "runs", "settled", "extras")
"""Lists that are merged entry by entry. Any other list is treated as one value."""

_ABSENT = object()
"""Stands for the value of a field that does not exist."""

FROZEN = (
    "A run was started with these choices, so they are read-only. To change them, prepare another run, which "
    "starts with a copy."
)


DELETED = "This project was deleted in another window, so the change was not saved."


@dataclass(frozen=True, kw_only=True)
class Clash:
    """A field that two windows changed: the value that is `saved`, and the value entered `here`, which is
    not.
    """

    field: str
    saved: str
    here: str


@dataclass(frozen=True, kw_only=True)
class OtherWindow:
    """What another window did to a project since this window read it.

    If the other window started a run (`is_started`), the saved choices stay, and `not_kept` lists the changes
    made here. Otherwise, the changes of both windows were merged, except for the `clashes`.
    """

    is_started: bool
    clashes: tuple[Clash, ...] = ()
    not_kept: tuple[str, ...] = ()


def save(project: Project, *, before: Project | None) -> tuple[Project, OtherWindow | None]:
    """Save a project that was `before` when this window read it, and return what is saved now.

    Raises: `Mistake` if the choices of a run were changed, or while another window is writing.
    """
    with store.writing(project.id):
        base = before if before is not None and before.id == project.id else None
        saved = store.find(project.id)
        if base is not None and not store.is_there(project.id):
            raise Mistake(DELETED)
        if base is None or saved is None or _is_same(base, saved):
            if base is not None and _is_frozen(base, project):
                raise Mistake(FROZEN)
            kept, other = project, None
        else:
            kept, other = _together(base, project, saved)
        store.save(kept)
    return kept, other


def newer(project: Project) -> tuple[Project, OtherWindow] | None:
    """Return the project as another window has saved it since, or None if nothing changed."""
    saved = store.find(project.id)
    if saved is None or _is_same(saved, project):
        return None
    return saved, OtherWindow(is_started=not set(saved.runs) <= set(project.runs))


def _together(base: Project, here: Project, saved: Project) -> tuple[Project, OtherWindow]:
    document, clashes = merged(*map(store.document_of, (base, here, saved)))
    kept = store.project_of(document)
    if _is_frozen(saved, kept):
        given = inputs.changes(inputs.inputs_of(base), inputs.inputs_of(here))
        return saved, OtherWindow(is_started=True, not_kept=tuple(given))
    return kept, OtherWindow(is_started=False, clashes=clashes)


def _is_same(one: Project, other: Project) -> bool:
    """Return whether two projects are equal when stored, where tuples become lists."""
    return store.document_of(one) == store.document_of(other)


def _is_frozen(before: Project, after: Project) -> bool:
    """Return whether a change is forbidden because a run was started with these choices."""
    if before.drafting or after.drafting:
        return False
    return (before.data, inputs.inputs_of(before)) != (after.data, inputs.inputs_of(after))


def merged(base: Document, here: Document, saved: Document) -> tuple[dict[str, Any], tuple[Clash, ...]]:
    """Return the saved document with the changes made here since `base`, and the clashes."""
    clashes: list[Clash] = []
    return dict(_merged(base, here, saved, (), clashes)), tuple(clashes)


def _merged(base: Any, here: Any, saved: Any, path: tuple[str, ...], clashes: list[Clash]) -> Any:
    if here in (base, saved):
        return saved
    if saved == base:
        return here
    if isinstance(here, Mapping) and isinstance(saved, Mapping):
        before = base if isinstance(base, Mapping) else {}
        names = [*saved, *(name for name in here if name not in saved)]
        fields = {
            name: _merged(
                before.get(name, _ABSENT),
                here.get(name, _ABSENT),
                saved.get(name, _ABSENT),
                (*path, name),
                clashes,
            )
            for name in names
        }
        return {name: value for name, value in fields.items() if value is not _ABSENT}
    first, second, third = map(_named, (base, here, saved))
    if first is not None and second is not None and third is not None:
        return list(_merged(first, second, third, path, clashes).values())
    if path[-1:] and path[-1] in _COLLECTIONS and all(isinstance(p, list) for p in (base, here, saved)):
        kept = [entry for entry in saved if entry in here or entry not in base]
        return kept + [entry for entry in here if entry not in base and entry not in saved]
    clashes.append(
        Clash(field=inputs.called(" ".join(path)), saved=_in_words(path, saved), here=_in_words(path, here))
    )
    return saved


def _named(value: Any) -> dict[str, Any] | None:
    """Return a list of named objects (such as the columns of a schema) by name, or None for anything else."""
    if not isinstance(value, list) or not all(isinstance(v, Mapping) and "name" in v for v in value):
        return None
    by_name = {str(entry["name"]): entry for entry in value}
    return by_name if len(by_name) == len(value) else None


def _in_words(path: tuple[str, ...], value: Any) -> str:
    if value is _ABSENT or value in (None, "", []):
        return "nothing"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return inputs.in_words(" ".join(path), text)
