"""Compute the changes since an earlier release for the privacy statement, from the two packages."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from math import ceil, floor
from pathlib import Path
from typing import Any

from synth.analyst.drift import Changed, drift
from synth.analyst.measured import Measured
from synth.core.errors import Mistake
from synth.release.layout import Layout
from synth.release.reading.files import files_of
from synth.release.reading.tables import damaged

MOST_TABLES = 10
"""Maximum number of tables in a statement. The tables with the clearest changes are included."""

DECIMALS = 6
"""Number of decimal places of shares. Intervals are rounded outwards."""


def changes_since(earlier: str | Path, after: Measured, *, rehearsal: bool) -> dict[str, Any]:
    """Return the changes since a release package, as plain types.

    `columns` and `pairs` have the number of tables that changed by more than the noise, and the number of
    compared tables. No column changed by more than `most`. Raises: `Mistake` if the packages cannot be
    compared, or if only one is a practice run, whose measurements protect no one.
    """
    files = files_of(Path(earlier))
    layout = Layout(rehearsal=Layout(rehearsal=True).statement in files)
    if layout.rehearsal != rehearsal:
        raise Mistake("A practice run and a release cannot be compared.")
    found = drift(Measured.in_files(files), after)
    with damaged():
        release = json.loads(files[layout.statement])["release"]
        sized = {size: [t for t in found.tables if len(t.columns) == size] for size in (1, 2)}
        return {
            "release": str(release["id"]),
            "title": str(release["title"]),
            "measurements": hashlib.sha256(files[layout.marginals] + files[layout.measurements]).hexdigest(),
            "level": found.level,
            "columns": [sum(t.is_found for t in sized[1]), len(sized[1])],
            "pairs": [sum(t.is_found for t in sized[2]), len(sized[2])],
            "most": _outwards((0.0, max((t.interval[1] for t in sized[1]), default=1.0)))[1],
            "tables": [_facts(table) for table in found.tables[:MOST_TABLES]],
        }


def faults(earlier: str | Path, package: str | Path) -> list[str]:
    """Recompute the changes in the statement of a package, and return a sentence for each fault."""
    files = files_of(Path(package))
    layout = Layout(rehearsal=Layout(rehearsal=True).statement in files)
    with damaged():
        stated: Mapping[str, Any] | None = json.loads(files[layout.statement]).get("changes")
    if stated is None:
        return ["The statement contains no changes since an earlier release."]
    found = changes_since(earlier, Measured.in_files(files), rehearsal=layout.rehearsal)
    if any(stated.get(name) != found[name] for name in ("release", "measurements")):
        return [
            f"The statement compares with release {stated.get('release')}, not with this earlier package."
        ]
    same = stated.keys() == found.keys() and _flat(stated) == _flat(found)
    return [] if same else ["The changes in the statement do not follow from the two packages."]


def _facts(table: Changed) -> dict[str, Any]:
    cell = table.cells[0]
    return {
        "table": list(table.columns),
        "is_found": table.is_found,
        "interval": _outwards(table.interval),
        "cell": list(cell.labels),
        "before": round(cell.before, DECIMALS),
        "after": round(cell.after, DECIMALS),
        "change": _outwards(cell.interval),
    }


def _outwards(interval: tuple[float, float]) -> list[float]:
    low, high = (x * 10**DECIMALS for x in interval)
    return [floor(low) / 10**DECIMALS, ceil(high) / 10**DECIMALS]


def _flat(value: Any) -> Any:
    """Return the parts of a document in order, with floats rounded to hide differences between machines."""
    if isinstance(value, Mapping):
        return [(name, _flat(value[name])) for name in sorted(value)]
    if isinstance(value, list):
        return [_flat(part) for part in value]
    return round(value, DECIMALS - 2) if isinstance(value, float) else value
