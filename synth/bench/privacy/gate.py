"""`python -m synth.bench.privacy.gate`: check that a library spends the budget that it states, before a
benchmark counts its results.

Every method of another library runs on a small invented table (`gate_tables`). The run is recorded, and
replayed on neighbouring tables and on unrelated rows. In a replay, every noisy measurement has its recorded
value, so the method must make the same queries and return the same table. The cost of its draws on the
neighbours is computed by textbook formulas (`gate_draws`) and compared with the declared budget. The noise
drawn in several runs is compared with its stated scale. The verdicts are written to `gate.json`, which the
reports of the benchmark use to mark entries. `tests/contracts` replays our own methods, and whole releases.

A finding proves a fault, but a pass proves nothing (`gate_verdict.SCOPE`).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from synth.bench.peers.catalogue import PEERS, Peer
from synth.bench.peers.homes import NotInstalled
from synth.bench.privacy import gate_peers
from synth.bench.privacy.gate_tables import ROWS, UNRELATED, neighbours
from synth.bench.privacy.gate_verdict import KEPT, SCOPE, Heard, Verdict, judged, read, write
from synth.bench.report.report import in_columns
from synth.bench.trials.machine import keep_to
from synth.bench.trials.measure import say
from synth.bench.trials.processes import RunFailed

EPSILON, DELTA = 1.0, 1e-5
REPEATS = 4
"""Number of additional runs whose noise is tested, because one run has too few numbers for a test."""

HEADINGS = ("entry", "versions", "verdict", "draws", "rho spent", "declared")


def of_peer(peer: Peer, *, epsilon: float = EPSILON, delta: float = DELTA) -> Verdict:
    """Return the verdict on a library. Raises: `NotInstalled`, `RunFailed`."""
    promise: dict[str, Any] = {"epsilon": epsilon, "delta": delta}
    recorded, tape = gate_peers.heard(peer, ROWS, **promise)
    replays = {
        name: gate_peers.heard(peer, rows, recorded=tape, **promise)[0]
        for name, rows in (("again", ROWS), ("elsewhere", UNRELATED), *neighbours())
    }
    heard = Heard(
        recorded=recorded,
        again=replays.pop("again"),
        unrelated=replays.pop("elsewhere"),
        neighbours=replays,
        repeated=[gate_peers.heard(peer, ROWS, seed=1 + i, **promise)[0] for i in range(REPEATS)],
    )
    versions = ", ".join(peer.library.judged)
    return judged(heard, entry=peer.name, versions=versions, command=typed(peer.name), **promise)


def typed(entry: str) -> str:
    return f"python -m synth.bench.privacy.gate {entry}"


def main(arguments: Sequence[str]) -> int:
    """Judge the libraries and store the verdicts."""
    name = "python -m synth.bench.privacy.gate"
    parser = argparse.ArgumentParser(prog=name, description=__doc__.splitlines()[0])
    named = f"default: all of {', '.join(PEERS)}"
    parser.add_argument("entries", nargs="*", metavar="ENTRY", help=named)
    parser.add_argument("--epsilon", type=float, default=EPSILON, help=f"default: {EPSILON:g}")
    parser.add_argument("--delta", type=float, default=DELTA, help=f"default: {DELTA:g}")
    parser.add_argument(
        "--out", type=Path, default=KEPT, metavar="FILE", help="default: the file that reports read"
    )
    parser.add_argument("--print", action="store_true", help="only print the stored verdicts")
    requested = parser.parse_args(arguments)
    if unknown := {*requested.entries} - {*PEERS}:
        parser.error(f"There is no entry {sorted(unknown)[0]!r}. Choose among {', '.join(PEERS)}.")
    keep_to(1)
    for entry in () if requested.print else requested.entries or PEERS:
        try:
            verdict = of_peer(PEERS[entry], epsilon=requested.epsilon, delta=requested.delta)
        except (NotInstalled, RunFailed) as failure:
            say(f"{entry}: not judged, {failure}")
            continue
        say(str(verdict))
        write([verdict], requested.out)
    verdicts = read(requested.out)
    say("\n" + in_columns([HEADINGS, *map(row, verdicts)]))
    for verdict in verdicts:
        for words in verdict.findings:
            say(f"{verdict.entry}: {words}")
    say(f"\n{SCOPE}")
    return 0


def row(verdict: Verdict) -> tuple[str, ...]:
    """Return a verdict in words, in the order of `HEADINGS`."""
    spent, declared = f"{verdict.spent:.5f}", f"{verdict.declared:.5f}"
    return verdict.entry, verdict.versions, verdict.word, str(verdict.draws), spent, declared


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
