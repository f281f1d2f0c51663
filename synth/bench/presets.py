"""The presets of the benchmark. Each is a grid of tables, epsilons and methods."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

from synth.bench.metrics import ALL, NONE, USUAL
from synth.bench.tables.tables import target_of
from synth.bench.trials.trial import REFERENCE, Part, Trial
from synth.mechanisms import MECHANISMS
from synth.mechanisms.shared.recipe import every_recipe


@dataclass(frozen=True, kw_only=True)
class Preset:
    """A grid: each method on each table at each epsilon, `repeats` times.

    Other libraries (`peers`) run `peer_repeats` times, each for at most `limit` seconds. `workload` is the
    number of columns per marginal. `rules` is True if the rules of a table apply, and `targets` is True if
    its target is declared, for methods that use it. `options` are passed to each of our methods,
    `generator_options` to its generator. If `references` is False, the non-private references are not
    measured. `together` runs all repeats of a method in one process, which is faster on small tables; the
    limit then applies to all repeats together. With `asks`, answers to questions are measured instead of
    tables (`bench.inference`).
    """

    about: str
    sets: tuple[str, ...]
    methods: tuple[str, ...]
    epsilons: tuple[float, ...] = (1.0,)
    peers: tuple[str, ...] = ()
    repeats: int = 5
    peer_repeats: int = 1
    workload: int = 2
    rules: tuple[bool, ...] = (False,)
    targets: tuple[bool, ...] = (False,)
    options: dict[str, Any] = field(default_factory=dict)
    generator_options: dict[str, Any] = field(default_factory=dict)
    metrics: str = USUAL
    references: bool = True
    together: bool = False
    asks: bool = False
    delta: float = 1e-9
    limit: float = 1800.0

    def trials(self) -> Iterator[Trial]:
        """Return all trials, table by table."""
        for table in self.sets:
            task = Trial(
                part=Part.REFERENCE,
                table=table,
                method=REFERENCE,
                metrics=self.metrics,
                workload=self.workload,
            )
            if self.references:
                yield replace(task, repeats=self.repeats)
            for rules, declared in product(self.rules, self.targets):
                ours = replace(
                    task,
                    part=Part.MECHANISM,
                    rules=rules,
                    options={**self.options, "target": target_of(table)} if declared else self.options,
                    generator_options=self.generator_options,
                )
                able = [m for m in self.methods if not declared or hasattr(MECHANISMS.get(m), "target")]
                yield from self._grid(ours, able, self.repeats)
            yield from self._grid(replace(task, part=Part.PEER), self.peers, self.peer_repeats)

    def _grid(self, task: Trial, methods: Sequence[str], repeats: int) -> Iterator[Trial]:
        task = replace(task, delta=self.delta, limit=self.limit)
        step = repeats if self.together and task.part is Part.MECHANISM else 1
        for epsilon, method, run in product(self.epsilons, methods, range(0, repeats, step)):
            yield replace(task, epsilon=epsilon, method=method, run=run, repeats=step)


COMPARED = (
    *("blend", "grove", "mixture", "copula", "aim", "absyn", "privmrf", "privsyn", "mst", "gaussian"),
    "independent",
)
"""The default and the methods with which it is compared."""

PRESETS = {
    "quick": Preset(
        about="Our methods and two libraries on Adult and NLTCS at epsilon 1 (ten minutes on two cores).",
        sets=("nltcs", "adult"),
        methods=("blend", "grove", "aim"),
        peers=("smartnoise-mst", "dpmm-mst"),
        limit=240.0,
    ),
    "peers": Preset(
        about="Our methods and all libraries on the coded tables, three epsilons, all metrics (many hours).",
        sets=("titanic", "nltcs", "adult"),
        epsilons=(0.1, 1.0, 10.0),
        methods=(
            *("blend", "grove", "aim", "absyn", "privmrf", "privbayes", "mst", "mwem", "gaussian"),
            "independent",
        ),
        peers=("smartnoise-mst", "smartnoise-aim", "dpmm-mst", "dpmm-aim", "mbi-mst"),
        peer_repeats=3,
        metrics=ALL,
        limit=3600.0,
    ),
    "default": Preset(
        about="The default and ten of our other methods on 21 tables at five epsilons (hours).",
        sets=(
            *("nltcs", "titanic", "adult", "bank-ordered", "survey", "chain-20", "xor-blocks", "parity-3"),
            *("sums", "rests", "codes", "orders", "gauss10", "zero-inflated", "thresholds"),
            *("heavy-tails", "factor-mixture", "chain-50", "gauss30", "multi50", "gauss50"),
        ),
        epsilons=(0.1, 0.2, 1.0, 5.0, 10.0),
        methods=COMPARED,
        repeats=3,
        metrics="tvd1+tvd2+tvd3",
        together=True,
        limit=300.0,
    ),
    "unseen": Preset(
        about="The methods of `default` on six invented and two real tables on which nothing was tuned.",
        sets=("trial", "defects", "switches", "careers", "claims", "prescriptions", "insured", "married"),
        methods=COMPARED,
        repeats=3,
        metrics="tvd1+tvd2+tvd3",
        together=True,
        limit=300.0,
    ),
    "every-method": Preset(
        about="All our methods on Adult and Bank at epsilon 1 and 5, delta 1e-5, all metrics (an hour).",
        sets=("adult", "bank-split"),
        epsilons=(1.0, 5.0),
        methods=tuple(MECHANISMS),
        repeats=1,
        metrics=ALL,
        delta=1e-5,
    ),
    "small": Preset(
        about="The default and independent columns on small tables at five epsilons, ten runs (20 minutes).",
        sets=(
            *("adult-1000-rows", "adult-3000-rows", "nltcs-1000-rows", "titanic", "bank-ordered-1000-rows"),
            *("survey-2000-rows", "zero-inflated-1500-rows", "factor-mixture-2000-rows", "codes-2000-rows"),
        ),
        epsilons=(0.05, 0.1, 0.3, 1.0, 10.0),
        methods=("blend", "independent"),
        repeats=10,
        metrics="tvd1+tvd2",
        together=True,
    ),
    "efficacy": Preset(
        about="Macro-F1 or R2 of boosted trees for the default, with and without a target (ten minutes).",
        sets=(
            *("adult-raw", "bank-split", "titanic-split", "readmitted-2400-rows", "unpaid-6000-rows"),
            *("left-4000-rows", "diamonds-split"),
        ),
        methods=("blend", "grove"),
        targets=(False, True),
        metrics="tvd2+f1_boosting+f1_boosting_real+r2_boosting+r2_boosting_real",
        references=False,
        together=True,
    ),
    "order": Preset(
        about="The default on ordered columns and on the same columns declared as categories.",
        sets=tuple(
            name + ending
            for name in ("adult", "bank-ordered", "titanic", "survey-5000-rows", "orders-5000-rows")
            for ending in ("", "-categories")
        ),
        epsilons=(0.1, 1.0, 10.0),
        methods=("blend",),
        metrics="tvd1+tvd2",
        together=True,
    ),
    "matrix": Preset(
        about="Every selection with every suitable generator on five kinds of tables (many hours).",
        sets=("nltcs", "bank-ordered", "factor-mixture", "chain-20", "adult"),
        methods=every_recipe(),
        repeats=1,
        limit=300.0,
    ),
    "rules": Preset(
        about="Adult as published, with and without its rules: the error, and the rows that break a rule.",
        sets=("adult-raw",),
        epsilons=(0.1, 1.0, 10.0),
        methods=("blend", "grove", "aim", "absyn", "mst"),
        rules=(False, True),
    ),
    "scale": Preset(
        about="Time and memory of the default and two others on 10,000 to 10 million rows of Adult.",
        sets=tuple(f"adult-{rows}-rows" for rows in (10_000, 100_000, 1_000_000, 10_000_000)),
        methods=("blend", "grove", "aim"),
        repeats=1,
        metrics=NONE,
        references=False,
        limit=900.0,
    ),
    "wide": Preset(
        about="Time and memory of the default on chains of 100, 200 and 400 columns and 100,000 rows.",
        sets=tuple(f"chain-{columns}-100000-rows" for columns in (100, 200, 400)),
        methods=("blend",),
        repeats=1,
        metrics=NONE,
        references=False,
    ),
    "inference": Preset(
        about="How often the intervals of the kit hold, in 400 releases of each cell (seven hours).",
        sets=("adult", "bank", "nltcs", "invented"),
        epsilons=(0.5, 1.0, 3.0),
        methods=("grove", "blend", "aim"),
        repeats=400,
        asks=True,
    ),
}
