"""What `--preset` knows: for every name a sentence, and what is measured under it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

from synth.bench.metrics import ALL, TAUGHT, USUAL
from synth.bench.report import paper_tables
from synth.bench.trials.trial import REFERENCE, Part, Trial
from synth.mechanisms import MECHANISMS
from synth.mechanisms.shared.recipe import every_recipe

_PAIRS = (("all", 2),)


@dataclass(frozen=True, kw_only=True)
class Preset:
    """A grid: every method on every table at every epsilon for every task, `repeats` times.

    `peers` are run `peer_repeats` times, each at most `limit` seconds. `tasks` are pairs of an aim and a
    number of columns (see `bench.trial.Trial`), `rules` whether a table's rules are in force,
    `preprocessings` those of `bench.prepared`; `options` goes to every method of ours and
    `generator_options` to its generator. `command` also times the whole release command; without
    `references` what no privacy at all gives is left out. `together`: all repeats of a method in one process,
    which is quicker where tables are small; the limit is then for all of them, and memory that of the first.
    `asks_once`: generators that follow the same selection are fitted to the same answers.
    """

    about: str
    sets: tuple[str, ...]
    epsilons: tuple[float, ...] = (1.0,)
    methods: tuple[str, ...]
    peers: tuple[str, ...] = ()
    repeats: int = 5
    peer_repeats: int = 1
    tasks: tuple[tuple[str, int], ...] = _PAIRS
    rules: tuple[bool, ...] = (False,)
    preprocessings: tuple[str, ...] = ("",)
    options: dict[str, Any] = field(default_factory=dict)
    generator_options: dict[str, Any] = field(default_factory=dict)
    metrics: str = USUAL
    command: bool = False
    references: bool = True
    together: bool = False
    asks_once: bool = False
    delta: float = 1e-9
    limit: float = 1800.0

    def trials(self) -> Iterator[Trial]:
        """Table by table: what is quick first, so that a benchmark that is stopped has something to say."""
        for table in self.sets:
            whole = Trial(part=Part.REFERENCE, table=table, method=REFERENCE, metrics=self.metrics)
            tasks = [replace(whole, aim=aim, workload=k) for aim, k in self.tasks]
            if self.references:
                yield from (replace(task, repeats=self.repeats) for task in tasks)
            for task, rules, prepared in product(tasks, self.rules, self.preprocessings):
                ours = replace(task, part=Part.MECHANISM, rules=rules, **self._options)
                ours = replace(ours, preprocessing=prepared)
                yield from self._grid(ours, self.methods, self.repeats)
            if self.command:
                command = replace(whole, part=Part.COMMAND, **self._options)
                yield from self._grid(command, self.methods, self.repeats)
            for task in tasks:
                yield from self._grid(replace(task, part=Part.PEER), self.peers, self.peer_repeats)

    @property
    def _options(self) -> dict[str, Any]:
        return {"options": self.options, "generator_options": self.generator_options}

    def _grid(self, task: Trial, methods: Sequence[str], repeats: int) -> Iterator[Trial]:
        promised = replace(task, delta=self.delta, limit=self.limit)
        step = repeats if self.together and task.part is Part.MECHANISM else 1
        for epsilon, method, run in product(self.epsilons, methods, range(0, repeats, step)):
            yield replace(promised, epsilon=epsilon, method=method, run=run, repeats=step)


@dataclass(frozen=True, kw_only=True)
class Papers(Preset):
    """Besides its grid anything that a printed figure stands beside (`bench.paper_tables`), first of all; of
    the sets, methods and promises that it is kept to."""

    def trials(self) -> Iterator[Trial]:
        figures = paper_tables.trials(self.repeats)
        beside = [
            trial
            for trial in figures
            if trial.table in self.sets and trial.method in self.methods and trial.epsilon in self.epsilons
        ]
        yield from sorted(beside, key=lambda trial: (self.sets.index(trial.table), trial.run))
        grid = replace(self, sets=tuple(s for s in self.sets if s in _TRIO), delta=1e-9)
        yield from super(Papers, grid).trials()


_TRIO = ("adult", "nltcs", "titanic")
_OF_PAIRS = (
    "blend",
    "grove",
    "aim",
    "absyn",
    "privmrf",
    "privbayes",
    "mst",
    "mwem",
    "gaussian",
    "independent",
)

PRESETS = {
    "quick": Preset(
        about="Ours against two libraries on Adult and NLTCS at epsilon 1; under ten minutes on two cores.",
        sets=("nltcs", "adult"),
        methods=("blend", "grove", "aim"),
        peers=("smartnoise-mst", "dpmm-mst"),
        limit=240.0,
    ),
    "full": Preset(
        about="Every method and every library on all coded tables at three promises; many hours.",
        sets=("titanic", "nltcs", "adult"),
        epsilons=(0.1, 1.0, 10.0),
        methods=_OF_PAIRS,
        peers=("smartnoise-mst", "smartnoise-aim", "dpmm-mst", "dpmm-aim", "mbi-mst", "mbi-aim"),
        peer_repeats=3,
        metrics=ALL,
        command=True,
        limit=3600.0,
    ),
    "aim-workloads": Preset(
        about="The workloads of the AIM paper: all triples, those with the target, and skewed ones.",
        sets=_TRIO,
        epsilons=(0.1, 1.0, 10.0),
        methods=("aim", "blend", "grove", "mwem", "mst", "gaussian", "independent"),
        tasks=(("all", 3), ("target", 3), ("skewed", 3)),
    ),
    "absyn-grid": Preset(
        about="The grid of the ABSyn paper as far as our tables go, at a budget that adds up.",
        sets=_TRIO,
        epsilons=(0.01, 0.1, 0.5, 1.0, 5.0),
        methods=("absyn", "aim", "blend", "grove", "privmrf", "mst", "mwem"),
        metrics=ALL,
    ),
    "structural-zeros": Preset(
        about="Adult as published, with and without its rules: error, and rows that break a rule.",
        sets=("adult-raw",),
        epsilons=(0.1, 1.0, 10.0),
        methods=("blend", "grove", "aim", "absyn", "mst"),
        rules=(False, True),
    ),
    "papers": Papers(
        about=(
            "The tables and figures of the five papers as far as our tables go, each beside what is printed: "
            "figures of Bank, Adult, Gaussian and survey-like tables, then AIM's workloads and ABSyn's TVDs."
        ),
        sets=("nltcs", "titanic", "adult", "adult-steps", "gauss10", "survey-split", "bank-split", "gauss50"),
        epsilons=(0.1, 0.2, 1.0, 2.5, 5.0, 10.0),
        methods=(
            *("aim", "absyn", "blend", "grove", "mst", "mwem", "privmrf", "privsyn", "gsd", "rap", "gem"),
            *("merf", "privpgd", "margnet"),
        ),
        repeats=1,
        tasks=(("all", 2), ("all", 3), ("skewed", 3)),
        metrics="tvd2+tvd3+tvd4+workload_error",
        limit=900.0,
    ),
    "every-method": Preset(
        about=(
            "Every method of ours on Adult and Bank at epsilon 1 and 5, delta 1e-5: errors of pairs, triples "
            "and queries, macro-F1 of tuned learners, time and memory, beside what papers print of them."
        ),
        sets=("adult-steps", "bank-split"),
        epsilons=(1.0, 5.0),
        methods=tuple(MECHANISMS),
        repeats=1,
        metrics=TAUGHT,
        delta=1e-5,
    ),
    "preprocessing": Preset(
        about=(
            "PrivTree, 100 uniform bins and the merge of rare values against the bins as declared, with the "
            "same methods on Bank and a Gaussian table. Fidelity and queries are of values, TVD is of the "
            "codes as declared, which favours those."
        ),
        sets=("bank-split", "gauss10"),
        methods=("aim", "privmrf", "gem", "privsyn", "grove", "aim+compress"),
        preprocessings=("", "uniform-100", "privtree"),
        repeats=1,
        metrics=TAUGHT,
        delta=1e-5,
    ),
    "merging": Preset(
        about="Rare values merged by the dual threshold, by the method, or not at all, on Adult in steps.",
        sets=("adult-steps",),
        methods=("aim", "mst", "grove", "privsyn", "aim+compress", "mst+compress"),
        preprocessings=("", "merge"),
        repeats=1,
        metrics=TAUGHT,
        delta=1e-5,
    ),
    "matrix": Preset(
        about=(
            "Every selection with every generator that suits it, all fitted to the same answers where they "
            "have no part in choosing, and after merging rare values, on five kinds of tables; a run is "
            "given up after five minutes."
        ),
        sets=("nltcs", "bank-ordered", "factor-mixture", "chain-20", "adult"),
        methods=every_recipe(),
        repeats=1,
        asks_once=True,
        limit=300.0,
    ),
    "coverage": Preset(
        about="How often the bounds hold, and how loose they are, over many seeds; what is slow comes last.",
        sets=("titanic", "nltcs"),
        epsilons=(0.1, 1.0, 10.0),
        methods=(
            "blend",
            "grove",
            "mixture",
            "copula",
            "aim",
            "absyn",
            "mst",
            "independent",
            "privpgd",
            "margnet",
        ),
        repeats=20,
    ),
    "default": Preset(
        about=(
            "The default against our other methods on every kind of table at five promises: in how many "
            "cells it is first, or within the noise of the first."
        ),
        sets=(
            *(
                "nltcs",
                "titanic",
                "adult",
                "bank-ordered",
                "survey",
                "chain-20",
                "xor-blocks",
                "parity-3",
                "sums",
            ),
            *("strokes", "rests", "codes", "orders", "gauss10", "zero-inflated", "thresholds", "heavy-tails"),
            *("factor-mixture", "chain-50", "gauss30", "multi50", "gauss50"),
        ),
        epsilons=(0.1, 0.2, 1.0, 5.0, 10.0),
        methods=(
            *("blend", "grove", "mixture", "copula", "aim", "absyn", "privmrf", "privsyn", "mst", "gaussian"),
            "independent",
        ),
        repeats=3,
        metrics="tvd1+tvd2+tvd3",
        together=True,
        limit=300.0,
    ),
    "gauss": Preset(
        about="The Gaussian tables of the MargNet paper with its fidelity error, at delta 1e-5.",
        sets=("gauss10", "gauss30", "gauss50"),
        epsilons=(0.2, 1.0, 10.0),
        methods=("blend", "grove", "aim", "absyn"),
        repeats=3,
        delta=1e-5,
    ),
    "wide": Preset(
        about="Wide tables: ordered columns, laws stated before any run, sparse chains; at delta 1e-5.",
        sets=(
            "gauss50-32-bins",
            "survey",
            "bank-ordered",
            "chain-50",
            "heavy-tails",
            "factor-mixture",
            "thresholds",
            "zero-inflated",
        ),
        methods=("blend", "grove", "mixture", "copula"),
        repeats=3,
        delta=1e-5,
    ),
    "learners": Preset(
        about="What learners taught on synthetic rows score on real ones that no run has seen.",
        sets=("adult-raw", "bank-split"),
        epsilons=(0.1, 1.0, 10.0),
        methods=("blend", "grove", "aim", "absyn", "mst", "independent"),
        repeats=3,
        metrics=ALL,
    ),
    "bank": Preset(
        about="Bank Marketing as published, through its schema.",
        sets=("bank",),
        epsilons=(0.1, 1.0, 10.0),
        methods=("blend", "grove", "aim", "absyn"),
    ),
}
