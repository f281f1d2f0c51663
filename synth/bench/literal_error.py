"""PrivPGD as published, to its end, on a table of three columns. `python -m synth.bench.literal_error`.

On anything larger the published form takes hours (`bench.literal_pace`). One set of answers, all pairs alike
under our promise, and records of them in three forms: as published, by default, and by the fast option. What
is judged is told by codes alone, so that only the forms differ.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from synth.bench.literal_particles import EPOCHS, ITERATIONS, records
from synth.bench.measure import say
from synth.bench.runs import once
from synth.bench.steering import distance
from synth.bench.tables import BenchTable, find, read
from synth.bench.trial import Part, Trial
from synth.core.evidence import Evidence
from synth.core.table import CodeTable
from synth.evaluate.sliced import sliced_distance
from synth.mechanisms.shared.recipe import recipe_of
from synth.models.registry import GENERATORS

TABLE, EPSILON, DELTA = "three-questions", 1.0, 1e-5
METHOD, FORMS = "privpgd+copula", {"by default": "particles", "fast option": "copula"}
PARTICLES = 10_000
"""Of the published form; its authors take 100,000, for tables of fifty times as many rows."""


@dataclass(frozen=True, kw_only=True)
class Made:
    """Records of one form. `seconds` are the processor's; `tvd` of all pairs, `sliced`: SW1."""

    form: str
    seconds: float
    tvd: float
    sliced: float

    def __str__(self) -> str:
        return f"{self.form}: TVD of pairs {self.tvd:.4f}, SW1 {self.sliced:.5f}, {self.seconds:.2f} s"


def forms(table: BenchTable, *, seed: int, particles: int, iterations: int, epochs: int) -> Iterator[Made]:
    """All three, of the same answers."""
    trial = Trial(
        part=Part.MECHANISM, table=table.name, method=METHOD, epsilon=EPSILON, delta=DELTA, run=seed
    )
    evidence = once(trial, recipe_of(METHOD), table, trial.workload_of(table), 0).fitted.evidence
    real, rows = read(table), round(evidence.total)
    for form, name in FORMS.items():
        start = time.process_time()
        model = GENERATORS[name]().fit(evidence, seed=seed)
        codes = model.sample(rows, np.random.default_rng(seed))
        yield _judged(form, real, codes, time.process_time() - start)
    start = time.process_time()
    codes = records(
        _shares(evidence),
        table.domain.sizes,
        particles=particles,
        seed=seed,
        iterations=iterations,
        epochs=epochs,
    )
    yield _judged("as published", real, codes, time.process_time() - start)


def _shares(evidence: Evidence) -> dict[tuple[int, int], np.ndarray]:
    """Noisy tables of all pairs, signed, as shares."""
    asked = {m.clique: m.counts for m in evidence.measurements if len(m.clique) == 2}
    names = evidence.domain.names
    places = combinations(range(len(names)), 2)
    return {(i, j): asked[names[i], names[j]] / evidence.total for i, j in places}


def _judged(form: str, real: CodeTable, codes: np.ndarray, seconds: float) -> Made:
    made = CodeTable(real.domain, codes)
    return Made(form=form, seconds=seconds, tvd=distance(real, made), sliced=sliced_distance(real, made))


def main(arguments: Sequence[str]) -> int:
    """Print a line for every form."""
    parser = argparse.ArgumentParser(
        prog="python -m synth.bench.literal_error",
        description="PrivPGD as published, by default and fast, on one small table.",
    )
    parser.add_argument("--table", default=TABLE, help=f"default: {TABLE}")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--particles", type=int, default=PARTICLES)
    parser.add_argument("--iterations", type=int, default=ITERATIONS, help="of every projection")
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    asked = parser.parse_args(arguments)
    table = find(asked.table)
    for made in forms(
        table,
        seed=asked.seed,
        particles=asked.particles,
        iterations=asked.iterations,
        epochs=asked.epochs,
    ):
        say(str(made))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
