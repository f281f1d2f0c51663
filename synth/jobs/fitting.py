"""The process that compares a private file with its declaration: `python -m synth.jobs.fitting FOLDER`.

The folder is that of an errand (`jobs.errand`). Its order is the declaration and the file it is compared
with; `bands.json` in it holds one band per column, NOT PRIVATE: for the steward alone (0600).

The app's own process never opens the file: a table of gigabytes stays out of its memory, and a crafted one
meets a process that holds nothing else. A new comparison takes the place of the last.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from synth.errors import Code, Refusal
from synth.jobs import errand
from synth.jobs.store import State, Workplace

MODULE = "synth.jobs.fitting"
BUSY = "This file is being compared already."
LOST = "The comparison stopped without a result. Nothing was spent; start it again."


@dataclass(frozen=True, kw_only=True)
class ColumnFit:
    """NOT PRIVATE. A column and the band it falls into, in words."""

    column: str
    band: str
    is_good: bool


@dataclass(frozen=True, kw_only=True)
class Fit:
    """NOT PRIVATE. The last comparison: where it is, what it found, and which declaration it was made for."""

    state: State
    sentence: str
    of: str
    columns: tuple[ColumnFit, ...]


def start(folder: Path, *, schema: Mapping[str, Any], data: str) -> None:
    """Compare a file with a declaration in a process of its own; `seen` tells when it is done.

    Does nothing while a comparison is at work. Raises nothing about the file: that is for `seen` to say.
    """
    before = seen(folder)
    if before is not None and not before.state.is_end:
        return
    (folder / "bands.json").unlink(missing_ok=True)
    errand.start(folder, module=MODULE, order={"schema": schema, "data": data}, busy=BUSY)


def seen(folder: Path) -> Fit | None:
    """The last comparison in this folder, None if there was none."""
    status = errand.seen(folder, lost=LOST)
    if status is None:
        return None
    order = errand.order_of(Workplace(folder))
    found: list[dict[str, Any]] = []
    if status.state is State.DONE:
        found = json.loads((folder / "bands.json").read_text(encoding="utf-8"))["columns"]
    return Fit(
        state=status.state,
        sentence=status.sentence,
        of=digest_of(order["schema"], order["data"]),
        columns=tuple(ColumnFit(**entry) for entry in found),
    )


def digest_of(schema: Mapping[str, Any], data: str) -> str:
    """What a comparison depends on, as a short text: equal for the same columns, format and file."""
    facts = [data, schema.get("file"), [_domain_of(c) for c in schema.get("columns", [])]]
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:16]


def _domain_of(column: Mapping[str, Any]) -> dict[str, Any]:
    aside = ("title", "description", "provenance", "weight", "other_label")
    return {name: value for name, value in column.items() if name not in aside and value is not None}


def main(arguments: list[str] | None = None) -> int:
    """Entry of the process. Returns 0, also if another process has the folder."""
    return errand.run(arguments, _compare, failed=str(Refusal(Code.INTERNAL)))


def _compare(place: Workplace) -> None:
    from synth.evaluate.fit import MARK, fit  # brings numpy and pyarrow: only in this process
    from synth.preprocess.axes import resolve_axes
    from synth.rules import parse_rules
    from synth.schema import Kind
    from synth.schema_io import load_schema
    from synth.schema_io.check import cells_of

    order = errand.order_of(place)
    schema = load_schema(order["schema"])
    declared = tuple(
        c if cells_of(c) is not None else replace(c, kind=Kind.DROP, buy=False) for c in schema.columns
    )
    schema = replace(schema, columns=declared)
    axes = resolve_axes(schema, parse_rules([], schema))
    bands = fit(schema, Path(order["data"]), axes)
    found = [{"column": name, "band": band.value, "is_good": band.is_good} for name, band in bands]
    place.keep("bands.json", json.dumps({"mark": MARK, "columns": found}))


if __name__ == "__main__":
    sys.exit(main())
