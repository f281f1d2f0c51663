"""Read a project's declarations. All declarations are public."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

from synth.app.project import store as projects
from synth.app.project.store import Budget, Origin, Project, Suitability
from synth.core.axis import Axis
from synth.core.codebook import Codebook
from synth.core.discretisation import resolve_axes
from synth.core.schema import Schema
from synth.core.system import places
from synth.dictionaries import load_schema
from synth.rules import Effect, Rules, parse_rules
from synth.rules.documents import read_entries

DEMO = places.program() / "assets" / "demo"
SECOND_YEAR = DEMO / "harbour-2.csv"
"""The demo's table for the year after `harbour.csv`."""


@dataclass(frozen=True, kw_only=True)
class Declared:
    """A schema with its rules, and what follows from them. There are no axes while a domain is still to be
    estimated.
    """

    schema: Schema
    rules: Rules
    axes: tuple[Axis, ...]
    effects: tuple[Effect, ...]


def read(project: Project) -> Declared:
    """Parse the declarations of a project. Raises: `Mistake` that names what cannot be used."""
    schema = load_schema(project.schema)
    rules = parse_rules(project.rules, schema)
    if any(column.buy for column in schema.modelled):
        return Declared(schema=schema, rules=rules, axes=(), effects=())
    axes = resolve_axes(schema, rules)
    rules.zeros(axes)  # raises for rules that leave a column without values
    rules.coded_shares(Codebook(schema=schema, axes=axes))  # raises for impossible target proportions
    stated = {rule.sentence for rule in rules.rules if rule.stated}
    effects = tuple(effect for effect in rules.effects(axes) if effect.sentence in stated)
    return Declared(schema=schema, rules=rules, axes=axes, effects=effects)


def read_columns(project: Project) -> Declared:
    """Parse the columns without the rules, which may not be valid yet. Raises: `Mistake` as in `read`."""
    return read(replace(project, rules=()))


def is_frozen(project: Project) -> bool:
    """Return whether the declarations belong to a run. Then they are read-only until another run is
    prepared.
    """
    return bool(project.runs) and not project.drafting


def demo() -> Project:
    """Return a new project for the invented town. Its runs are charged to the practice ledger."""
    schema = json.loads((DEMO / "schema.json").read_text(encoding="utf-8"))
    rules = json.loads((DEMO / "rules.json").read_text(encoding="utf-8"))
    project = Project(
        id=projects.fresh_id(),
        name=schema["title"],
        origin=Origin.DEMO,
        data=str(DEMO / "harbour.csv"),
        schema=schema,
        rules=tuple(read_entries(rules)),
        suitability=Suitability(people=True, records=True, harm="mild"),
        budget=Budget(rows_about=3_000),
        settled=("unit", "schema", "rules"),
    )
    read(project)
    return project
