"""What the gate found of one entry, in sentences that say what was seen and nothing more."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from synth.bench.gate_tables import EXCHANGED, Neighbour
from synth.bench.gate_transcript import Transcript, is_as_drawn, spread
from synth.bench.peers.catalogue import PEERS
from synth.bench.tally import Outcome
from synth.bench.trial import Part
from synth.laws import ZCDP, Law, law_named

KEPT = Path(__file__).with_name("gate.json")
"""The verdicts that reports go by; `python -m synth.bench.gate` writes them."""

SLACK = 1e-3
"""Spent over declared beyond which an entry overspends: scores are compared in floats, weights in theirs."""


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """Of one entry. `declared` and `spent` are in rho of the entry's law: what its promise allows, and what
    its draws cost at the largest move that any neighbour showed. `findings` are why it does not pass, `notes`
    what was seen besides. `versions` are those of what was run, `command` how."""

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
        """What its epsilon is by the draws alone, at the delta that it was asked for."""
        real = (
            max(self.epsilon, law_named(self.law).epsilon_of(self.spent, self.delta))
            if self.is_over
            else self.epsilon
        )
        return f"{real:.3g}"

    @property
    def honest(self) -> str:
        """The epsilon to ask for so that the draws cost what is promised; a dash where the loss of one row is
        not bounded by its draws alone."""
        if self.passes:
            return f"{self.epsilon:.3g}"
        if not self.is_replayed or not self.is_over or len(self.findings) > 1:
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
        told = f"{self.entry} ({self.versions}): {self.word}. {self.spent:.5f} rho of {self.declared:.5f}"
        return " ".join([f"{told} in {self.draws} draws.", *self.findings, *self.notes])


class Gate:
    """The kept verdicts, asked by a benchmark's outcomes.

    A verdict on a library holds for its pinned versions, one on a selection of ours for every generator after
    it, which sees noisy answers alone.
    """

    def __init__(self, verdicts: Iterable[Verdict]) -> None:
        self._verdicts = {verdict.entry: verdict for verdict in verdicts}

    def verdict(self, one: Outcome) -> Verdict | None:
        if one.kind is Part.PEER:
            kept = self._verdicts.get(one.method)
            pinned = PEERS[one.method].library.pinned if one.method in PEERS else ()
            wanted = [word for word in pinned if not word.startswith("torch")]
            return kept if kept is not None and all(word in kept.versions for word in wanted) else None
        return self._verdicts.get(one.method.partition("+")[0])

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


@dataclass(frozen=True, eq=False, kw_only=True)
class Heard:
    """All runs of one entry: recorded, replayed on the same table and on neighbours, and with another
    declaration."""

    recorded: Transcript
    again: Transcript
    replayed: Sequence[tuple[Neighbour, Transcript]]
    swapped: Transcript

    @property
    def is_replayed(self) -> bool:
        """Whether the same table gives the same run: only then does a neighbour's tell something."""
        again, recorded = self.again, self.recorded
        return not again.broken and again.made == recorded.made and not sum(recorded.losses(again))


def judged(
    heard: Heard, *, entry: str, versions: str, command: str, epsilon: float, delta: float, law: Law = ZCDP
) -> Verdict:
    """The verdict on an entry's runs. Neighbours that differ by one row more or less count against its
    promise; what an exchanged row costs is told beside it."""
    declared = law.rho_within(epsilon, delta)
    one = [(n, run) for n, run in heard.replayed if n.how != EXCHANGED]
    spent = _spent(heard.recorded, [run for _, run in one])
    return Verdict(
        entry=entry,
        versions=versions,
        command=command,
        epsilon=epsilon,
        delta=delta,
        law=law.name,
        draws=len(heard.recorded.draws),
        declared=declared,
        spent=spent,
        exchanged=_spent(heard.recorded, [run for n, run in heard.replayed if n.how == EXCHANGED]),
        is_replayed=heard.is_replayed,
        findings=tuple(_findings(heard, one, declared=declared, spent=spent)),
        notes=tuple(_notes(heard)),
    )


def _spent(recorded: Transcript, runs: Sequence[Transcript]) -> float:
    """The sum over draws of the largest loss that a neighbour showed."""
    losses = [recorded.losses(run) for run in runs]
    places = range(max(map(len, losses), default=0))
    return sum(max(loss[i] for loss in losses if i < len(loss)) for i in places)


def _findings(
    heard: Heard, one: Sequence[tuple[Neighbour, Transcript]], *, declared: float, spent: float
) -> Iterable[str]:
    recorded = heard.recorded
    if not heard.is_replayed:
        yield "Replayed on the same table it gave another run, so that its runs cannot be compared."
        return
    if recorded.unheard:
        yield f"Of {recorded.unheard} draws it could not be told what they were added to."
    drawn = (recorded, heard.swapped)
    if not is_as_drawn(drawn):
        yield f"Its noise has {spread(drawn):.3g} times the spread of the scale it was asked for."
    if spent > declared * (1 + SLACK):
        yield f"Its draws cost {spent / declared:.3g} times the declared rho."
    for neighbour, run in one:
        if run.broken:
            yield f"With {neighbour.told} it asks something else: {run.broken}."
        elif run.made != recorded.made:
            yield (
                f"With {neighbour.told} and every noisy answer as recorded, its table differs: something "
                "besides the noisy answers reaches it."
            )
    if recorded.draws and _first(heard.swapped) == _first(recorded):
        yield "With more codes declared it looks at as many cells as before: its codes come from the rows."


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
    """Take up what is there of other entries."""
    kept = {v.entry: v for v in read(path)} | {v.entry: v for v in verdicts}
    told = [asdict(kept[entry]) for entry in sorted(kept)]
    path.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


def read(path: Path = KEPT) -> tuple[Verdict, ...]:
    if not path.is_file():
        return ()
    return tuple(_verdict(told) for told in json.loads(path.read_text(encoding="utf-8")))


def _verdict(told: Mapping[str, object]) -> Verdict:
    words = {name: tuple(value) if isinstance(value, list) else value for name, value in told.items()}
    return Verdict(**words)  # type: ignore[arg-type]
