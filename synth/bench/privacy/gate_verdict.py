"""The verdict on an entry, which states only what the gate observed."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from synth.bench.peers.catalogue import PEERS
from synth.bench.privacy.gate_draws import Transcript, odd_noise
from synth.bench.report.tally import Outcome
from synth.bench.trials.trial import Part
from synth.core.accounting import ZCDP
from synth.core.documents import read_as

KEPT = Path(__file__).with_name("gate.json")
"""File of the verdicts that reports use. `python -m synth.bench.privacy.gate` writes it."""

SLACK = 1e-3
"""Accepted relative excess of the spent over the declared budget.

The tolerance is needed because scores and weights are floats.
"""

SCOPE = (
    "Judged on one invented table with one guarantee, by adding or removing single rows. A pass does not "
    "extend to other tables and guarantees."
)
"""The scope of a verdict. It is the same for all verdicts."""


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """The verdict on one entry. `declared` is the rho that its guarantee allows, and `spent` is the rho of
    its draws at the neighbouring table with the largest loss. `findings` are the reasons why it does not
    pass. `versions` are the versions of the programs, and `command` shows how the entry was run.
    """

    entry: str
    versions: str
    command: str
    epsilon: float
    delta: float
    draws: int
    declared: float
    spent: float
    findings: tuple[str, ...] = ()

    @property
    def passes(self) -> bool:
        return not self.findings

    @property
    def word(self) -> str:
        return "pass" if self.passes else "does not pass"

    def __str__(self) -> str:
        summary = f"{self.entry} ({self.versions}): {self.word}."
        return " ".join(
            [summary, f"{self.spent:.5f} rho of {self.declared:.5f} in {self.draws} draws.", *self.findings]
        )


class Gate:
    """The stored verdicts, as applied to the results of a benchmark.

    A verdict applies only to the versions that were checked. `tests/contracts` checks our own methods.
    """

    def __init__(self, verdicts: Iterable[Verdict]) -> None:
        self._verdicts = {verdict.entry: verdict for verdict in verdicts}

    def verdict(self, one: Outcome) -> Verdict | None:
        kept = self._verdicts.get(one.method)
        is_of_this = kept and {*PEERS[kept.entry].library.judged} <= {*kept.versions.split(", ")}
        return kept if is_of_this else None

    def word(self, one: Outcome) -> str:
        if one.kind is not Part.PEER:
            return "-"
        verdict = self.verdict(one)
        return "not judged" if verdict is None else verdict.word

    def counts(self, one: Outcome) -> bool:
        """Whether an entry may be ranked first."""
        return self.word(one) in ("-", "pass")


@dataclass(frozen=True, eq=False, kw_only=True)
class Heard:
    """All runs of one entry: recorded, recorded again with new noise (`repeated`), and replayed on the same
    rows, on neighbouring tables and on unrelated rows, with descriptions of the tables.
    """

    recorded: Transcript
    again: Transcript
    neighbours: Mapping[str, Transcript]
    repeated: Sequence[Transcript] = ()
    unrelated: Transcript

    @property
    def is_replayed(self) -> bool:
        """Whether a replay on the same table gives the same run. Otherwise, a replay on a neighbouring table
        is meaningless.
        """
        again, recorded = self.again, self.recorded
        is_requested = not again.broken and again.requested == recorded.requested
        return is_requested and again.made == recorded.made and not recorded.loss(again)

    @property
    def spent(self) -> float:
        """Return the largest loss of all draws together at one neighbouring table, in rho.

        It proves that the entry costs at least this much.
        """
        return max((self.recorded.loss(run) for run in self.neighbours.values()), default=0.0)


def judged(heard: Heard, *, entry: str, versions: str, command: str, epsilon: float, delta: float) -> Verdict:
    """Return the verdict on the runs of an entry."""
    declared = ZCDP.rho_within(epsilon, delta)
    return Verdict(
        entry=entry,
        versions=versions,
        command=command,
        epsilon=epsilon,
        delta=delta,
        draws=len(heard.recorded.draws),
        declared=declared,
        spent=heard.spent,
        findings=tuple(_findings(heard, declared)),
    )


def _findings(heard: Heard, declared: float) -> Iterator[str]:
    recorded = heard.recorded
    if not heard.is_replayed:
        yield "When replayed on the same table, it gave a different run, so its runs cannot be compared."
        return
    if recorded.unheard:
        yield f"For {recorded.unheard} of its draws, it is unknown to which numbers they were added."
    if not recorded.requested:
        yield "It drew no noise."
    else:
        yield from odd_noise([recorded, *heard.repeated])
    yield from _strays(heard)
    if math.isinf(heard.spent):
        yield "The cost of its draws has no bound."
    elif heard.spent > declared * (1 + SLACK):
        yield f"Its draws cost at least {heard.spent / declared:.3g} times the declared rho."


def _strays(heard: Heard) -> Iterator[str]:
    """Yield sentences about replays that differ from the recorded run: the first one with a different query,
    the first one with more or fewer queries, and all with a different table.
    """
    recorded, replays = heard.recorded, {**heard.neighbours, "with unrelated rows": heard.unrelated}
    broken = [(name, run.broken) for name, run in replays.items() if run.broken]
    for name, draw in broken[:1]:
        yield f"Run {name}, it makes a different query: {draw}."
    whole = {name: run for name, run in replays.items() if not run.broken}
    unlike = [(name, run.requested) for name, run in whole.items() if run.requested != recorded.requested]
    for name, requested in unlike[:1]:
        yield f"Run {name}, it makes {requested} queries instead of {recorded.requested}."
    differing = [name for name, run in whole.items() if run.made != recorded.made]
    if differing:
        yield (
            f"Run {' or '.join(differing)}, and with every noisy measurement as recorded, its table "
            "differs, so it depends on something besides the noisy measurements."
        )


def write(verdicts: Iterable[Verdict], path: Path = KEPT) -> None:
    """Write the verdicts, and keep the stored verdicts of other entries."""
    kept = {v.entry: v for v in read(path)} | {v.entry: v for v in verdicts}
    stored = [asdict(kept[entry]) for entry in sorted(kept)]
    path.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")


def read(path: Path = KEPT) -> tuple[Verdict, ...]:
    """Return the stored verdicts."""
    if not path.is_file():
        return ()
    return tuple(read_as(Verdict, stored) for stored in json.loads(path.read_text(encoding="utf-8")))
