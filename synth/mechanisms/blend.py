"""Blend: our own; what Grove asks, drawn towards all pairs where they all matter, and a blend of models.

Pseudo-code (the numbers stand again in `run`)
  1. as in Grove: the columns, then how far every pair is from independence (`first_look`). Where all columns
     have few codes, everything but rough counts of the columns, which tell the number of records, is asked as
     interactions, for an eighth to two thirds of what tables with as much noise cost (`interactions`)
  2. part = mean(e)^2 / mean(e^2), noise taken out: near one where all pairs depend on each other about alike,
     near zero where a few do (the participation ratio). gamma, from 0 to 1, grows with it and with the number
     of columns: what is dense and wide no tree can hold. Sooner where columns are in no order and cells far
     above the noise, later where they are not; by as much of part as is sure. Where columns are in order and
     the look shows clearly that nearly all pairs matter alike, it is one also if columns are few, less if
     they are more, and if all cells drown but not if records crowd into clear ones. A small one is none
     (`tilt`)
  3. measure every column again with a part of the rest that grows with gamma: where all pairs are measured,
     and a model of few numbers made of them, the columns' errors rule. Not so where columns are in no order,
     and the less the clearer cells of pairs are; nothing for next to nothing
  4. prices as in Grove (`columns_first.best_allocation`, `tree_first`), by the distances as they are: records
     that fall at random are an error like another
  5. prices = (1 - gamma) prices + gamma the same for every pair. With gamma 1 codes are not those that serve
     each pair by itself, since all pairs speak for each other: the domain's own where cells are clear, else
     the shortest runs that do not drown
  6. without a declared target: measure these pairs. Where one clique holds the whole table and all tables of
     three columns would be clear: with two fifths of the rest; then fit them, look how far tables of three
     columns are from that model, and measure those that are worth it (`triple_look`). As interactions:
     all pairs alike, then those of three columns that are worth a fifth of a pair's price and the pairs
  7. without a target, elsewhere: where a look at all tables of three columns costs next to nothing, measure
     the pairs with a quarter of the rest, hold the tables against a tree of them, measure the few that no
     pair explains with at most a seventh of what is left, and the pairs once more (`few_triples`)
  8. with a target: measure the pairs with a quarter of the rest; then fit them, and look how far tables of
     the target with two to four others are from that model (`target_look`)
  9. tables that stand out and are clear in these codes: measure them, and the pairs once more. Tables that
     stand out and are not clear: many tables of the target with their columns, in groups that are cut
     elsewhere every time (`tilings`), and then nothing more for the pairs, if the generator that follows
     reads such tables. If nothing stands out, or none of this can be: the pairs once more
 10. fit a tree, a forest, a mixture of products and a copula, weigh them by thinned answers
     (`generate.blend`), or the tree alone where tables of more columns were measured that it holds best;
     where these were tilings, the records of the fit to everything else, weighed by them (`generate.tiled`)

Privacy: `measure` and one or two batches of scores of sensitivity 1 each; all noise is Gaussian. What is
chosen in between follows from noisy answers, public facts and the run's own generator. Bounds: as for Grove,
of tables measured in the domain's own codes.
Cost: one to two times Grove's on tables of 15 to 50 columns, half of Grove's where a copula takes the tree's
place; three times on NLTCS, a third of a second. With a target, or where all tables of three columns would be
clear, two to three times as much; a look for a few of them takes a second on Adult.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from synth.core.accounting import GAUSSIAN, Law
from synth.core.domain import Clique, Domain
from synth.core.graphs.junction import JunctionGraph
from synth.core.measurements.noisy import Answer
from synth.core.model import Model
from synth.core.numbers import number_of
from synth.core.options import check_columns, option
from synth.core.progress import Progress
from synth.mechanisms.answers import evidence_of
from synth.mechanisms.base import (
    CELLS_PER_MB,
    Fitted,
    Mechanism,
    Occasion,
    Outlook,
    Problem,
    Prospect,
    Purpose,
)
from synth.mechanisms.beyond_pairs import noise_of
from synth.mechanisms.columns_first import (
    LEAST_SIGMAS,
    ask_columns,
    best_allocation,
    groups_of_at_least,
    likely_share,
    suits_interactions,
)
from synth.mechanisms.few_triples import (
    MOST_TABLES,
    TriplesToAsk,
    look_for_triples,
    parts_of_price,
    triples_to_ask,
)
from synth.mechanisms.first_look import FirstLook, first_look, likely_columns, likely_look
from synth.mechanisms.pairs_to_ask import PairsToAsk
from synth.mechanisms.selection.resolution import by_chance
from synth.mechanisms.selection.split import MEAN_ABSOLUTE
from synth.mechanisms.shared_options import decided_columns_share, decided_looking_share
from synth.mechanisms.target_look import look_at_target
from synth.mechanisms.tilings import tilings
from synth.mechanisms.tilt import AllAlike
from synth.mechanisms.tree_first import tree_first_prices
from synth.mechanisms.triple_look import (
    beyond_noise,
    look_at_triples,
    parts_of_interactions,
    prices_of_tables,
    triples_are_clear,
)
from synth.models.base import Generator
from synth.models.blend import BlendedRecords
from synth.models.coarse import Coarsening
from synth.models.refined import RefinedRecords
from synth.private.queries import Marginal
from synth.private.source import Source

MOST_COLUMNS, LEAST_AGAIN = 0.4, 0.005
"""Part of the price at which columns have enough; from half of it on less and less is added, and nothing for
less than the second."""

BEFORE_LOOK = 1 / 4
"""Part of the price for pairs that is spent before a look at a target, or for a few tables of three columns.
If nothing stands out the rest goes to the same pairs, and nothing but the look is lost: precisions of answers
add up as their prices do."""

BEFORE_TRIPLES, TRIPLES_LOOK = 0.4, 0.1
"""The same before a look at tables of three columns; and the part of what is left then that the look takes.
On NLTCS anything from .2 to .5 does about as well before."""

LOOKED_AT = 50_000
"""Records of a model of these pairs that the look is held against."""

TARGET_TABLES = 0.4
"""Part of what is left after the look that goes to tables of the target that stood out and are clear."""


@dataclass(frozen=True, kw_only=True)
class Blend(Mechanism):
    """How large a clique of the tree may be; the rest is for who knows what the table is for."""

    name: ClassVar[str] = "blend"
    law: ClassVar[Law] = GAUSSIAN
    title: ClassVar[str] = "Blend"
    purpose: ClassVar[Purpose] = Purpose.GENERAL
    summary: ClassVar[str] = (
        "Looks at all pairs at once, measures those that matter, and weighs a tree, a forest, a mixture "
        "and a copula of the answers against each other."
    )
    paper: ClassVar[str] = "Our own; in no paper yet"
    suits: ClassVar[str] = "Any table: sparse or dense, narrow or wide, at small budgets and large ones."
    avoid: ClassVar[str] = (
        "Relations of four columns and more that do not show in any pair, unless they are of one target that "
        "is declared in its settings; of three at small budgets, of few rows, or of more than 27 columns."
    )
    generator: ClassVar[str] = "blend"
    pairs_per_column: ClassVar[float] = math.inf
    joins: ClassVar[bool] = False
    tiles: ClassVar[bool] = True

    columns_share: float = decided_columns_share()
    looking_share: float = decided_looking_share()
    target: str = option(
        "",
        label="Target",
        help="A column that others are meant to predict: it is looked at with two to four others at once, "
        "and measured with many where they tell of it what no pair does. Where one such table would not be "
        "clear, many are measured in rough groups; pairs then get a quarter of what they would get "
        "otherwise. Empty for none.",
        is_column=True,
    )
    target_share: float = option(
        0.05,
        label="Target share",
        help="Part of what is left when the target is looked at, for that look.",
        low=0.01,
        high=0.5,
    )
    clique_cells: int = option(
        BlendedRecords.clique_cells,
        label="Largest clique",
        help="Most cells of one table of the tree.",
        low=1_000,
        high=10_000_000,
        unit="cells",
    )

    @property
    def asks_by_follower(self) -> bool:
        return True

    def own_generator(self) -> BlendedRecords:
        return BlendedRecords(clique_cells=self.clique_cells)

    def asks_interactions(self, sizes: Sequence[int]) -> bool:
        return suits_interactions(sizes)

    def is_avoided(self, occasion: Occasion) -> bool:
        return occasion.k > 2

    def first_pass(self, prospect: Prospect) -> float | None:
        interactions = self.asks_interactions(prospect.sizes)
        return self.columns_share or likely_share(prospect, interactions=interactions)

    def choosing_pass(self, prospect: Prospect) -> float:
        return likely_look(prospect.sizes, total=prospect.rows, sigma=prospect.sigma)

    def outlook(self, domain: Domain, *, k: int) -> Outlook | None:
        """Measured on Adult, NLTCS and invented tables of 25 to 50 columns: as Grove's, with models fitted
        twice, the second time from where the first ended; with a target up to three times as long."""
        pairs = math.comb(len(domain), 2) if k > 1 else 0
        cells = min(self.clique_cells * max(1, len(domain) // 3), math.prod(domain.sizes))
        looks_wider = math.comb(len(domain), 3) <= MOST_TABLES
        fits = 3 if self.target else 2 if looks_wider else 1
        return Outlook(
            fastest=0.1 + 1e-3 * pairs,
            slowest=fits * (2 + 15e-3 * pairs + 2e-6 * cells + (30 if pairs else 0)),
            model_mb=cells / CELLS_PER_MB,
        )

    def run(self, source: Source, problem: Problem, *, rng: np.random.Generator) -> Fitted:
        check_columns(self, source.domain.names)
        budget = source.left.rho
        look = first_look(  # line 1
            source,
            problem,
            columns_share=self.columns_share,
            looking_share=self.looking_share,
            interactions=self.asks_interactions(source.domain.sizes),
        )
        asked: tuple[Answer, ...] = ()
        if look.weights:
            alike = AllAlike.of(source, problem, look)
            (scores,) = look.scores
            gamma = alike.tilt(scores.values, noise=scores.sigma)  # line 2
            again = gamma * (1 - alike.nominal) * alike.unclear
            look = self._columns_again(source, problem, look, again, budget)  # line 3
            coarsening, parts = self._parts(source, problem, look, gamma)  # lines 4 and 5
            pairs = PairsToAsk(
                source=source, problem=problem, look=look, coarsening=coarsening, parts=parts, budget=budget
            )
            if self.target:
                asked = self._with_target(pairs, rng)  # lines 8 and 9
            else:
                asked = self._with_triples(pairs, rng)  # lines 6 and 7
        evidence = evidence_of([*look.measured, *look.scores, *asked], source, problem)
        tables = len(evidence.measurements) + len(evidence.tilings)
        problem.report(Progress(stage="fit", done=1.0, fact=f"fitting {number_of(tables, 'table')}"))
        generator = problem.generator or self.own_generator()
        model = generator.fit(evidence, seed=problem.seed, device=problem.device, report=problem.report)
        return Fitted(evidence=evidence, model=model)  # line 10

    def _columns_again(
        self, source: Source, problem: Problem, look: FirstLook, part: float, budget: float
    ) -> FirstLook:
        """The columns measured once more, up to two times their price, if nobody fixed their share."""
        again = 2 * part * max(0.0, min(look.share, MOST_COLUMNS - look.share))
        if again < LEAST_AGAIN or self.columns_share:
            return look
        left = source.left.rho
        fresh = ask_columns(
            source,
            problem,
            rho=again * left,
            done=1 - left / budget,
            interactions=look.interactions,
        )
        measured = (*look.measured, *fresh)
        columns = likely_columns(measured, source, problem)
        total = evidence_of(measured, source, problem).total
        return replace(look, measured=measured, columns=columns, total=total)

    def _parts(
        self, source: Source, problem: Problem, look: FirstLook, gamma: float
    ) -> tuple[Coarsening, dict[Clique, float]]:
        """In which codes to ask for which pairs, in which order, and which part of the price each gets."""
        errors = _errors(look)
        if gamma >= 1:
            coarsening = _shared_codes(source, problem, look)
        else:
            allocation = best_allocation(
                source,
                problem,
                look.columns,
                weights=look.weights,
                errors=errors,
                total=look.total,
                typical=look.typical,
                interactions=look.interactions,
            )
            coarsening = allocation.coarsening
        parts: dict[Clique, float] = {}
        if gamma < 1:
            held = [z.clique for z in problem.zeros]
            # with a target pairs may get a quarter of the price, at which chance is worth nothing
            random = {} if self.target else {r: by_chance(look.expected[r]) for r in errors}
            bought = tree_first_prices(allocation, source, held, cap=self.clique_cells, by_chance=random)
            whole = sum(rho for _, rho in bought)
            parts = {r: (1 - gamma) * rho / whole for r, rho in bought}
        if gamma > 0:
            others = sorted(look.weights.keys() - parts.keys(), key=lambda r: (-errors[r], r))
            parts = {r: parts.get(r, 0.0) + gamma / len(look.weights) for r in [*parts, *others]}
        return coarsening, parts

    def _with_triples(self, pairs: PairsToAsk, rng: np.random.Generator) -> tuple[Answer, ...]:
        """Pairs; or pairs with a part of the price, a look at tables of three columns against a model of
        them, and with the rest those that are worth it, and the pairs once more."""
        source, problem, look = pairs.source, pairs.problem, pairs.look
        if isinstance(self._follower(problem), BlendedRecords):
            is_whole = not pairs.coarsening.groupings and source.domain.size() <= self.clique_cells
            rest = (1 - BEFORE_TRIPLES) * (1 - TRIPLES_LOOK) * pairs.left
            if is_whole and triples_are_clear(source, problem, look, rho=rest):
                return self._with_all_triples(pairs)
            asked = triples_to_ask(source, problem, look)
            if asked is not None:
                return self._with_few_triples(pairs, asked, rng)
        return pairs.ask(pairs.left, parts=pairs.parts)

    def _with_all_triples(self, pairs: PairsToAsk) -> tuple[Answer, ...]:
        source, problem, look = pairs.source, pairs.problem, pairs.look
        if look.interactions:  # where triples are clear all pairs are, whether or not they show a relation
            pairs = replace(pairs, parts=dict.fromkeys(look.weights, 1.0))
        first = pairs.ask(BEFORE_TRIPLES * pairs.left, parts=pairs.parts)
        model = self._model_of(pairs, first)
        triples = look_at_triples(source, problem, look, model, share=TRIPLES_LOOK, done=pairs.done)
        if look.interactions:
            known = noise_of([*look.measured, *first])
            far = {
                r: beyond_noise(source.domain, r, distance, known) for r, distance in triples.likely.items()
            }
            prices = parts_of_interactions(source, far, pairs.parts)
        else:
            prices = prices_of_tables(source, triples) or dict(pairs.parts)
        return (*first, *pairs.ask(pairs.left, parts=prices), *triples.scores)

    def _with_few_triples(
        self, pairs: PairsToAsk, asked: TriplesToAsk, rng: np.random.Generator
    ) -> tuple[Answer, ...]:
        source, problem, look, parts = pairs.source, pairs.problem, pairs.look, pairs.parts
        first = pairs.ask(BEFORE_LOOK * pairs.left, parts=parts)
        tree = RefinedRecords(clique_cells=self.clique_cells)
        model = tree.fit(pairs.known_with(first), seed=problem.seed, device=problem.device)
        triples = look_for_triples(source, problem, look, asked, model, first, done=pairs.done, rng=rng)
        if look.interactions:
            prices = parts_of_interactions(source, triples.found, parts)
        else:
            tables = parts_of_price(pairs.coarsening.coarse, triples.found, parts, source=source)
            prices = tables | {r: (1 - sum(tables.values())) * part for r, part in parts.items()}
        return (*first, *pairs.ask(pairs.left, parts=prices), *triples.scores)

    def _with_target(self, pairs: PairsToAsk, rng: np.random.Generator) -> tuple[Answer, ...]:
        """Pairs with a part of the price, the look at the target against a model of them, and with the rest
        what stands out, or the pairs once more."""
        source, problem, look = pairs.source, pairs.problem, pairs.look
        first = pairs.ask(BEFORE_LOOK * pairs.left, parts=pairs.parts)
        records = self._model_of(pairs, first).sample(LOOKED_AT, rng)
        target = look_at_target(
            source,
            problem,
            look,
            records,
            noise_of(first),
            target=self.target,
            share=self.target_share,
            done=pairs.done,
        )
        tables = self._fitting(pairs, target.found)
        tiles: list[Marginal] = []
        if target.found and not tables and self._follower(problem).tiles:
            tiles = tilings(
                source.domain,
                target.columns,
                look.columns,
                target=self.target,
                ordered=problem.ordered,
                rng=rng,
            )
        again: tuple[Answer, ...]
        if tiles:
            pairs.tell("measure", f"measuring {number_of(len(tiles), 'table')}")
            prices = [pairs.left / len(tiles)] * (len(tiles) - 1)
            again = source.ask(list(zip(tiles, [*prices, source.left.after(prices).rho], strict=True)))
        else:
            of_tables = {r: TARGET_TABLES / (1 - TARGET_TABLES) / len(tables) for r in tables}
            again = pairs.ask(pairs.left, parts={**of_tables, **pairs.parts})
        return (*first, *again, *target.scores)

    def _follower(self, problem: Problem) -> Generator:
        """What will be fitted to the answers."""
        return problem.follower or problem.generator or self.own_generator()

    def _model_of(self, pairs: PairsToAsk, answers: tuple[Answer, ...]) -> Model:
        """A model of what was measured so far, for a look to be held against."""
        known, problem = pairs.known_with(answers), pairs.problem
        return self.own_generator().fit(known, seed=problem.seed, device=problem.device)

    def _fitting(self, pairs: PairsToAsk, found: Mapping[Clique, float]) -> list[Clique]:
        """Of the tables that stood out those that the tree can hold at once, and noise would not drown."""
        coarse = pairs.coarsening.coarse
        fixed, kept = [z.clique for z in pairs.problem.zeros], list[Clique]()
        for r, distance in found.items():
            sigma = pairs.source.terms.sigma(TARGET_TABLES * pairs.left / len(found))
            is_clear = coarse.size(r) * MEAN_ABSOLUTE * sigma <= distance
            if is_clear and JunctionGraph.of(coarse, [*fixed, *kept, r]).largest <= self.clique_cells:
                kept.append(r)
        return kept


def _shared_codes(source: Source, problem: Problem, look: FirstLook) -> Coarsening:
    """The codes of pairs that are all measured alike, and told from noise together."""
    if look.interactions or AllAlike.of(source, problem, look).suits_own_codes:
        return Coarsening(source.domain, ())
    least = LEAST_SIGMAS * source.terms.sigma(source.left.rho / len(look.weights))
    return groups_of_at_least(source.domain, look.columns, problem, runs=least, heaps=least)


def _errors(look: FirstLook) -> dict[Clique, float]:
    """How far each pair is from independence, records that fall at random included."""
    (scores,) = look.scores
    return {r: max(value, 0.0) for r, value in zip(look.expected, scores.values.tolist(), strict=True)}
