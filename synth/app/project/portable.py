"""Export and import a project as one file without data: its declarations and choices.

The file is one JSON object. It contains:

    format        "marginalia-project/1"
    name, purpose, practice run
    schema        columns and values as declared, units, titles, who is protected, the file format
    rules         as stated
    limits        of the organisation
    budget        epsilon, delta, lifetime, priorities, and the numbers of rows typed from public knowledge
    method        mechanism, generator and their options
    decisions     the lines of the decision log, which are public

It does not contain: the private file, its place, name and first line; runs, noisy measurements, synthetic
tables, bundles; charges and balances of the ledger; private evaluations; owner, contact, approvals and
reasons; the answers on suitability, which are about the table and are asked again.

An imported project gets its own id, has no file and no runs, and uses no ledger. Its decision log starts with
the lines of the other, so that no report omits a view.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from synth.app.project import decisions, opening
from synth.app.project import store as projects
from synth.app.project.opening import Beginning
from synth.app.project.spend import allocation
from synth.app.project.store import Budget, Limits, Method, Project
from synth.core.errors import Mistake
from synth.core.options import check_values
from synth.dictionaries.document import misshapen
from synth.mechanisms import MECHANISMS
from synth.models.registry import GENERATORS
from synth.rules.documents import read_entries

FORMAT = "marginalia-project/1"
LARGEST = 20 << 20
"""Bytes of the largest project file."""

_OF_THE_FILE = ("file_is_public",)
"""What a schema declares of one private file, which is not exported."""
_PARTS = {"budget": Budget, "method": Method, "limits": Limits}
_KEPT = ("name", "purpose", "rehearsal", "schema", "rules", *_PARTS)
_NO_PROJECT = "This is not a project file: {why}. Export one on the page Project, and choose it unchanged."
_COPIED = "In the project this one was copied from: {line}"


@dataclass(frozen=True, kw_only=True)
class PortableProject:
    """A project file that was read; `decisions` are lines of the other project's log."""

    project: Project
    decisions: tuple[str, ...]


def exported(project: Project) -> bytes:
    """Export a project. Raises: `Mistake` if its decision log cannot be read."""
    document = projects.document_of(project)
    kept = {name: document[name] for name in _KEPT}
    kept["schema"] = {name: value for name, value in kept["schema"].items() if name not in _OF_THE_FILE}
    kept["budget"].pop("reason")
    lines = [entry.printed for entry in decisions.log(project)]
    whole = {"format": FORMAT, **kept, "decisions": lines}
    return (json.dumps(whole, indent=1, ensure_ascii=False) + "\n").encode()


def read(raw: bytes) -> PortableProject:
    """Read an exported project, with a new id. Raises: `Mistake` for anything else."""
    if len(raw) > LARGEST:
        raise _mistake(f"it is larger than {LARGEST >> 20} MB")
    try:
        document = json.loads(raw)
    except (ValueError, RecursionError):
        raise _mistake("it is not JSON") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise _mistake(f"its format is not {FORMAT!r}")
    expected = {"format", *_KEPT, "decisions"}
    if document.keys() != expected:
        odd = ", ".join(sorted(map(repr, expected ^ document.keys())))
        raise _mistake(f"these fields are missing or unknown: {odd}")
    for name, kind in {"name": str, "purpose": str, "rehearsal": bool, "schema": dict, "rules": list}.items():
        if not isinstance(document[name], kind):
            raise _mistake(f"{name} is {_shown(document[name])}")
    if not _are_texts(document["decisions"]):
        raise _mistake("its decisions are not a list of sentences")
    parts = {name: _part(kind, document[name], name) for name, kind in _PARTS.items()}
    _check_method(parts["method"])
    _check_words(parts["budget"])
    begun = opening.begin(
        Beginning(
            name=document["name"],
            purpose=document["purpose"],
            rehearsal=document["rehearsal"],
            public=True,  # checked by `take_in`
            limits=parts["limits"],
        )
    )
    rules = read_entries(document["rules"])
    if not all(isinstance(rule, str | dict) for rule in rules):
        raise _mistake("a rule is neither a sentence nor an object")
    project = replace(begun, schema=_schema(document["schema"]), rules=tuple(rules), **parts)
    return PortableProject(project=project, decisions=tuple(document["decisions"]))


def take_in(portable: PortableProject, *, public: bool, owner: str = "") -> Project:
    """Create a project from a file, without a table and runs.

    `public`: the file of a practice run is declared public. Raises: `Mistake` if it is not.
    """
    project = replace(portable.project, id=projects.fresh_id(), owner=owner)
    if project.rehearsal:
        opening.check_public(public)
        project = replace(project, schema={**project.schema, "file_is_public": True})
    projects.save(project)
    for line in portable.decisions:
        decisions.record_choice(project, _COPIED.format(line=line))
    return project


def _schema(document: dict[str, Any]) -> dict[str, Any]:
    """Check a schema, which may be a draft. Raises: `Mistake` for one that no page can show."""
    columns = document.get("columns")
    named = isinstance(columns, list) and all(
        isinstance(column, dict) and isinstance(column.get("name"), str) for column in columns
    )
    if not named:
        raise _mistake("its columns are not a list of objects with names")
    if wrong := misshapen(document):
        raise _mistake(wrong[0][1].rstrip("."))
    return {name: value for name, value in document.items() if name not in _OF_THE_FILE}


def _part(kind: type, document: Any, name: str) -> Any:
    """Parse a part of a project. Raises: `Mistake` for an unknown field or a value of another type."""
    hints = get_type_hints(kind)
    if not isinstance(document, dict) or document.keys() - hints.keys():
        raise _mistake(f"{name} is {_shown(document)}")
    for field, value in document.items():
        if not _is_a(value, hints[field]) or (_is_a(value, float) and value <= 0):
            raise _mistake(f"{name} {field} is {_shown(value)}")
    return kind(**{field: tuple(v) if isinstance(v, list) else v for field, v in document.items()})


def _is_a(value: Any, hint: Any) -> bool:
    """Return whether a JSON value has the type of an annotation."""
    if isinstance(hint, UnionType):
        return any(_is_a(value, one) for one in get_args(hint))
    if get_origin(hint) is dict:
        return isinstance(value, dict) and all(_is_a(one, get_args(hint)[1]) for one in value.values())
    if get_origin(hint) is tuple:
        return _are_texts(value)
    if hint is float:
        return type(value) in (int, float) and math.isfinite(value)
    return hint is Any or type(value) is hint


def _check_words(budget: Budget) -> None:
    """Raises: `Mistake` for an unknown priority."""
    for of, word in {**budget.weights, **budget.importance}.items():
        if word not in allocation.WEIGHTS:
            raise _mistake(f"the weight of {of} is {_shown(word)}")


def _check_method(method: Method) -> None:
    """Raises: `Mistake` for an unknown mechanism or generator, or options that it does not have."""
    made: list[tuple[str | None, Mapping[str, type], dict[str, Any]]] = [
        (method.name, MECHANISMS, method.options),
        (method.generator, GENERATORS, method.generator_options),
        *((extra, GENERATORS, {}) for extra in method.extras),
    ]
    for name, found, options in made:
        if name is None:
            continue
        if name not in found:
            raise _mistake(f"the method {name!r} is unknown in this version")
        try:
            check_values(found[name](**options))
        except TypeError:
            raise _mistake(f"the method {name!r} does not have the options {_shown(options)}") from None


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _mistake(why: str) -> Mistake:
    return Mistake(_NO_PROJECT.format(why=why))
