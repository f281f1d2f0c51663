"""Check that a method spends what it states before a benchmark counts it: `python -m
synth.bench.privacy.gate`.

Every entry, a method of ours or of another library, runs on a small invented table (`gate_tables`); ours also
run on one of yes-no columns. The run is recorded and replayed on neighbouring tables. In a replay every noisy
measurement is the recorded one, so the method must make the same queries and return the same table. The cost
of its draws on the neighbours is computed by textbook formulas (`gate_transcript`) and compared with the
declared budget. The noise drawn in several runs is compared with its scale and with itself (`gate_repeats`),
and another declaration shows which codes a method reads. The verdicts are written to `gate.json`, which the
reports of the benchmark use to mark entries.

A library is also replayed on unrelated rows: if it reads only its noisy measurements, it makes the same
table. A method of ours is not, because it receives only measurements: a neighbouring table can reach its
replay only through the queries. So the test covers the cost of the queries asked. Queries are cheap, so
neighbours in every cell are tried, and units with two rows.

The gate covers one or two tables, one guarantee and a few neighbours (`gate_verdict.SCOPE`). A finding is a
fact; a pass is not a proof.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from synth.bench.peers import homes
from synth.bench.peers.catalogue import PEERS, Peer
from synth.bench.peers.homes import NotInstalled
from synth.bench.privacy import gate_ours, gate_peers
from synth.bench.privacy.gate_entries import OURS, USUAL, entry_typed, method_of
from synth.bench.privacy.gate_tables import MIXED, YES_NO, GateTable
from synth.bench.privacy.gate_verdict import KEPT, SCOPE, Heard, Verdict, judged, not_judged, read, write
from synth.bench.report.report import in_columns
from synth.bench.trials.machine import commit, keep_to
from synth.bench.trials.measure import say
from synth.bench.trials.processes import RunFailed
from synth.core.errors import Mistake
from synth.mechanisms import MECHANISMS

EPSILON, DELTA = 1.0, 1e-5
_BROUGHT = ("mbi", "opendp")
REPEATS = 4
"""Number of further runs whose noise is tested: one run has too few numbers."""

TRAINED = (
    "It trains where the rows are, and what was drawn cannot be told from the weights that it hands out."
)
HEADINGS = ("entry", "versions", "verdict", "draws", "rho spent", "declared", "epsilon by draws", "honest at")


def of_peer(peer: Peer, *, epsilon: float, delta: float) -> Verdict:
    """Return the verdict on a library. Raises: `NotInstalled`, `RunFailed`."""
    rows, sizes = MIXED.rows, MIXED.sizes
    promise: dict[str, Any] = {"epsilon": epsilon, "delta": delta}
    recorded, tape = gate_peers.heard(peer, rows, sizes, **promise)
    again, _ = gate_peers.heard(peer, rows, sizes, recorded=tape, **promise)
    replayed = [
        (one, gate_peers.heard(peer, one.rows, sizes, recorded=tape, **promise)[0])
        for one in MIXED.neighbours()
    ]
    far, _ = gate_peers.heard(peer, MIXED.elsewhere(), sizes, recorded=tape, **promise)
    other, _ = gate_peers.heard(peer, rows, MIXED.swapped(), **promise)
    anew = [gate_peers.heard(peer, rows, sizes, seed=1 + i, **promise)[0] for i in range(REPEATS)]
    heard = Heard(
        table=MIXED.name,
        recorded=recorded,
        again=again,
        replayed=replayed,
        elsewhere=far,
        swapped=other,
        repeated=anew,
    )
    return judged([heard], entry=peer.name, versions=versions_of(peer), command=typed(peer.name), **promise)


def versions_of(peer: Peer) -> str:
    """Return the pinned packages, and those they depend on for noise or fits."""
    held = {name: version for name, version in homes.versions(peer.library).items() if name in _BROUGHT}
    pinned = [word for word in peer.library.pinned if not word.startswith("torch")]
    named = {word.partition("==")[0] for word in pinned}
    return ", ".join(pinned + [f"{name}=={version}" for name, version in held.items() if name not in named])


def of_ours(entry: str, *, epsilon: float, delta: float) -> Verdict:
    """Return the verdict on a method of ours, with its options and its first measurements."""
    promise: dict[str, Any] = {"epsilon": epsilon, "delta": delta}
    told: dict[str, Any] = promise | {
        "entry": entry,
        "versions": f"{OURS}, commit {commit()}",
        "command": typed(entry),
        "law": gate_ours.law_of(entry),
    }
    if MECHANISMS[method_of(entry)].trains:
        return not_judged(TRAINED, **told)
    return judged([_heard(entry, table, **promise) for table in (MIXED, YES_NO)], **told)


def _heard(entry: str, table: GateTable, **promise: Any) -> Heard:
    rows, sizes = table.rows, table.sizes
    run, *anew = (gate_ours.recorded(entry, rows, sizes, **promise) for _ in range(1 + REPEATS))
    other = gate_ours.recorded(entry, rows, table.swapped(), **promise)
    pairs = gate_ours.recorded(entry, rows, sizes, per_unit=2, **promise)
    return Heard(
        table=table.name,
        recorded=run.transcript,
        again=run.on(rows),
        replayed=[
            *((one, run.on(one.rows)) for one in table.neighbours()),
            *((one, run.priced_on(one.rows)) for one in table.of_cells()),
        ],
        swapped=other.transcript,
        repeated=[one.transcript for one in anew],
        pairs=(pairs.transcript, [(one, pairs.priced_on(one.rows)) for one in table.of_pairs()]),
    )


def typed(entry: str) -> str:
    return f"python -m synth.bench.privacy.gate {shlex.quote(entry)}"


def main(arguments: Sequence[str]) -> int:
    """Judge and store the verdicts; returns 1 if one of our methods does not pass."""
    name = "python -m synth.bench.privacy.gate"
    parser = argparse.ArgumentParser(prog=name, description=__doc__.splitlines()[0])
    named = f"default: all of {', '.join(USUAL)}. With options: 'rap half_spaces=0.5'"
    parser.add_argument("entries", nargs="*", metavar="ENTRY", help=named)
    parser.add_argument("--epsilon", type=float, default=EPSILON, help=f"default: {EPSILON:g}")
    parser.add_argument("--delta", type=float, default=DELTA, help=f"default: {DELTA:g}")
    parser.add_argument("--out", type=Path, default=KEPT, metavar="FILE", help="default: where reports read")
    parser.add_argument("--print", action="store_true", help="only print what is kept")
    asked = parser.parse_args(arguments)
    try:
        entries = [entry_typed(entry) for entry in asked.entries or USUAL]
    except Mistake as mistake:
        parser.error(str(mistake))
    keep_to(1)
    failed = False
    for entry in () if asked.print else entries:
        try:
            verdict = _verdict(entry, epsilon=asked.epsilon, delta=asked.delta)
        except (NotInstalled, RunFailed) as failure:
            say(f"{entry}: not judged, {failure}")
            continue
        say(str(verdict))
        write([verdict], asked.out)
        failed |= entry not in PEERS and not verdict.passes and verdict.findings != (TRAINED,)
    verdicts = read(asked.out)
    say("\n" + in_columns([HEADINGS, *map(row, verdicts)]))
    for verdict in verdicts:
        for words in (*verdict.findings, *verdict.notes):
            say(f"{verdict.entry}: {words}")
    say(f"\n{SCOPE}")
    return int(failed)


def _verdict(entry: str, **promise: float) -> Verdict:
    return of_peer(PEERS[entry], **promise) if entry in PEERS else of_ours(entry, **promise)


def row(verdict: Verdict) -> tuple[str, ...]:
    """Return a verdict in words, in the order of `HEADINGS`."""
    return (
        verdict.entry,
        verdict.versions,
        verdict.word,
        str(verdict.draws),
        f"{verdict.spent:.5f}",
        f"{verdict.declared:.5f}",
        verdict.by_draws,
        verdict.honest,
    )


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
