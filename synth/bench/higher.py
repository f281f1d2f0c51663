"""What votes, and a look at the target, bring where pairs hide the structure.

`python -m synth.bench.higher [runs] [sets]`. Tables with known truth (`bench.separating`) and Artificial
Characters, at epsilon 1 and delta 1e-5: right classes of held-out rows by 5-NN taught on the synthetic rows,
macro-F1 of a random forest, errors of tables of 1, 2, 3 and 5 columns, and processor seconds. Blend with the
target declared and Ballot are ours.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np

from synth.bench.measure import say
from synth.bench.runs import measure
from synth.bench.tables import CHARACTERS, find
from synth.bench.trial import Part, Trial
from synth.mechanisms.blend import Blend
from synth.mechanisms.learned.ballot import Ballot
from synth.mechanisms.learned.tabpe import TabPE

SETS = ("xor-blocks", "parity-3", "parity-4", "sums", "rests", "strokes", CHARACTERS)
PROMISE = (1.0, 1e-5)
RUNS = 3
ACCURACY = "accuracy_neighbours"
TOLD = (ACCURACY, "f1_forest", "tvd1", "tvd2", "tvd3", "tvd5", "cpu_seconds")
REAL = f"{ACCURACY}_real"


def methods(target: str) -> list[tuple[str, dict[str, str]]]:
    """Each method with its options, and whose column to predict they are told."""
    return [
        (TabPE.name, {"label": target}),
        (Ballot.name, {"label": target}),
        (Blend.name, {}),
        (Blend.name, {"target": target}),
    ]


def figures(table: str, method: str, options: dict[str, str], *, runs: int) -> dict[str, float]:
    """The mean of every figure over the runs."""
    epsilon, delta = PROMISE
    trial = Trial(
        part=Part.MECHANISM,
        table=table,
        method=method,
        epsilon=epsilon,
        delta=delta,
        repeats=runs,
        options=options,
        metrics="+".join([*(name for name in TOLD if name != "cpu_seconds"), REAL]),
    )
    made = measure(trial)
    return {name: float(np.mean([float(run[name] or 0) for run in made])) for name in (*TOLD, REAL)}


def line(method: str, options: dict[str, str], found: dict[str, float]) -> str:
    """One method on one table, in words."""
    told = ", ".join(f"{name} {found[name]:.{1 if name == 'cpu_seconds' else 3}f}" for name in TOLD)
    return f"{method} {' '.join(options) or 'alone'}: {told}"


def main(asked: Sequence[str]) -> int:
    """Print a line per table and method."""
    runs = int(asked[0]) if asked else RUNS
    for table in asked[1:] or SETS:
        target = find(table).target
        assert target is not None, "a table without a column to predict"
        for number, (method, options) in enumerate(methods(target)):
            found = figures(table, method, options, runs=runs)
            if number == 0:
                say(f"{table}: of real rows 5-NN puts {found[REAL]:.3f} into the right class")
            say(f"  {line(method, options, found)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
