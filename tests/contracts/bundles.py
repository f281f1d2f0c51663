"""The release package of a practice run, which has the same noise for the same rows."""

import re
from pathlib import Path
from typing import Any

from synth.app.jobs.spec import RunSpec
from synth.app.jobs.work import release
from synth.core.progress import silent

MOMENT = re.compile(rb"[0-9]{8}-[0-9a-f]{8}|[0-9a-f]{64}|[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+(\+00:00|Z)")
"""The id of a release, hashes of files that hold it, and when it was."""


def bundle_of(data: str, folder: Path, schema: dict[str, Any], *, method: str = "mst") -> dict[str, bytes]:
    """Return the files of a practice run's package, without what names the moment."""
    schema = {**schema, "file_is_public": True}
    facts = {"data": data, "schema": schema, "population": schema["population"], "method": method}
    budget = {"epsilon": 1.0, "delta": 1e-9, "lifetime_epsilon": 10.0}
    places = {"out": str(folder / "out"), "ledger": str(folder / "ledger.sqlite")}
    release(
        RunSpec(
            run="everywhere-1", rehearsal=3, seed=5, rows=500, most_unfit=1.0, **facts, **budget, **places
        ),
        silent,
    )
    out = folder / "out"
    files = {str(p.relative_to(out)): p.read_bytes() for p in out.rglob("*") if p.is_file()}
    return {name: MOMENT.sub(b"#", content) for name, content in files.items() if not name.endswith(".zip")}


def differing(found: dict[str, bytes], expected: dict[str, bytes]) -> list[str]:
    """Return the files that only one package has, or that differ."""
    return sorted(name for name in found.keys() | expected.keys() if found.get(name) != expected.get(name))
