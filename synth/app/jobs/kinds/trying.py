"""Count the rows of a public or invented table that each rule forbids, in a process of its own.

For practice runs and the demo: the process refuses a table that is not declared public, so that no rule is
tried on private rows. The counts are exact and shown on the page only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from synth.app.jobs.executor import LOCAL
from synth.app.jobs.kind import TaskKind
from synth.app.jobs.store import Task
from synth.core.errors import Mistake
from synth.core.progress import Reporter
from synth.core.system.address import address_of

_PATIENCE_SECONDS = 300.0
NOT_PUBLIC = "Rules can only be tried on public or invented tables. A private table is not read for this."
BLANKS = (
    "The table has blanks in a column that is declared never blank, so rules cannot be tried on it. Allow "
    "blanks on the page Columns, or choose another table."
)


@dataclass(frozen=True, kw_only=True)
class Trial:
    """How many of `rows` each rule forbids, in order; None for a target proportion, or a column without a
    domain yet. `at_least[i]`: columns are compared by bins, so that rows within one bin are not counted."""

    rows: int
    forbidden: tuple[int | None, ...]
    at_least: tuple[bool, ...]


def tried(data: str, schema: Mapping[str, Any], rules: Sequence[Any], *, public: bool) -> Trial:
    """Count the rows that each rule forbids. `public`: the steward declared the table public.

    Raises: `Mistake` if not, or as the process reports; `Refusal` if the file cannot be read.
    """
    order = {"data": data, "schema": dict(schema), "rules": list(rules), "public": public}
    answer = LOCAL.ask("trying", order, patience=_PATIENCE_SECONDS)
    if "mistake" in answer:
        raise Mistake(answer["mistake"])
    lists = {name: tuple(answer[name]) for name in ("forbidden", "at_least")}
    return Trial(rows=answer["rows"], **lists)


def _count(task: Task, report: Reporter) -> dict[str, Any]:
    import numpy as np  # this and what follows is heavy: only in this process

    from synth.core.discretisation import resolve_axes
    from synth.core.schema import Kind
    from synth.dictionaries import load_schema
    from synth.dictionaries.check import cells_of
    from synth.evaluate.report import load_real
    from synth.rules import Rules
    from synth.rules.documents import parse_entry
    from synth.rules.terms import Compare

    order = task.order()
    if order["public"] is not True:
        return {"mistake": NOT_PUBLIC}
    schema = load_schema(order["schema"])
    stated = [parse_entry(entry, schema) for entry in order["rules"]]
    known = {column.name for column in schema.modelled if cells_of(column) is not None}
    columns = tuple(c if c.name in known else replace(c, kind=Kind.DROP, buy=False) for c in schema.columns)
    schema = replace(schema, columns=columns)
    usable = [rule for rule in stated if rule.share is None and set(rule.columns) <= known]
    axes = resolve_axes(schema, Rules(schema, tuple(usable)))
    try:
        table = load_real(address_of(order["data"]), schema, axes)
    except Mistake:
        return {"mistake": BLANKS}
    forbidden: list[int | None] = []
    for rule in stated:
        broken = np.zeros(table.rows, dtype=np.bool_)
        for zero in Rules(schema, (rule,)).zeros(axes) if rule in usable else ():
            broken |= zero.forbidden.ravel()[table.keys(zero.clique)]
        forbidden.append(int(broken.sum()) if rule in usable else None)
    by_bins = [any(isinstance(part, Compare) for part in rule.parts) for rule in stated]
    return {"rows": table.rows, "forbidden": forbidden, "at_least": by_bins}


KIND = TaskKind(work=_count)
