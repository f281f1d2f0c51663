"""What keeping rules costs the generators: forbidden records, seconds, error. `python -m synth.bench.ruled`.

The default method asks about the raw Adult table at epsilon 1, with the table's rules in force. Every
generator makes a model of these answers twice, with the zeros of the rules and without; from each a table as
long as the release is drawn, whose pairs are held against the real ones, and then records by the million. The
first table is also steered to a share that it does not have. Codes and answers are the same both times, so
what differs is due to the zeros alone.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from synth.bench.measure import say
from synth.bench.runs import once
from synth.bench.steering import MOVED, broken, distance
from synth.bench.tables import BenchTable, find, read
from synth.bench.trial import Part, Trial
from synth.core.evidence import Evidence
from synth.core.system.device import device_of
from synth.core.table import CodeTable
from synth.mechanisms.blend import Blend
from synth.mechanisms.shared.recipe import recipe_of
from synth.models.base import Generator
from synth.models.registry import GENERATORS
from synth.models.steer import steered
from synth.rules import AskedShare, parse_rules

TABLE = "adult-raw"
EPSILON, DELTA = 1.0, 1e-9
NAMES = ("blend", "mixture", "copula", "network", "particles")
ROWS = 5_000_000
"""Further records; they are drawn at once, which takes some gigabytes of memory."""


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """One generator on answers, with zeros or without.

    `seconds` (the processor's) of the fit and of a table as long as the release, `more_seconds` of further
    records; `violations` among all `rows`, those of the table once it is steered included; `tvd` of the
    table's pairs; `off`: how far its share ends from what was asked.
    """

    seconds: float
    more_seconds: float
    rows: int
    violations: int
    tvd: float
    off: float


def answers(table: BenchTable, *, seed: int) -> Evidence:
    """What the default method asks and is told, with the rules in force."""
    trial = Trial(
        part=Part.MECHANISM,
        table=table.name,
        method=Blend.name,
        epsilon=EPSILON,
        delta=DELTA,
        run=seed,
        rules=True,
    )
    made = once(trial, recipe_of(Blend.name), table, trial.workload_of(table), 0)
    return made.fitted.evidence


def drawn(
    generator: Generator,
    evidence: Evidence,
    table: BenchTable,
    *,
    zeros: bool,
    rows: int,
    seed: int,
    wish: str,
) -> Drawn:
    """Fit, draw and judge; violations are of the answers' zeros, told to the generator or not."""
    told = evidence if zeros else _without_zeros(evidence)
    rng = np.random.default_rng([seed, 1])
    start = time.process_time()
    model = generator.fit(told, seed=seed)
    first = model.sample(round(evidence.total), rng)
    seconds = time.process_time() - start
    start = time.process_time()
    further = model.sample(rows, rng)
    more_seconds = time.process_time() - start
    codebook = told.codebook
    (coded,) = parse_rules([wish], table.schema).coded_shares(codebook)
    share = AskedShare(coded=coded)
    moved = steered(first, codebook.domain, [share], rng=rng, zeros=codebook.zeros)
    judged = np.concatenate([first, further, moved])
    return Drawn(
        seconds=seconds,
        more_seconds=more_seconds,
        rows=len(judged),
        violations=int(broken(judged, evidence.codebook).sum()),
        tvd=distance(read(table), CodeTable(codebook.domain, first)),
        off=abs(float(coded.holds(moved, codebook.domain).mean()) - share.wanted),
    )


def _without_zeros(evidence: Evidence) -> Evidence:
    return replace(evidence, codebook=replace(evidence.codebook, zeros=()))


def line(name: str, ruled: Sequence[Drawn], free: Sequence[Drawn]) -> str:
    """Means over the seeds of a generator, ruled against free."""

    def mean(runs: Sequence[Drawn], figure: str) -> float:
        return float(np.mean([getattr(run, figure) for run in runs]))

    def both(figure: str, digits: int) -> str:
        with_rules, without = mean(ruled, figure), mean(free, figure)
        return f"{with_rules:.{digits}f} / {without:.{digits}f} ({with_rules / without:.3f})"

    rows, found = sum(r.rows for r in ruled), sum(r.violations for r in ruled)
    spoiled = np.mean([r.violations / r.rows for r in free])
    return (
        f"{name}: {found} forbidden of {rows:,} ({spoiled:.2%} without rules); seconds with / without rules: "
        f"fit and table {both('seconds', 2)}, further records {both('more_seconds', 1)}; TVD of pairs "
        f"{both('tvd', 4)}; share off by {max(r.off for r in ruled):.1e}"
    )


def main(arguments: Sequence[str]) -> int:
    """Print a line per generator."""
    parser = argparse.ArgumentParser(prog="python -m synth.bench.ruled", description=__doc__)
    parser.add_argument("--generators", nargs="+", choices=GENERATORS, default=NAMES)
    parser.add_argument("--seeds", type=int, default=3, help="sets of answers (default: 3)")
    parser.add_argument("--rows", type=float, default=ROWS, help="further records of each generator")
    asked = parser.parse_args(arguments)
    table = find(TABLE).with_rules(True)
    told = [answers(table, seed=seed) for seed in range(asked.seeds)]
    for name in asked.generators:
        if GENERATORS[name].on_device:
            device_of()  # loads torch, which is no part of a fit
        ruled, free = (
            [
                drawn(
                    GENERATORS[name](),
                    evidence,
                    table,
                    zeros=zeros,
                    rows=int(asked.rows),
                    seed=seed,
                    wish=MOVED[1],
                )
                for seed, evidence in enumerate(told)
            ]
            for zeros in (True, False)
        )
        say(line(name, ruled, free))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
