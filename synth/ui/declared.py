"""A project's declarations, read and counted: what the data page shows, all of it public."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from synth.axis import Axis
from synth.errors import Mistake
from synth.preprocess.axes import resolve_axes
from synth.rules import Effect, Rules, parse_rules
from synth.rules.documents import read_entries
from synth.schema import Schema
from synth.schema_io import load_schema
from synth.ui import project as projects
from synth.ui import text
from synth.ui.forms import GivenTable
from synth.ui.project import Origin, Project, Suitability
from synth.ui.released import TIMES

DEMO = Path(__file__).resolve().parents[2] / "assets" / "demo"


@dataclass(frozen=True, kw_only=True)
class Declared:
    """A schema, its rules, and what follows from them. `axes` leaves out columns still to be bought."""

    schema: Schema
    rules: Rules
    axes: tuple[Axis, ...]
    effects: tuple[Effect, ...]


def read(project: Project) -> Declared:
    """Parse a project's documents. Raises: `Mistake` naming what cannot be used."""
    schema = load_schema(project.schema)
    rules = parse_rules(project.rules, schema)
    if any(column.buy for column in schema.modelled):
        return Declared(schema=schema, rules=rules, axes=(), effects=())
    axes = resolve_axes(schema, rules)
    rules.zeros(axes)  # says which rules together leave a column nothing
    stated = {rule.sentence for rule in rules.rules if rule.stated}
    effects = tuple(effect for effect in rules.effects(axes) if effect.sentence in stated)
    return Declared(schema=schema, rules=rules, axes=axes, effects=effects)


def demo() -> Project:
    """A new project on the invented town; it takes the same road as a private table."""
    schema = json.loads((DEMO / "schema.json").read_text(encoding="utf-8"))
    rules = json.loads((DEMO / "rules.json").read_text(encoding="utf-8"))
    project = _project(Origin.DEMO, DEMO / "harbour.csv", schema, rules, identity=projects.fresh_id())
    answers = Suitability(people=True, records=True, harm="mild", size="thousands")
    return replace(project, suitability=answers, settled=("unit", "schema", "rules"))


def own(given: GivenTable) -> Project:
    """A new project on a steward's own table. Raises: `Mistake` naming what is missing or wrong."""
    if not given.path and given.upload is None:
        raise Mistake(text.NEED_TABLE)
    if given.schema is None:
        raise Mistake(text.NEED_SCHEMA)
    schema = document(given.schema, what="schema")
    rules = [] if given.rules is None else document(given.rules, what="rules")
    identity = projects.fresh_id()
    if given.upload is None:
        return _project(Origin.PATH, projects.allowed_path(given.path), schema, rules, identity=identity)
    suffix = ".parquet" if given.upload.name.lower().endswith(".parquet") else ".csv"
    kept = projects.keep_upload(identity, given.upload, suffix=suffix)
    return _project(Origin.UPLOAD, kept, schema, rules, identity=identity)


def document(raw: bytes, *, what: str) -> Any:
    """JSON as the steward gave it. Raises: `Mistake` with the place of the first fault."""
    try:
        return json.loads(raw.decode("utf-8-sig"))
    except json.JSONDecodeError as error:
        raise Mistake(text.NOT_JSON.format(what=what, line=error.lineno, column=error.colno)) from None
    except UnicodeDecodeError:
        raise Mistake(text.NOT_TEXT.format(what=what)) from None


def _project(origin: Origin, data: Path, schema: Any, rules: Any, *, identity: str) -> Project:
    name = load_schema(schema).name
    entries = tuple(read_entries(rules))
    project = Project(id=identity, name=name, origin=origin, data=str(data), schema=schema, rules=entries)
    read(project)
    return project


def column_table(table: Declared) -> pd.DataFrame:
    """One row per modelled column, in words and badges (Markdown)."""
    cells = {axis.name: str(axis.size) for axis in table.axes}
    rows = [
        {
            "Column": f"**{text.plain(column.title or column.name)}**",
            "Kind": text.KIND_NAME[column.kind],
            "Domain": text.plain(text.domain_of(column)),
            "Cells": cells.get(column.name, "to be bought"),
            "Blanks": "yes" if column.blank else "no",
            "Where it comes from": text.badge(column.provenance),
        }
        for column in table.schema.modelled
    ]
    return pd.DataFrame(rows)


def rule_table(table: Declared) -> pd.DataFrame:
    """One row per rule and small table: what it says, what it touches, how much it takes away."""
    return pd.DataFrame([_rule_row(effect) for effect in table.effects])


def _rule_row(effect: Effect) -> dict[str, str]:
    return {
        "Rule": text.plain(effect.sentence),
        "Columns": text.plain(f" {TIMES} ".join(effect.clique)),
        "Combinations removed": f"{effect.removed:,} of {effect.cells:,}",
        "Share": text.share(effect.share),
    }
