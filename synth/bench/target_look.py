"""What declaring a target brings and costs Blend. `python -m synth.bench.target_look [runs]`.

Brings: 10,000 records of twelve fair yes-no columns and a label that is the XOR of two, three or four of
them. How often is the label's table with just these columns measured, and how many records have the right
label (one in two by chance)? Costs: Adult with its income declared, which has no such relation.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from synth.bench.measure import say
from synth.bench.runs import measure
from synth.bench.trial import Part, Trial
from synth.dictionaries import load_schema
from synth.mechanisms.blend import Blend
from synth.pipeline import release
from synth.private.ledger import Ledger
from synth.release.plan import Plan
from synth.rules import parse_rules

ROWS, COLUMNS, LABEL = 10_000, 12, "label"
PROMISE = (1.0, 1e-9)
RUNS = 40
ADULT, TARGET, ADULT_RUNS = "adult", "income>50K", 5


def xor_block(among: int, *, seed: int, rows: int = ROWS) -> tuple[bool, float]:
    """Whether the label's table with the columns it is the XOR of, and no other of more than two columns, was
    measured, and the part of the records with the right label. A whole release, with exact noise."""
    names = (*(f"c{i:02d}" for i in range(COLUMNS)), LABEL)
    columns = np.random.default_rng(seed).integers(0, 2, (rows, COLUMNS))
    codes = np.column_stack([columns, columns[:, :among].sum(axis=1) % 2])
    flags = [{"name": name, "kind": "category", "values": [0, 1], "blank": False} for name in names]
    schema = load_schema({"name": "xor", "population": "xor", "unit": {"max_rows": 1}, "columns": flags})
    epsilon, delta = PROMISE
    plan = Plan(
        schema=schema,
        rules=parse_rules([], schema),
        epsilon=epsilon,
        delta=delta,
        method=Blend.name,
        options={"target": LABEL},
        seed=seed,
    )
    with TemporaryDirectory() as folder:
        csv = Path(folder) / "xor.csv"
        np.savetxt(csv, codes, fmt="%d", delimiter=",", header=",".join(names), comments="")
        ledger = Ledger(Path(folder) / "ledger.sqlite")
        ledger.open_population("xor", units=plan.units, reason="benchmark", protects=schema.protects)
        made = release(plan, data=csv, ledger=ledger, run="xor")
        ledger.close()
    large = [m.clique for m in made.evidence.measurements if len(m.clique) > 2]
    right = made.codes[:, :among].sum(axis=1) % 2 == made.codes[:, -1]
    return large == [(*names[:among], LABEL)], float(right.mean())


def of_adult(options: dict[str, str], *, repeats: int) -> str:
    """The errors of Adult's pairs and triples, and processor seconds, with these options of Blend."""
    epsilon, delta = PROMISE
    trial = Trial(
        part=Part.MECHANISM,
        table=ADULT,
        method=Blend.name,
        epsilon=epsilon,
        delta=delta,
        repeats=repeats,
        options=options,
    )
    runs = measure(trial)
    told = [f"{name} {np.mean([float(run[name] or 0) for run in runs]):.4f}" for name in ("tvd2", "tvd3")]
    return f"{', '.join(told)}, {np.mean([float(run['cpu_seconds'] or 0) for run in runs]):.1f} s"


def main(asked: Sequence[str]) -> int:
    """Print a line per law of the label, and two of Adult."""
    runs = int(asked[0]) if asked else RUNS
    for among in (2, 3, 4):
        found, right = zip(*(xor_block(among, seed=seed) for seed in range(runs)), strict=True)
        say(f"XOR of {among}: found in {sum(found)} of {runs}, right labels {np.mean(right):.4f}")
    for options in ({}, {"target": TARGET}):
        say(f"Adult, {options}: {of_adult(options, repeats=min(runs, ADULT_RUNS))}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
