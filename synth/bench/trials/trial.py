"""Define a trial, one cell of a benchmark: a method on a table at an epsilon."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from operator import attrgetter
from typing import Any

from synth.bench.metrics import USUAL
from synth.bench.tables.tables import BenchTable
from synth.core.graphs.workload import Workload

Key = tuple[str, str, str, str, str, float | None, float | None, int]
_key_of = attrgetter("part", "table", "task", "variant", "method", "epsilon", "delta", "run")

REFERENCE = "bootstrap"
"""Method name of a trial that measures all references."""

PAIRS = "all-2way"
"""Name of the default task: all pairs of columns."""


class Part(StrEnum):
    """The kind of program of a trial: our mechanism, another library, or a non-private reference."""

    MECHANISM = "mechanism"
    PEER = "peer"
    REFERENCE = "reference"


class Keyed:
    """A trial or one of its figures. Both have the key of the trial."""

    @property
    def key(self) -> Key:
        """Return the key of the trial. Equal trials have equal keys, also if the benchmark continues
        later.
        """
        key: Key = _key_of(self)
        return key


@dataclass(frozen=True, kw_only=True)
class Trial(Keyed):
    """One cell of a benchmark.

    `method` is one of our methods (`mechanisms.shared.recipe.recipe_of`), the name of a peer, or the name of
    a reference. References have no epsilon and delta, and one trial measures all of them `repeats` times.
    `workload` is the number of columns per marginal. `rules` is True if the rules of the table apply.
    `options` are the options of the method, and `generator_options` the options of its generator. `metrics`
    is "none", "usual", "all", or names joined by plus signs. `run` is the seed for everything except noise;
    with repeats, it is the seed of the first run. The trial is stopped after `limit` seconds.
    """

    part: Part
    table: str
    method: str
    epsilon: float | None = None
    delta: float | None = None
    run: int = 0
    repeats: int = 1
    workload: int = 2
    rules: bool = False
    options: dict[str, Any] = field(default_factory=dict)
    generator_options: dict[str, Any] = field(default_factory=dict)
    metrics: str = USUAL
    limit: float = 3600.0

    @property
    def promise(self) -> tuple[float, float]:
        """Return epsilon and delta of a trial, which must have both."""
        assert self.epsilon is not None and self.delta is not None
        return self.epsilon, self.delta

    @property
    def task(self) -> str:
        return f"all-{self.workload}way"

    @property
    def variant(self) -> str:
        """Return the differences from default settings: rules in force, options."""
        options = sorted({**self.options, **self.generator_options}.items())
        return " ".join([*(["rules"] if self.rules else []), *(f"{name}={value}" for name, value in options)])

    def __str__(self) -> str:
        promise = "" if self.epsilon is None else f", epsilon {self.epsilon:g}"
        words = [self.table, *(w for w in (self.task, self.variant) if w and w != PAIRS), self.method]
        return f"{', '.join(words)}{promise}, run {self.run} ({self.part})"

    def workload_of(self, table: BenchTable) -> Workload:
        weights = {c.name: c.weight for c in table.schema.modelled}
        return Workload.all_kway(table.domain, self.workload, column_weights=weights)
