"""State what the gate observed about one entry, and nothing more."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import zip_longest
from pathlib import Path

from synth.bench.peers.catalogue import PEERS
from synth.bench.privacy.gate_entries import OURS, entry_of, method_of
from synth.bench.privacy.gate_repeats import repeats
from synth.bench.privacy.gate_tables import EXCHANGED, Neighbour
from synth.bench.privacy.gate_transcript import GUMBEL, Transcript, misdrawn
from synth.bench.report.tally import Outcome
from synth.bench.trials.trial import Part
from synth.core.accounting import ZCDP, Law, law_named
from synth.mechanisms import MECHANISMS

KEPT = Path(__file__).with_name("gate.json")
"""The verdicts used by reports; `python -m synth.bench.privacy.gate` writes them."""

SLACK = 1e-3
"""Ratio of spent to declared budget beyond which an entry overspends: scores and weights are compared in
floats.
"""

SCOPE = (
    "Judged on one invented table, or on another as well where that is said, at one promise, by units added "
    "or removed whole: of one row each, of methods of ours of two rows as well. A pass tells nothing of "
    "other tables, promises and larger units."
)
"""The scope of all verdicts."""


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """The verdict on one entry. `declared` and `spent` are in rho of the entry's accounting: what its
    guarantee allows, and what its draws cost at the neighbour with the largest loss. `findings` are the
    reasons why it does not pass or is not judged; `notes` are other observations. `versions` are those of the
    programs, `command` shows how it ran.
    """

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
        """Return the epsilon that follows from the draws alone, at the requested delta; a dash if none were
        compared, or if there are other findings.
        """
        if not self.is_told_by_draws:
            return "-"
        if not self.is_over:
            return f"{self.epsilon:.3g}"
        if math.isinf(self.spent):
            return "unbounded"
        return f"{max(self.epsilon, law_named(self.law).epsilon_of(self.spent, self.delta)):.3g}"

    @property
    def honest(self) -> str:
        """Return the epsilon to request so that the draws cost what is stated; a dash if the draws alone do
        not bound the loss of one row.
        """
        if self.passes:
            return f"{self.epsilon:.3g}"
        if not self.is_told_by_draws or math.isinf(self.spent):
            return "-"
        return f"{law_named(self.law).epsilon_of(self.declared / self.overspent, self.delta):.3g}"

    @property
    def is_over(self) -> bool:
        return self.spent > self.declared * (1 + SLACK)

    @property
    def is_told_by_draws(self) -> bool:
        """Whether the only finding, if any, is the cost of the draws."""
        return self.is_replayed and len(self.findings) == int(self.is_over)

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
    """The stored verdicts, as used by the results of a benchmark.

    A verdict on a library applies to its pinned versions. A verdict on a method of ours applies to the
    options and first measurements it was judged with, and to every generator after it, which reads noisy
    measurements only. `read` returns those on this version of ours.
    """

    def __init__(self, verdicts: Iterable[Verdict]) -> None:
        self._verdicts = {verdict.entry: verdict for verdict in verdicts}

    def verdict(self, one: Outcome) -> Verdict | None:
        if one.kind is Part.PEER:
            kept = self._verdicts.get(one.method)
            pinned = PEERS[one.method].library.pinned if one.method in PEERS else ()
            wanted = [word for word in pinned if not word.startswith("torch")]
            return kept if kept is not None and {*wanted} <= {*kept.versions.split(", ")} else None
        return self._verdicts.get(entry_of(one.method, one.variant))

    def word(self, one: Outcome) -> str:
        if one.kind is Part.REFERENCE:
            return "-"
        verdict = self.verdict(one)
        return "not judged" if verdict is None else verdict.word

    def counts(self, one: Outcome) -> bool:
        """Whether the entry may be ranked first."""
        verdict = self.verdict(one)
        return one.kind is Part.REFERENCE or (verdict is not None and verdict.passes)

    def counted(self, outcomes: Iterable[Outcome]) -> list[Outcome]:
        return [one for one in outcomes if self.counts(one)]


Replays = Sequence[tuple[Neighbour, Transcript]]
"""Neighbours, and what a recorded run would have been on them."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Heard:
    """All runs of one entry on one table, which `table` names: recorded, replayed on the same rows and on
    neighbours, and with another declaration. `elsewhere` is replayed on unrelated rows, None for a method
    that receives only answers. `repeated` are recorded again, for their noise. `pairs` is a run in which a
    unit may have two rows, and what it would have drawn on neighbours, None if that cannot be computed.
    """

    table: str
    recorded: Transcript
    again: Transcript
    replayed: Replays
    swapped: Transcript
    elsewhere: Transcript | None = None
    repeated: Sequence[Transcript] = ()
    pairs: tuple[Transcript, Replays] | None = None

    @property
    def is_replayed(self) -> bool:
        """Whether the same table gives the same run; only then is a replay on a neighbour meaningful."""
        again, recorded = self.again, self.recorded
        is_asked = not again.broken and again.asked == recorded.asked
        return is_asked and again.made == recorded.made and not sum(recorded.losses(again))

    @property
    def one(self) -> Replays:
        """Return the neighbours that count against the guarantee: one row more or less."""
        return [(n, run) for n, run in self.replayed if n.how != EXCHANGED]

    @property
    def others(self) -> list[tuple[str, Transcript]]:
        """Return replays that must not differ, because all answers are as recorded; the tables are in
        words.
        """
        far = [] if self.elsewhere is None else [("other rows altogether", self.elsewhere)]
        return [(neighbour.told, run) for neighbour, run in self.one] + far

    @property
    def drawn(self) -> list[Transcript]:
        """Return the runs whose noise was drawn and not replayed."""
        return [self.recorded, *self.repeated, self.swapped, *([self.pairs[0]] if self.pairs else [])]

    @property
    def spent(self) -> float:
        return _spent(self.recorded, [run for _, run in self.one])

    @property
    def spent_by_pairs(self) -> float:
        return _spent(self.pairs[0], [run for _, run in self.pairs[1]]) if self.pairs else 0.0

    @property
    def most_spent(self) -> float:
        return max(self.spent, self.spent_by_pairs)

    @property
    def spent_by_exchange(self) -> float:
        return _spent(self.recorded, [run for n, run in self.replayed if n.how == EXCHANGED])

    @property
    def spent_draw_by_draw(self) -> float:
        """Return the sum over draws of the largest loss at any neighbour; possibly no single neighbour has
        all of them.
        """
        losses = [self.recorded.losses(run) for _, run in self.one]
        return sum(max(of_one) for of_one in zip_longest(*losses, fillvalue=0.0))


def judged(
    heards: Sequence[Heard],
    *,
    entry: str,
    versions: str,
    command: str,
    epsilon: float,
    delta: float,
    law: Law = ZCDP,
) -> Verdict:
    """Return the verdict on the runs of an entry, on one table or several; the one with the largest cost
    counts.

    Neighbours that differ by one unit more or less count against its guarantee. The cost of an exchanged row
    is stated beside it.
    """
    declared = law.rho_within(epsilon, delta)
    worst = max(heards, key=lambda heard: heard.most_spent)
    return Verdict(
        entry=entry,
        versions=versions,
        command=command,
        epsilon=epsilon,
        delta=delta,
        law=law.name,
        draws=sum(len(heard.recorded.draws) for heard in heards),
        declared=declared,
        spent=worst.most_spent,
        exchanged=max(heard.spent_by_exchange for heard in heards),
        is_replayed=all(heard.is_replayed for heard in heards),
        findings=(*_told(heards, _findings), *_cost(worst, declared)),
        notes=(
            *_told(heards, lambda heard: _notes(heard, declared=declared)),
            *(f"Judged on {heard.table} as well." for heard in heards[1:]),
        ),
    )


def not_judged(
    why: str, *, entry: str, versions: str, command: str, epsilon: float, delta: float, law: Law
) -> Verdict:
    """Return the verdict on an entry that was not run, so that reports can say why; `why` is a sentence."""
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
    """Return the largest loss over all draws at one neighbour: this neighbour proves it."""
    return max((sum(recorded.losses(run)) for run in runs), default=0.0)


def _told(heards: Sequence[Heard], sentences: Callable[[Heard], Iterable[str]]) -> tuple[str, ...]:
    """Return sentences that apply to every table; for a table after the first with its name, unless it was
    said before.
    """
    first, *others = heards
    said = [*sentences(first)]
    for heard in others:
        said += [f"On {heard.table}: {told}" for told in sentences(heard) if told not in said]
    return tuple(said)


def _findings(heard: Heard) -> Iterable[str]:
    """Yield all findings except the cost of the draws."""
    recorded = heard.recorded
    if not heard.is_replayed:
        yield "Replayed on the same table it gave another run, so that its runs cannot be compared."
        return
    if recorded.unheard:
        yield f"Of {recorded.unheard} draws it could not be told what they were added to."
    if not recorded.asked:
        yield "No noise was heard in it."
    odd = misdrawn(heard.drawn)
    if odd:
        yield str(odd[0])
    yield from repeats([recorded, *heard.repeated])
    yield from _strays(recorded, heard.others)
    if recorded.draws and _sizes(heard.swapped) == _sizes(recorded):
        yield "With more codes declared it looks at as many cells as before: its codes come from the rows."


def _cost(heard: Heard, declared: float) -> Iterable[str]:
    """Return one sentence on the larger cost, if it is too large."""
    spent, most = heard.most_spent, declared * (1 + SLACK)
    if heard.is_replayed and spent > most:
        where = "" if heard.spent > most else " where a unit has two rows"
        if math.isinf(spent):
            yield f"The cost of its draws has no bound{where}."
        else:
            yield f"Its draws cost at least {spent / declared:.3g} times the declared rho{where}."


def _strays(recorded: Transcript, replays: Sequence[tuple[str, Transcript]]) -> Iterable[str]:
    """Return replays that are not as recorded: the first with another query, the first with more or fewer
    queries, and all with another table.
    """
    broken = [f"With {told} it asks something else: {run.broken}." for told, run in replays if run.broken]
    yield from broken[:1]
    whole = [(told, run) for told, run in replays if not run.broken]
    unlike = [(told, run.asked) for told, run in whole if run.asked != recorded.asked]
    for told, asked in unlike[:1]:
        how = "fewer" if asked < recorded.asked else "more"
        yield f"With {told} it asks {how} questions: {asked} instead of {recorded.asked}."
    differing = [told for told, run in whole if run.made != recorded.made]
    if differing:
        yield (
            f"With {' or '.join(differing)} and every noisy answer as recorded, its table differs: something "
            "besides the noisy answers reaches it."
        )


def _notes(heard: Heard, *, declared: float) -> Iterable[str]:
    sizes = {draw.exact.size for draw in heard.recorded.draws if draw.kind == GUMBEL}
    if 1 in sizes:
        yield "A single number with Gumbel noise is no choice, and its loss has no bound."
    if sizes - {1}:
        yield "Gumbel noise costs what is said if nothing but the place of the largest number is used."
    if heard.spent <= declared * (1 + SLACK) < heard.spent_draw_by_draw:
        times = heard.spent_draw_by_draw / declared
        yield (
            f"With each at the neighbour that moves it most its draws cost {times:.3g} times the declared "
            "rho, but no neighbour that was tried moves all so much."
        )
    differing = heard.recorded.misdeclared
    if differing is not None:
        drawn, noted = differing
        yield f"Its fit is told a standard deviation of {noted:.4g} where {drawn:.4g} was drawn."
    made = heard.recorded.made
    if any(run.made != made for n, run in heard.replayed if n.how != EXCHANGED) and all(
        run.made == made for n, run in heard.replayed if n.how == EXCHANGED
    ):
        yield "With one row exchanged, so that there are as many, its table is the recorded one."


def _sizes(run: Transcript) -> list[int]:
    """Return the number of numbers in its draws, without draws of a single number, which show codes only if
    there are no others.
    """
    sizes = [draw.exact.size for draw in run.draws]
    return [size for size in sizes if size > 1] or sizes


def write(verdicts: Iterable[Verdict], path: Path = KEPT) -> None:
    """Write the verdicts, and keep those of other entries, except those of another version of ours."""
    kept = {v.entry: v for v in read(path)} | {v.entry: v for v in verdicts}
    told = [asdict(kept[entry]) for entry in sorted(kept)]
    path.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


def read(path: Path = KEPT) -> tuple[Verdict, ...]:
    """Return the stored verdicts; of methods of ours only those on this version."""
    if not path.is_file():
        return ()
    kept = map(_verdict, json.loads(path.read_text(encoding="utf-8")))
    return tuple(verdict for verdict in kept if _is_current(verdict))


def _is_current(verdict: Verdict) -> bool:
    return method_of(verdict.entry) not in MECHANISMS or verdict.versions.partition(",")[0] == OURS


def _verdict(told: Mapping[str, object]) -> Verdict:
    words = {name: tuple(value) if isinstance(value, list) else value for name, value in told.items()}
    return Verdict(**words)  # type: ignore[arg-type]
