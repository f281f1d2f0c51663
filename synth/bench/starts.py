"""`python -m synth.bench.starts`: measure the error of the default method with a public starting table.

Each run splits the rows of a table at random. One half is private. The starting table is made from the other
half, in one of these ways:

`same 0.05`, `same 0.2`, `same 1`: unchanged rows; their number is this multiple of the number of private
rows. `shifted 0.1`, `0.3`, `0.6`: this proportion of each column's cells is permuted, and rows are drawn with
weights that grow with three columns. `overstated 0.3`: in this proportion of the rows, every second column
follows the column before it. `shuffled 1`: every column is permuted separately. `release 1`: a release of the
other half at this epsilon.

The output is the mean TVD of pairs, its ratio to the mean TVD without a start, with the standard error of the
ratio, and the TVD of the starting table.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from itertools import combinations
from math import nan, sqrt
from pathlib import Path
from statistics import fmean, stdev

import numpy as np
from numpy.typing import NDArray

from synth.bench.tables.tables import BenchTable, find, read
from synth.bench.trials.measure import say
from synth.bench.trials.session import opened
from synth.bench.trials.trial import Part, Trial
from synth.core.codebook import Codebook
from synth.core.evidence import Start
from synth.mechanisms.shared.base import Problem
from synth.mechanisms.shared.recipe import recipe_of
from synth.release.drawing import records_of

METHOD, DELTA = "blend", 1e-9
NONE = "none"
KINDS = (
    "same 0.05", "same 0.2", "same 1", "shifted 0.1", "shifted 0.3", "shifted 0.6", "overstated 0.3",
    "shuffled 1", "release 1",
)  # fmt: skip

Rows = NDArray[np.int64]


def start_of(kind: str, rows: Rows, count: int, sizes: Sequence[int], rng: np.random.Generator) -> Rows:
    """Return a starting table of a given kind, made from `rows`. Shapes: int64[any, columns]."""
    what, part = kind.split()[0], float(kind.split()[1])
    if what == "same":
        return rows[rng.choice(len(rows), min(int(part * count), len(rows)), replace=False)]
    made, columns = rows.copy(), range(len(sizes))
    for j in columns[1::2] if what == "overstated" else columns:
        some = np.flatnonzero(rng.random(len(made)) < part)
        if what == "overstated":
            made[some, j] = made[some, j - 1] * sizes[j] // sizes[j - 1]
        else:
            made[some, j] = made[rng.permutation(some), j]
    if what == "shifted":
        weights = np.exp(2 * part * sum(made[:, j] / sizes[j] for j in (0, 2, len(sizes) - 1)))
        made = made[rng.choice(len(made), len(made), p=weights / weights.sum())]
    return made


def error(real: Rows, made: Rows, sizes: Sequence[int]) -> float:
    """Return the mean TVD of all pairs."""
    off = []
    for a, b in combinations(range(len(sizes)), 2):
        shares = [
            np.bincount(rows[:, a] * sizes[b] + rows[:, b], minlength=sizes[a] * sizes[b]) / len(rows)
            for rows in (real, made)
        ]
        off.append(float(np.abs(shares[0] - shares[1]).sum()) / 2)
    return fmean(off)


def released(table: BenchTable, csv: Path, start: Rows | None, *, epsilon: float, seed: int) -> Rows:
    """Return synthetic rows from the default method."""
    recipe, trial = recipe_of(METHOD), Trial(part=Part.MECHANISM, table=table.name, method=METHOD)
    law = recipe.mechanism.law
    with opened(csv, table.schema, table.axes, epsilon=epsilon, delta=DELTA, law=law) as (session, _, units):
        problem = Problem(
            workload=trial.workload_of(table),
            codebook=Codebook(schema=table.schema, axes=table.axes),
            start=None if start is None else Start(codes=start, source="", digest=""),
            seed=seed,
        )
        source = session.source(table.axes, session.account("mechanism", units))
        model = recipe.run(source, problem, rng=np.random.default_rng(seed)).model
        return records_of(model, round(model.total), np.random.default_rng(seed)).astype(np.int64)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m synth.bench.starts", description=__doc__)
    parser.add_argument("--table", default="adult", help="a table of codes without groups")
    parser.add_argument("--epsilon", type=float, nargs="+", default=[0.1, 0.3, 1.0])
    parser.add_argument("--kind", nargs="+", default=list(KINDS))
    parser.add_argument("--runs", type=int, default=3)
    requested = parser.parse_args(arguments)
    table = find(requested.table)
    codes, sizes = read(table).codes.astype(np.int64), table.domain.sizes
    header, *lines = table.csv.read_text(encoding="utf-8").splitlines()
    say("table, epsilon, start, mean TVD of pairs, ratio to none, standard error, TVD of the start")
    for epsilon in requested.epsilon:
        found: dict[str, list[tuple[float, float]]] = {kind: [] for kind in (NONE, *requested.kind)}
        for seed in range(requested.runs):
            rng = np.random.default_rng([seed, 35])
            order, half = rng.permutation(len(codes)), len(codes) // 2
            real, others = codes[order[:half]], codes[order[half:]]
            with tempfile.TemporaryDirectory() as folder:
                csvs = [Path(folder) / name for name in ("private.csv", "others.csv")]
                for csv, places in zip(csvs, (order[:half], order[half:]), strict=True):
                    csv.write_text("\n".join([header, *(lines[i] for i in places)]) + "\n")
                for kind, errors in found.items():
                    if kind.startswith("release"):
                        before = float(kind.split()[1])
                        start: Rows | None = released(table, csvs[1], None, epsilon=before, seed=seed)
                    else:
                        start = None if kind == NONE else start_of(kind, others, half, sizes, rng)
                    rows = released(table, csvs[0], start, epsilon=epsilon, seed=seed)
                    own = 0.0 if start is None else error(real, start, sizes)
                    errors.append((error(real, rows, sizes), own))
        alone = [e for e, _ in found[NONE]]
        for kind, errors in found.items():
            mean, own = fmean(e for e, _ in errors), fmean(o for _, o in errors)
            ratio = mean / fmean(alone)
            off = [e - ratio * a for (e, _), a in zip(errors, alone, strict=True)]
            sd = stdev(off) / sqrt(len(off)) / fmean(alone) if len(off) > 1 else nan
            say(f"{table.name}, {epsilon:g}, {kind}, {mean:.4f}, {ratio:.2f}, {sd:.2f}, {own:.4f}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
