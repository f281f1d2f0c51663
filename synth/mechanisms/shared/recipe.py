"""A recipe: a mechanism, the codes in which it measures, and the generator of records.

Selection and generation are separate choices. A mechanism selects and measures. Any suitable generator can
follow without using budget. Rare values can be merged before the mechanism runs:

1. Measure every column with `COMPRESSING` of the cost.
2. Merge values whose counts would be below the noise: neighbours in ordered columns, and rare values in other
   columns (`mechanisms.selection.coarsening`). Values that a structural zero distinguishes are never merged.
3. Run the mechanism on the coarser codes. It receives only the smaller domain.
4. Fit a model to all answers, including those of step 1. Merged values are drawn in the proportions of the
   released one-way table.

Difference from MST and ABSyn, which also merge values: they measure the columns once, so the noise of a
merged value must be rescaled, and they draw merged values with equal probability. Here, the mechanism
measures the columns again in the codes that it uses. Privacy: step 1 is `measure`. The groups depend only on
its answers, so the queries of step 3 use public codes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from synth.core.axis import Grouping
from synth.core.errors import Code, Mistake, Refusal
from synth.core.evidence import Evidence
from synth.core.measurements.noisy import Measurement
from synth.core.numbers import number_of
from synth.core.options import check_names, check_values
from synth.mechanisms import MECHANISMS
from synth.mechanisms.selection.allocation import shares
from synth.mechanisms.selection.coarsening import coarsen, kinds_of
from synth.mechanisms.shared.answers import evidence_of
from synth.mechanisms.shared.base import Fitted, Mechanism, Problem, check_options
from synth.models.base import Generator
from synth.models.estimates.columns import one_ways
from synth.models.registry import GENERATORS
from synth.private.queries import A, Marginal, Query
from synth.private.source import Source
from synth.private.terms import Allowance, Terms

COMPRESS = "compress"
COMPRESSING = 0.05
"""Share of the cost for measuring the columns first. The fit uses these measurements too."""

SIGMAS = 3.0
SHARE = 0.002
"""Maximum share of the records that have a rare value. A value is also rare if its count is small compared
with the sigma of its noise. MST and the benchmark paper use these two thresholds.
"""


def objection(mechanism: type[Mechanism], generator: str) -> str | None:
    """Return the reason why a generator cannot be used with a mechanism, or None if it can."""
    follower = GENERATORS[generator]
    if mechanism.trains and not follower.trains:
        return f"{mechanism.title} trains a network, but this generator needs measured tables."
    if follower.trains and not mechanism.trains:
        return f"This generator needs a trained network, and {mechanism.title} does not train one."
    if mechanism.trains != follower.trains:
        return f"This generator uses another network than the one that {mechanism.title} trains."
    if follower.relates and not mechanism.keeps_relations:
        return f"{mechanism.title} measures only single columns, so this generator has no relations to model."
    if mechanism.embeds and not follower.embeds:
        return f"{mechanism.title} measures sums of waves, which this generator cannot use."
    if mechanism.votes is not follower.votes:
        if mechanism.votes:
            return f"{mechanism.title} measures votes of records, which this generator cannot use."
        return f"This generator needs votes of records, which {mechanism.title} does not measure."
    if follower.joins_all and not mechanism.joins:
        return f"{mechanism.title} measures more relations than one graphical model can contain."
    return None


def method_title(name: str) -> str:
    """Return the title of a method, or its name if it no longer exists."""
    return MECHANISMS[name].title if name in MECHANISMS else name


def generator_title(name: str) -> str:
    """Return the title of a generator, or its name if it no longer exists."""
    return GENERATORS[name].title if name in GENERATORS else name


def followers(mechanism: type[Mechanism]) -> tuple[str, ...]:
    """Return the generators that can follow a mechanism. The mechanism's own generator comes first."""
    fitting = [name for name in GENERATORS if objection(mechanism, name) is None]
    return (mechanism.generator, *(name for name in fitting if name != mechanism.generator))


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """A mechanism, its generator with options, and whether rare values are merged. If `generator` is None,
    the mechanism's own generator is used.

    Raises: `Mistake` for a generator or an option that does not exist or is not suitable, and for merging
    before a mechanism that merges values itself.
    """

    mechanism: Mechanism
    generator: str | None = None
    generator_options: Mapping[str, Any] = field(default_factory=dict)
    compress: bool = False

    def __post_init__(self) -> None:
        if self.generator is not None:
            if self.generator not in GENERATORS:
                known = ", ".join(GENERATORS)
                raise Mistake(f"There is no generator {self.generator!r}. Choose one of: {known}.")
            why = objection(type(self.mechanism), self.generator)
            if why is not None:
                raise Mistake(
                    f"The generator {self.generator!r} cannot be used with {self.mechanism.name!r}: {why}"
                )
        if self.compress and not self.mechanism.joins:
            raise Mistake(
                f"{self.mechanism.title} cannot merge rare values, or always merges them itself. Leave that "
                "option off."
            )
        check_values(self.follower)

    @property
    def words(self) -> str:
        """Return the recipe as a string that `recipe_of` can parse."""
        merging = [COMPRESS] if self.compress else []
        return "+".join([self.mechanism.name, *merging, *([self.generator] if self.generator else [])])

    @property
    def is_own(self) -> bool:
        """Return whether the mechanism's own generator draws the records."""
        return self.generator in (None, self.mechanism.generator)

    @property
    def is_inside(self) -> bool:
        """Return whether the generator also fits the models of the mechanism: the models used for choices, or
        the only model of a mechanism that makes no choices.
        """
        return self.is_own or self.generator in self.mechanism.stand_ins or not self.mechanism.chooses

    @property
    def packages(self) -> tuple[str, ...]:
        """Return the packages that the models need in addition to the usual ones."""
        choosing = () if self.is_inside else self.mechanism.own_generator().packages
        return tuple(dict.fromkeys((*choosing, *self.follower.packages)))

    @cached_property
    def follower(self) -> Generator:
        """Return the generator that fits the final model."""
        own = self.mechanism.own_generator()
        follower = own if self.is_own else GENERATORS[self.generator or own.name]()
        check_names(type(follower), self.generator_options, owner=f"The generator {follower.name!r}")
        return replace(follower, **self.generator_options)

    def run(self, source: Source, problem: Problem, *, rng: np.random.Generator) -> Fitted:
        """Run the mechanism, which spends at most the remaining budget.

        The mechanism also fits its own models with the follower in three cases: the follower is its own
        generator, it can replace this generator (`stand_ins`), or the mechanism makes no model-based choices.
        Raises: ValueError if the mechanism measured tilings without declaring them (`Mechanism.tiles`).
        """
        if self.is_inside and problem.generator is None:
            problem = replace(problem, generator=self.follower)
        problem = replace(problem, follower=self.follower)
        if self.compress:
            fitted = self._compressed(source, problem, rng)
        else:
            fitted = self.mechanism.run(source, problem, rng=rng)
        if fitted.evidence.tilings and not self.mechanism.tiles:
            raise ValueError(
                f"{self.mechanism.name} measured a table of three or more columns in other groups than "
                "another table, so models and bounds cannot use it. Measure all tables in one set of groups, "
                "or declare `tiles`."
            )
        if self.is_inside and not self.compress:
            return fitted
        problem.tell("fit", 1.0, f"fitting by {self.follower.title}")
        model = self.follower.fit(
            fitted.evidence, seed=problem.seed, device=problem.device, report=problem.report
        )
        return replace(fitted, model=model)

    def _compressed(self, source: Source, problem: Problem, rng: np.random.Generator) -> Fitted:
        """Measure the columns in the domain's own codes, run the mechanism in coarser codes, and return all
        measurements.
        """
        domain = source.domain
        prices = shares(domain, {(name,): 1.0 for name in domain.names})
        budget = COMPRESSING * source.left.rho
        columns = source.ask([(Marginal(r), share * budget) for r, share in prices.items()])  # line 1
        groupings = _groupings(evidence_of(columns, source, problem))  # line 2
        merged = sum(len(g.group_of) - g.size for g in groupings)
        problem.tell("columns", 0.0, f"merged {number_of(merged, 'rare value')}")
        inner = replace(problem, codebook=problem.codebook.coarsened(groupings))
        fitted = self.mechanism.run(_Coarse(source, groupings), inner, rng=rng)  # line 3
        groups = {g.column: g.group_of for g in groupings}
        answers = [
            replace(a, groups={name: groups[name] for name in a.clique if name in groups})
            if isinstance(a, Measurement)
            else a
            for a in fitted.evidence.answers
        ]
        return replace(fitted, evidence=evidence_of([*columns, *answers], source, problem))


def _groupings(evidence: Evidence) -> tuple[Grouping, ...]:
    """Return groups that merge codes whose counts would be below the noise. They are based on one measurement
    of every column.
    """
    likely, domain = one_ways(evidence), evidence.domain
    groupings = (
        coarsen(
            name,
            likely[name].counts,
            least=max(SIGMAS * m.sigma, SHARE * evidence.total),
            ordered=evidence.ordered.get(name, 0),
            kinds=kinds_of(domain, name, evidence.zeros),
        )
        for name, m in zip(domain.names, evidence.measurements, strict=True)
    )
    return tuple(g for g in groupings if g is not None)


def configured(method: str, options: Mapping[str, Any]) -> Mechanism:
    """Return a registered mechanism with these options. Raises: `Mistake` for an unknown method, an unknown
    option, or values that no run could satisfy.
    """
    if method not in MECHANISMS:
        raise Mistake(f"There is no method {method!r}. Choose one of: {', '.join(MECHANISMS)}.")
    check_names(MECHANISMS[method], options, owner=f"The method {method!r}")
    mechanism = MECHANISMS[method](**options)
    check_options(mechanism)
    return mechanism


def every_recipe() -> tuple[str, ...]:
    """Return every suitable combination of a method and a generator as a string, with and without merging of
    rare values.
    """
    recipes = []
    for name, kind in MECHANISMS.items():
        recipes += [f"{name}+{generator}" for generator in followers(kind)]
        recipes += [f"{name}+{COMPRESS}"] if kind.joins else []
    return tuple(recipes)


def recipe_of(words: str, options: Mapping[str, Any] | None = None) -> Recipe:
    """Return the recipe for a string: a method, optionally followed by `compress` and a generator, separated
    by plus signs.

    >>> recipe_of("mst+compress+refined").words
    'mst+compress+refined'

    Raises: `Mistake` for an unknown word, an option that the method does not have, or an unsuitable
    combination.
    """
    method, *rest = words.split("+")
    mechanism = configured(method, options or {})
    generators = [word for word in rest if word != COMPRESS]
    if len(generators) > 1:
        raise Mistake(f"{words!r} names more than one generator. Name only one.")
    return Recipe(
        mechanism=mechanism, generator=generators[0] if generators else None, compress=COMPRESS in rest
    )


class _Coarse:
    """A source in coarser codes. Its answers do not mention the original codes, so the mechanism treats the
    coarser codes as the whole domain.
    """

    def __init__(self, source: Source, groupings: Sequence[Grouping]) -> None:
        self._source, self._groups = source, {g.column: g.group_of for g in groupings}
        self.domain = source.domain.with_sizes({g.column: g.size for g in groupings})

    @property
    def terms(self) -> Terms:
        return self._source.terms

    @property
    def left(self) -> Allowance:
        return self._source.left

    def ask(self, requested: Sequence[tuple[Query[A], float]]) -> tuple[A, ...]:
        """Answer queries as `Source.ask` does. Raises: `Refusal(ANSWER_MISMATCH)` if a resumed run used other
        groups before.
        """
        answers = self._source.ask([(question.within(self._groups), rho) for question, rho in requested])
        return tuple(self._plain(answer) for answer in answers)

    def _plain(self, answer: A) -> A:
        if not isinstance(answer, Measurement):
            return answer
        if answer.groups != {name: self._groups[name] for name in answer.clique if name in self._groups}:
            raise Refusal(Code.ANSWER_MISMATCH)
        return replace(answer, groups={})
