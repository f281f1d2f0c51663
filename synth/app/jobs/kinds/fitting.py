"""Compare a private file with its declaration. The order contains the declaration and the address of the
file.

`bands.json` in the task's folder contains the result for each column. It is NOT PRIVATE and only for the
steward (0600). The process of the app never opens the private file. So a large table does not use the app's
memory, and a malicious file can only affect a process without other data. A new comparison replaces the
previous one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from synth.app.jobs.kind import TaskKind
from synth.app.jobs.store import Task
from synth.core.progress import Reporter
from synth.core.system.address import address_of

_BANDS = "bands.json"


@dataclass(frozen=True, kw_only=True)
class ColumnFit:
    """NOT PRIVATE. A column, its band, and a description of the cells that do not match the declaration."""

    column: str
    band: str
    is_good: bool
    found: str = ""


@dataclass(frozen=True, kw_only=True)
class Fit:
    """NOT PRIVATE. The results of a comparison, and the digest of the declaration and the file (`of`)."""

    of: str
    columns: tuple[ColumnFit, ...]


def order(*, schema: Mapping[str, Any], data: str) -> dict[str, Any]:
    """Return the order. Problems with the file are reported by the task itself."""
    return {"schema": schema, "data": data}


def read(task: Task) -> Fit:
    """NOT PRIVATE. Return the finished comparison in this folder."""
    order, bands = task.order(), json.loads((task.folder / _BANDS).read_text(encoding="utf-8"))["columns"]
    return Fit(
        of=digest_of(order["schema"], order["data"]), columns=tuple(ColumnFit(**band) for band in bands)
    )


def digest_of(schema: Mapping[str, Any], data: str) -> str:
    """Return a digest of the columns, the format and the address of the file."""
    facts = [data, schema.get("file"), [_domain_of(c) for c in schema.get("columns", [])]]
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:16]


def _domain_of(column: Mapping[str, Any]) -> dict[str, Any]:
    aside = ("title", "description", "provenance", "weight", "other_label")
    return {name: value for name, value in column.items() if name not in aside and value is not None}


def _compare(task: Task, report: Reporter) -> None:
    from synth.dictionaries import load_schema
    from synth.evaluate.fit import MARK, fit  # imports numpy and pyarrow: only in this process

    order = task.order()
    fits = fit(load_schema(order["schema"]), address_of(order["data"]))
    bands = [
        {"column": one.column, "band": one.band.value, "is_good": one.band.is_good, "found": one.found}
        for one in fits
    ]
    task.keep(_BANDS, json.dumps({"mark": MARK, "columns": bands}))


KIND = TaskKind(work=_compare)
