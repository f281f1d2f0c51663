"""One thing to measure once: what is run, on which table, at which promise, with which seed."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from operator import attrgetter
from typing import Any

from synth.bench.judge import USUAL

Key = tuple[str, str, str, str, str, float | None, float | None, int]
_key_of = attrgetter("part", "table", "task", "variant", "method", "epsilon", "delta", "run")

REFERENCE = "bootstrap"
"""The reference whose name a trial of all of them bears."""


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

    `method` is a mechanism, the name of a peer, or that of a reference; epsilon and delta are None for
    references, all of which are one trial with its `repeats`. `aim`, `workload`, `rules`, `options` and
    `metrics` are those of `bench.runs.Cell`; `run` is the seed of what is not noise; `limit` is given in
    seconds, after which it is stopped.
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
    options: dict[str, Any] = field(default_factory=dict)
    metrics: str = USUAL
    limit: float = 3600.0

    @property
    def task(self) -> str:
        """The workload in a word: all-2way, target-3way, skewed-3way."""
        return f"{self.aim}-{self.workload}way"

    @property
    def variant(self) -> str:
        """What sets it apart from the usual way: the rules in force, options."""
        told = ["rules"] if self.rules else []
        return " ".join([*told, *(f"{name}={value}" for name, value in sorted(self.options.items()))])

    def __str__(self) -> str:
        promise = "" if self.epsilon is None else f", epsilon {self.epsilon:g}"
        words = [self.table, *(w for w in (self.task, self.variant) if w and w != "all-2way"), self.method]
        return f"{', '.join(words)}{promise}, run {self.run} ({self.part})"
