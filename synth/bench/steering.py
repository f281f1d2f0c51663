"""What steering to a share costs: seconds, error of pairs, rules broken. `python -m synth.bench.steering`.

Two kinds of line: releases of Adult at epsilon 1 with a share that is bought, and records of the raw table,
drawn again and again until there are many, moved to other shares under the table's rules. The second kind
is no release and protects nobody.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from synth.bench.tables import BenchTable, find, read
from synth.core.codebook import Codebook
from synth.core.discretisation import resolve_axes
from synth.core.table import CodeTable
from synth.models.steer import steered
from synth.pipeline import regenerate, release
from synth.private.ledger import Ledger
from synth.release.plan import Plan
from synth.rules import AskedShare, parse_rules

BOUGHT = "the share of records where age is at most 20 and 'income>50K' is 1 should be as in the table"
MOVED = (
    "the share of records where age is at most 40 and sex is Female should be hidden as 0.24",
    "the share of records where marital-status is Divorced and income is >50K should be hidden as 0.03",
)
PROMISE = (1.0, 1e-9)


@dataclass(frozen=True, kw_only=True)
class Steered:
    """One steering. `off` is the largest distance of a share from what was asked; `seconds` are the
    processor's; `tvd` before and after is that of all pairs to the real table, None where none was made."""

    rows: int
    off: float
    seconds: float
    violations: int
    tvd: tuple[float, float] | None = None

    def __str__(self) -> str:
        tvd = (
            "" if self.tvd is None else f", TVD of pairs {self.tvd[0]:.5f} before and {self.tvd[1]:.5f} after"
        )
        return (
            f"{self.rows:,} records: off by {self.off:.1e}, {self.seconds:.2f} s, "
            f"{self.violations} violations{tvd}"
        )


def released(table: BenchTable, sentence: str, *, seed: int) -> Steered:
    """A release by the default method with one share, and the table it would be without."""
    rules = parse_rules([sentence], table.schema)
    plan = Plan(schema=table.schema, rules=rules, epsilon=PROMISE[0], delta=PROMISE[1], seed=seed)
    with TemporaryDirectory() as folder:
        ledger = Ledger(Path(folder) / "ledger.sqlite")
        protects = table.schema.protects
        ledger.open_population(table.schema.population, units=plan.units, protects=protects, reason="bench")
        made = release(plan, data=table.csv, ledger=ledger, run="bench")
        ledger.close()
    bare = regenerate(replace(plan, rules=parse_rules([], table.schema)), made.evidence, made.privacy)
    (found,) = made.checks.shares
    coded = rules.coded_shares(made.evidence.codebook)[0]
    asked = (AskedShare(coded=coded, noisy=found.noisy, sigma=found.sigma or 0.0),)
    domain, real = made.evidence.domain, read(table)
    start = time.process_time()
    steered(bare.codes.astype(np.int64), domain, asked, rng=np.random.default_rng(seed))
    seconds = time.process_time() - start
    return Steered(
        rows=len(made.codes),
        off=abs(found.reached - found.wanted),
        seconds=seconds,
        violations=sum(made.checks.violations.values()),
        tvd=(distance(real, CodeTable(domain, bare.codes)), distance(real, CodeTable(domain, made.codes))),
    )


def moved(table: BenchTable, sentences: Sequence[str], *, rows: int, seed: int) -> Steered:
    """So many records of a table that keep its rules, moved to shares."""
    own = [] if table.rules is None else table.rules.document["rules"]
    rules = parse_rules([*own, *sentences], table.schema)
    axes = resolve_axes(table.schema, rules)
    codebook = Codebook(schema=table.schema, axes=axes, zeros=rules.zeros(axes))
    real = read(replace(table, rules=rules, in_force=True)).codes.astype(np.int64)
    kept = real[~broken(real, codebook)]
    rng = np.random.default_rng(seed)
    records = kept[rng.integers(len(kept), size=rows)]
    asked = [AskedShare(coded=share) for share in rules.coded_shares(codebook)]
    start = time.process_time()
    after = steered(records, codebook.domain, asked, rng=rng, zeros=codebook.zeros)
    seconds = time.process_time() - start
    off = (abs(float(a.coded.holds(after, codebook.domain).mean()) - a.wanted) for a in asked)
    violations = int(broken(after, codebook).sum())
    return Steered(rows=rows, off=max(off), seconds=seconds, violations=violations)


def broken(codes: NDArray[np.int64], codebook: Codebook) -> NDArray[np.bool_]:
    """Which records are in a cell that a rule forbids."""
    broken = np.zeros(len(codes), dtype=np.bool_)
    for zero in codebook.zeros:
        broken |= zero.forbidden[tuple(codes[:, i] for i in codebook.domain.axes(zero.clique))]
    return broken


def distance(real: CodeTable, synthetic: CodeTable) -> float:
    """The mean total variation distance of all pairs of columns."""
    pairs = list(combinations(real.domain.names, 2))
    tables = ((real.project(r) / real.rows, synthetic.project(r) / synthetic.rows) for r in pairs)
    return float(np.mean([np.abs(a - b).sum() / 2 for a, b in tables]))


def main(arguments: Sequence[str]) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m synth.bench.steering", description="Time steering.")
    parser.add_argument("--runs", type=int, default=5, help="releases of Adult (default: 5)")
    parser.add_argument("--rows", type=float, nargs="*", default=[1.5e5, 5e6], help="records to move")
    asked = parser.parse_args(arguments)
    for seed in range(asked.runs):
        sys.stdout.write(f"{released(find('adult'), BOUGHT, seed=seed)}\n")
    for rows in asked.rows:
        sys.stdout.write(f"{moved(find('adult-raw'), MOVED, rows=int(rows), seed=0)}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
