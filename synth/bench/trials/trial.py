"""One thing to measure once: what is run, on which table, at which promise, with which seed."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from operator import attrgetter
from typing import Any

from synth.bench.metrics import USUAL
from synth.bench.tables.tables import BenchTable
from synth.core.domain import Domain
from synth.core.errors import Mistake
from synth.mechanisms.selection.workload import Workload

Key = tuple[str, str, str, str, str, float | None, float | None, int]
_key_of = attrgetter("part", "table", "task", "variant", "method", "epsilon", "delta", "run")

REFERENCE = "bootstrap"
"""The reference whose name a trial of all of them bears."""

AIMS = ("all", "target", "skewed")


class Part(StrEnum):
    """What is run: our mechanism alone, our whole release command, another library, or no privacy at all."""

    MECHANISM = "mechanism"
    COMMAND = "command"
    PEER = "peer"
    REFERENCE = "reference"


class Keyed:
    """A trial, or a figure of one: both bear the trial's key."""

    @property
    def key(self) -> Key:
        """The same for the same trial, today and when the benchmark is taken up again."""
        key: Key = _key_of(self)
        return key


@dataclass(frozen=True, kw_only=True)
class Trial(Keyed):
    """One cell of a benchmark.

    `method` is a method in words (`mechanisms.recipe.recipe_of`), the name of a peer, or that of a reference;
    epsilon and delta are None for references, all of which are one trial with its `repeats`. `aim` and
    `workload` name the workloads of the AIM paper: all marginals of so many columns, those that hold the
    table's target, or the skewed triples. `rules` puts those of the table in force; `options` are the
    method's own, `generator_options` those of its generator; `metrics` is "none", "usual", "all", or names
    joined by plus signs. `run` is the seed of what is not noise (with repeats that of the first); after
    `limit` seconds it is stopped. In `folder` it leaves where it is, so that it goes on from there when it
    was stopped (`bench.attempts`); empty for one that begins again. In the folder `answers` trials share what
    their selection received (`bench.kept_answers`); empty where each asks for itself.
    """

    part: Part
    table: str
    method: str
    epsilon: float | None = None
    delta: float | None = None
    run: int = 0
    repeats: int = 1
    workload: int = 2
    aim: str = "all"
    rules: bool = False
    preprocessing: str = ""
    options: dict[str, Any] = field(default_factory=dict)
    generator_options: dict[str, Any] = field(default_factory=dict)
    metrics: str = USUAL
    limit: float = 3600.0
    folder: str = ""
    answers: str = ""

    @property
    def promise(self) -> tuple[float, float]:
        """Epsilon and delta of a trial that has them."""
        assert self.epsilon is not None and self.delta is not None
        return self.epsilon, self.delta

    @property
    def task(self) -> str:
        """The workload in a word: all-2way, target-3way, skewed-3way."""
        return f"{self.aim}-{self.workload}way"

    @property
    def variant(self) -> str:
        """What sets it apart from the usual way: the rules in force, a preprocessing, options."""
        words = [word for word in ("rules" if self.rules else "", self.preprocessing) if word]
        options = sorted({**self.options, **self.generator_options}.items())
        return " ".join([*words, *(f"{name}={value}" for name, value in options)])

    def __str__(self) -> str:
        promise = "" if self.epsilon is None else f", epsilon {self.epsilon:g}"
        words = [self.table, *(w for w in (self.task, self.variant) if w and w != "all-2way"), self.method]
        return f"{', '.join(words)}{promise}, run {self.run} ({self.part})"

    def workload_of(self, table: BenchTable, domain: Domain | None = None) -> Workload:
        """The workload over the table's codes, or those of `domain`. Raises: `Mistake` for a name that is
        none, or no target."""
        domain = table.domain if domain is None else domain
        if self.aim == "target":
            if table.target is None:
                raise Mistake(f"The benchmark table {table.name!r} has no target column.")
            return Workload.target(domain, table.target, self.workload)
        if self.aim == "skewed":
            return Workload.skewed(domain)
        if self.aim != "all":
            raise Mistake(f"There is no workload {self.aim!r}. Choose one of: {', '.join(AIMS)}.")
        weights = {c.name: c.weight for c in table.schema.modelled}
        return Workload.all_kway(domain, self.workload, column_weights=weights)
