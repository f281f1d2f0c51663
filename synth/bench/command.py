"""The whole `release` command, timed from outside: start, ingest, exact noise, records, bundle."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from synth.bench import stopwatch
from synth.bench.tables import BenchTable
from synth.errors import MarginaliaError
from synth.evaluate.fidelity import Yardstick
from synth.evaluate.report import load_real, load_synthetic
from synth.preprocess.axes import resolve_axes
from synth.rules import parse_rules
from synth.schema_io import dump_schema


class CommandFailed(MarginaliaError):
    """The release command of a benchmark did not end well; quotes its last words (the tables are public)."""


@dataclass(frozen=True, kw_only=True)
class CommandFigures:
    """One command. Seconds of wall time; `peak_mb` that of its largest process."""

    seconds: float
    peak_mb: float
    tvd2: float
    tvd3: float


def arguments_of(folder: Path, table: BenchTable, *, method: str, epsilon: float, delta: float) -> list[str]:
    """The contract line of the command."""
    return [
        *("--data", str(table.csv), "--schema", str(folder / "schema.json")),
        *("--epsilon", str(epsilon), "--delta", str(delta), "--method", method),
        *("--lifetime-epsilon", str(max(10.0, epsilon)), "--out", str(folder / "bundle"), "--yes"),
    ]


def release(table: BenchTable, *, method: str, epsilon: float, delta: float) -> CommandFigures:
    """Run the command once with a ledger and job folder of its own. Errors: CommandFailed."""
    rules = parse_rules([], table.schema)
    axes = resolve_axes(table.schema, rules)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "schema.json").write_text(json.dumps(dump_schema(table.schema)), encoding="utf-8")
        places = {
            "MARGINALIA_LEDGER": str(folder / "ledger.sqlite"),
            "MARGINALIA_HOME": str(folder / "home"),
        }
        argv = arguments_of(folder, table, method=method, epsilon=epsilon, delta=delta)
        with (folder / "said").open("wb") as said:
            done = subprocess.run(
                [
                    *(sys.executable, stopwatch.__file__, str(folder / "time.json")),
                    *(sys.executable, "-m", "synth", "release", *argv),
                ],
                env={**os.environ, **places},
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                check=False,
            )
        if done.returncode != 0:
            last = (folder / "said").read_text(encoding="utf-8", errors="replace").strip().splitlines()[-1:]
            raise CommandFailed(f"The release command ended with code {done.returncode}: {' '.join(last)}")
        real = load_real(table.csv, table.schema, axes)
        synthetic = load_synthetic(folder / "bundle" / "data" / "synthetic.csv", table.schema, axes)
        fidelity = Yardstick(real).fidelity(synthetic)
        used = json.loads((folder / "time.json").read_text(encoding="utf-8"))
    return CommandFigures(**used, tvd2=fidelity.mean2, tvd3=fidelity.mean3)
