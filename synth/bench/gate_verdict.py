"""What the gate found of one entry, in sentences that say what was seen and nothing more."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from synth.bench.gate_entries import OURS, entry_of, method_of
from synth.bench.gate_tables import EXCHANGED, Neighbour
from synth.bench.gate_transcript import Transcript, misdrawn
from synth.bench.peers.catalogue import PEERS
from synth.bench.tally import Outcome
from synth.bench.trial import Part
from synth.laws import ZCDP, Law, law_named
from synth.mechanisms import MECHANISMS

KEPT = Path(__file__).with_name("gate.json")
"""The verdicts that reports go by; `python -m synth.bench.gate` writes them."""

SLACK = 1e-3
"""Spent over declared beyond which an entry overspends: scores are compared in floats, weights in theirs."""

SCOPE = (
    "Judged on one invented table, at one promise, by units added or removed whole: of one row each, of "
    "methods of ours of two rows as well. A pass tells nothing of other tables, promises and larger units."
)
"""What all verdicts are about."""


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """Of one entry. `declared` and `spent` are in rho of the entry's law: what its promise allows, and what
    its draws cost at the largest move that any neighbour showed. `findings` are why it does not pass or is
    not judged, `notes` what was seen besides. `versions` are those of what was run, `command` how."""

    entry: str
    versions: str
    command: str
    epsilon: float
    delta: float
    law: str
    draws: int
    declared: float
    spent: float
    exchanged: float
    is_replayed: bool = True
    findings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def passes(self) -> bool:
        return self.is_replayed and not self.findings

    @property
    def overspent(self) -> float:
        """Spent over declared, at least 1."""
        return max(1.0, self.spent / self.declared)

    @property
    def by_draws(self) -> str:
        """What its epsilon is by the draws alone, at the delta that it was asked for; a dash where none were
        compared."""
        if not self.is_replayed:
            return "-"
        if not self.is_over:
            return f"{self.epsilon:.3g}"
        if math.isinf(self.spent):
            return "unbounded"
        return f"{max(self.epsilon, law_named(self.law).epsilon_of(self.spent, self.delta)):.3g}"

    @property
    def honest(self) -> str:
        """The epsilon to ask for so that the draws cost what is promised; a dash where the loss of one row is
        not bounded by its draws alone."""
        if self.passes:
            return f"{self.epsilon:.3g}"
        is_bounded = self.is_replayed and self.is_over and not math.isinf(self.spent)
        if not is_bounded or len(self.findings) > 1:
            return "-"
        return f"{law_named(self.law).epsilon_of(self.declared / self.overspent, self.delta):.3g}"

    @property
    def is_over(self) -> bool:
        return self.spent > self.declared * (1 + SLACK)

    @property
    def word(self) -> str:
        if not self.is_replayed:
            return "not judged"
        return "pass" if self.passes else "does not pass"

    def __str__(self) -> str:
        told = [f"{self.entry} ({self.versions}): {self.word}."]
        if self.draws:
            told += [f"{self.spent:.5f} rho of {self.declared:.5f} in {self.draws} draws."]
        return " ".join([*told, *self.findings, *self.notes])


class Gate:
    """The kept verdicts, asked by a benchmark's outcomes.

    A verdict on a library holds for its pinned versions. One on a method of ours holds for the options and
    the first look that it was judged with, and for every generator after it, which sees noisy answers alone;
    `read` gives those on this version of ours, whichever version measured the records.
    """

    def __init__(self, verdicts: Iterable[Verdict]) -> None:
        self._verdicts = {verdict.entry: verdict for verdict in verdicts}

    def verdict(self, one: Outcome) -> Verdict | None:
        if one.kind is Part.PEER:
            kept = self._verdicts.get(one.method)
            pinned = PEERS[one.method].library.pinned if one.method in PEERS else ()
            wanted = [word for word in pinned if not word.startswith("torch")]
            return kept if kept is not None and all(word in kept.versions for word in wanted) else None
        return self._verdicts.get(entry_of(one.method, one.variant))

    def word(self, one: Outcome) -> str:
        if one.kind is Part.REFERENCE:
            return "-"
        verdict = self.verdict(one)
        return "not judged" if verdict is None else verdict.word

    def counts(self, one: Outcome) -> bool:
        """Whether it may be first in something."""
        verdict = self.verdict(one)
        return one.kind is Part.REFERENCE or (verdict is not None and verdict.passes)

    def counted(self, outcomes: Iterable[Outcome]) -> list[Outcome]:
        return [one for one in outcomes if self.counts(one)]


Replays = Sequence[tuple[Neighbour, Transcript]]
"""Neighbours, and what a recorded run was on them."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Heard:
    """All runs of one entry: recorded, replayed on the same table and on neighbours, and with another
    declaration. `repeated` are recorded anew, for their noise; `pairs` is a run where a unit may have two
    rows, and its replays, None where nobody can be told so."""

    recorded: Transcript
    again: Transcript
    replayed: Replays
    swapped: Transcript
    repeated: Sequence[Transcript] = ()
    pairs: tuple[Transcript, Replays] | None = None

    @property
    def is_replayed(self) -> bool:
        """Whether the same table gives the same run: only then does a neighbour's tell something."""
        again, recorded = self.again, self.recorded
        return not again.broken and again.made == recorded.made and not sum(recorded.losses(again))

    @property
    def one(self) -> Replays:
        """Of neighbours that count against the promise: one row more or less."""
        return [(n, run) for n, run in self.replayed if n.how != EXCHANGED]

    @property
    def drawn(self) -> list[Transcript]:
        """All runs whose noise was drawn, not replayed."""
        return [self.recorded, *self.repeated, self.swapped, *([self.pairs[0]] if self.pairs else [])]

    @property
    def spent(self) -> float:
        return _spent(self.recorded, [run for _, run in self.one])

    @property
    def spent_by_pairs(self) -> float:
        return _spent(self.pairs[0], [run for _, run in self.pairs[1]]) if self.pairs else 0.0


def judged(
    heard: Heard, *, entry: str, versions: str, command: str, epsilon: float, delta: float, law: Law = ZCDP
) -> Verdict:
    """The verdict on an entry's runs. Neighbours that differ by one unit more or less count against its
    promise; what an exchanged row costs is told beside it."""
    declared = law.rho_within(epsilon, delta)
    return Verdict(
        entry=entry,
        versions=versions,
        command=command,
        epsilon=epsilon,
        delta=delta,
        law=law.name,
        draws=len(heard.recorded.draws),
        declared=declared,
        spent=max(heard.spent, heard.spent_by_pairs),
        exchanged=_spent(heard.recorded, [run for n, run in heard.replayed if n.how == EXCHANGED]),
        is_replayed=heard.is_replayed,
        findings=tuple(_findings(heard, declared=declared)),
        notes=tuple(_notes(heard)),
    )


def not_judged(
    why: str, *, entry: str, versions: str, command: str, epsilon: float, delta: float, law: Law
) -> Verdict:
    """What is kept of an entry that was not run, so that reports can say why; `why` is a sentence."""
    return Verdict(
        entry=entry,
        versions=versions,
        command=command,
        epsilon=epsilon,
        delta=delta,
        law=law.name,
        draws=0,
        declared=law.rho_within(epsilon, delta),
        spent=0.0,
        exchanged=0.0,
        is_replayed=False,
        findings=(why,),
    )


def _spent(recorded: Transcript, runs: Sequence[Transcript]) -> float:
    """The sum over draws of the largest loss that a neighbour showed."""
    losses = [recorded.losses(run) for run in runs]
    places = range(max(map(len, losses), default=0))
    return sum(max(loss[i] for loss in losses if i < len(loss)) for i in places)


def _findings(heard: Heard, *, declared: float) -> Iterable[str]:
    recorded = heard.recorded
    if not heard.is_replayed:
        yield "Replayed on the same table it gave another run, so that its runs cannot be compared."
        return
    if recorded.unheard:
        yield f"Of {recorded.unheard} draws it could not be told what they were added to."
    odd = misdrawn(heard.drawn)
    if odd:
        yield str(odd[0])
    yield from _cost(heard, declared * (1 + SLACK), declared)
    yield from _strays(recorded, heard.one)
    if heard.pairs:
        yield from _strays(*heard.pairs)
    if recorded.draws and _first(heard.swapped) == _first(recorded):
        yield "With more codes declared it looks at as many cells as before: its codes come from the rows."


def _cost(heard: Heard, most: float, declared: float) -> Iterable[str]:
    """One sentence on the larger cost, if it is too large."""
    spent = max(heard.spent, heard.spent_by_pairs)
    if spent > most:
        where = "" if heard.spent > most else " where a unit has two rows"
        yield f"Its draws cost {spent / declared:.3g} times the declared rho{where}."


def _strays(recorded: Transcript, replays: Replays) -> Iterable[str]:
    """What of the neighbours' runs is not as recorded: the first that asks something else, and all whose
    table differs."""
    broken = [f"With {n.told} it asks something else: {run.broken}." for n, run in replays if run.broken]
    yield from broken[:1]
    differing = [n.told for n, run in replays if not run.broken and run.made != recorded.made]
    if differing:
        yield (
            f"With {' or '.join(differing)} and every noisy answer as recorded, its table differs: something "
            "besides the noisy answers reaches it."
        )


def _notes(heard: Heard) -> Iterable[str]:
    differing = heard.recorded.misdeclared
    if differing is not None:
        drawn, noted = differing
        yield f"Its fit is told a standard deviation of {noted:.4g} where {drawn:.4g} was drawn."
    made = heard.recorded.made
    if any(run.made != made for n, run in heard.replayed if n.how != EXCHANGED) and all(
        run.made == made for n, run in heard.replayed if n.how == EXCHANGED
    ):
        yield "With one row exchanged, so that there are as many, its table is the recorded one."


def _first(run: Transcript) -> int:
    """How many numbers its first draw looks at."""
    return run.draws[0].exact.size if run.draws else 0


def write(verdicts: Iterable[Verdict], path: Path = KEPT) -> None:
    """Take up what is there of other entries, less what another version of ours was judged by."""
    kept = {v.entry: v for v in read(path)} | {v.entry: v for v in verdicts}
    told = [asdict(kept[entry]) for entry in sorted(kept)]
    path.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


def read(path: Path = KEPT) -> tuple[Verdict, ...]:
    """The kept verdicts, of methods of ours those on this version alone: they tell nothing of another one."""
    if not path.is_file():
        return ()
    kept = map(_verdict, json.loads(path.read_text(encoding="utf-8")))
    return tuple(verdict for verdict in kept if _is_current(verdict))


def _is_current(verdict: Verdict) -> bool:
    return method_of(verdict.entry) not in MECHANISMS or verdict.versions.partition(",")[0] == OURS


def _verdict(told: Mapping[str, object]) -> Verdict:
    words = {name: tuple(value) if isinstance(value, list) else value for name, value in told.items()}
    return Verdict(**words)  # type: ignore[arg-type]
