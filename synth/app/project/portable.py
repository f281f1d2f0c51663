"""Export and import a project as one file without data: its declarations and choices.

The file is one JSON object. It contains:

    format "marginalia-project/1" name, purpose, practice run schema columns and values as declared, units,
    titles, who is protected, the file format rules as stated limits of the organisation budget epsilon,
    delta, lifetime, priorities, and the publicly known numbers of rows as typed method mechanism, generator
    and their options decisions the lines of the decision log, which are public

It does not contain: the private file, its place, name and first line; the starting table; who is in the
table; runs, noisy measurements, synthetic tables, bundles; charges and balances of the ledger; private
evaluations; owner, contact, approvals and reasons; the answers on suitability, which are about the table and
must be given again.

An imported project gets its own ID, has no file and no runs, and uses no ledger. Its decision log starts with
the entries of the exported project, so that no report omits a view.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from synth.app.project import decisions, opening
from synth.app.project import store as projects
from synth.app.project.spend import allocation
from synth.app.project.store import Budget, Limits, Method, Project
from synth.core.documents import read_as
from synth.core.errors import Mistake
from synth.core.options import check_values
from synth.dictionaries.document import misshapen
from synth.mechanisms import MECHANISMS
from synth.models.registry import GENERATORS
from synth.rules.documents import read_entries

FORMAT = "marginalia-project/1"
LARGEST = 20 << 20
"""Maximum size of a project file in bytes."""

_SCHEMA = json.loads(Path(__file__).with_name("project.schema.json").read_text(encoding="utf-8"))
_OF_THE_FILE = ("file_is_public",)
"""Fields that describe one private file, which are not exported."""
_KEPT = ("name", "purpose", "rehearsal", "schema", "rules", "budget", "method", "limits")
_NO_PROJECT = (
    "This is not a project file: {why}. Export a project on the page Project, and choose the exported file "
    "without changing it."
)
_COPIED = "In the project from which this one was copied: {line}"


@dataclass(frozen=True, kw_only=True)
class PortableProject:
    """A project file that was read. `decisions` contains the lines of the other project's log."""

    project: Project
    decisions: tuple[str, ...]


def exported(project: Project) -> bytes:
    """Export a project. Raises: `Mistake` if its decision log cannot be read."""
    document = projects.document_of(project)
    kept = {name: document[name] for name in _KEPT}
    kept["schema"] = {name: value for name, value in kept["schema"].items() if name not in _OF_THE_FILE}
    kept["budget"].pop("reason")
    lines = decisions.printed(project)
    whole = {"format": FORMAT, **kept, "decisions": lines}
    return (json.dumps(whole, indent=1, ensure_ascii=False) + "\n").encode()


def read(raw: bytes) -> PortableProject:
    """Read an exported project, and give it a new ID. Raises: `Mistake` for any other file."""
    if len(raw) > LARGEST:
        raise _mistake(f"it is larger than {LARGEST >> 20} MB")
    try:
        document = json.loads(raw, parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise _mistake("it is not JSON") from None
    for fault in Draft202012Validator(_SCHEMA).iter_errors(document):
        place = " ".join(map(str, fault.absolute_path)) or "it"
        is_field = fault.validator in ("required", "additionalProperties")
        raise _mistake(f"{place}: {fault.message}" if is_field else f"{place} is {_shown(fault.instance)}")
    if wrong := misshapen(document["schema"]):
        raise _mistake(wrong[0][1].rstrip("."))
    method, budget = read_as(Method, document["method"]), read_as(Budget, document["budget"])
    for word in (*budget.weights.values(), *budget.importance.values()):
        if word not in allocation.WEIGHTS:
            raise _mistake(f"a weight is {_shown(word)}")
    _check_options(method.name, MECHANISMS, method.options)
    for name in filter(None, (method.generator, *method.extras)):
        _check_options(name, GENERATORS, method.generator_options if name == method.generator else {})
    begun = opening.begin(
        document["name"],
        purpose=document["purpose"],
        rehearsal=document["rehearsal"],
        public=True,  # checked by `take_in`
        limits=read_as(Limits, document["limits"]),
    )
    schema = {name: value for name, value in document["schema"].items() if name not in _OF_THE_FILE}
    rules = tuple(read_entries(document["rules"]))
    project = replace(begun, schema=schema, rules=rules, method=method, budget=budget)
    return PortableProject(project=project, decisions=tuple(document["decisions"]))


def take_in(portable: PortableProject, *, public: bool, owner: str = "") -> Project:
    """Create a project from a project file, without a table or runs.

    `public` states that the file of a practice run is declared public. Raises: `Mistake` if it is not.
    """
    project = replace(portable.project, id=projects.fresh_id(), owner=owner)
    if project.rehearsal:
        opening.check_public(public)
        project = replace(project, schema={**project.schema, "file_is_public": True})
    projects.save(project)
    for line in portable.decisions:
        decisions.record_choice(project, _COPIED.format(line=line))
    return project


def _check_options(name: str, found: Mapping[str, type], options: dict[str, Any]) -> None:
    """Check that a mechanism or generator exists and has these options. Raises: `Mistake`."""
    if name not in found:
        raise _mistake(f"the method {name!r} is unknown in this version")
    try:
        check_values(found[name](**options))
    except TypeError:
        raise _mistake(f"the method {name!r} does not have the options {_shown(options)}") from None


def _no_number(word: str) -> None:
    raise ValueError(f"{word} is not a number")


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _mistake(why: str) -> Mistake:
    return Mistake(_NO_PROJECT.format(why=why))
