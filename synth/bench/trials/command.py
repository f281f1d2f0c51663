"""The whole `release` command, timed from outside: start, ingest, exact noise, records, bundle."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from synth.bench.metrics import Figures
from synth.bench.tables.tables import BenchTable
from synth.bench.trials.processes import RunFailed, timed
from synth.bench.trials.trial import Trial
from synth.core.discretisation import resolve_axes
from synth.dictionaries import dump_schema
from synth.evaluate.fidelity import Yardstick
from synth.evaluate.report import load_real, load_synthetic
from synth.rules import parse_rules


def release(table: BenchTable, trial: Trial) -> Figures:
    """Run the command once with a ledger and job folder of its own: `seconds` of wall time, `peak_mb` of its
    largest process, `tvd2` and `tvd3` of its table. Raises: `RunFailed`."""
    epsilon, delta = trial.promise
    options = [
        *(("--option", f"{name}={json.dumps(value)}") for name, value in trial.options.items()),
        *(("--generator-option", f"{name}={json.dumps(v)}") for name, v in trial.generator_options.items()),
    ]
    axes = resolve_axes(table.schema, parse_rules([], table.schema))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "schema.json").write_text(json.dumps(dump_schema(table.schema)), encoding="utf-8")
        command = [
            *(sys.executable, "-m", "synth", "release"),
            *("--data", str(table.csv), "--schema", str(folder / "schema.json")),
            *("--epsilon", str(epsilon), "--delta", str(delta), "--method", trial.method),
            *("--lifetime-epsilon", str(max(10.0, epsilon)), "--out", str(folder / "bundle"), "--yes"),
            *(word for option in options for word in option),
        ]
        places = {
            "MARGINALIA_LEDGER": str(folder / "ledger.sqlite"),
            "MARGINALIA_HOME": str(folder / "home"),
        }
        try:
            used = timed(command, variables=places)
        except RunFailed as failure:
            raise RunFailed(f"The release command {failure}") from None
        real = load_real(table.csv, table.schema, axes)
        synthetic = load_synthetic(folder / "bundle" / "data" / "synthetic.csv", table.schema, axes)
        tvd = Yardstick(real).fidelity(synthetic)
    return {"seconds": used.seconds, "peak_mb": used.peak_mb, "tvd2": tvd.mean2, "tvd3": tvd.mean3}
