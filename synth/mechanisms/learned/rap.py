"""RAP++: measure the worst queries of every epoch once, and fit a relaxed table to the measurements.

Sources: Aydore et al., Differentially private query release through adaptive projection, ICML 2021; Vietri et
al., Private synthetic data for multitask learning and marginal queries, NeurIPS 2022.

Pseudo-code (comments in `run` use the same numbers)
  1. Plan E epochs, one per column. In each epoch, alpha of the privacy cost is for measuring and 1 - alpha
     for selecting. The share `half_spaces` of the cost is for half-spaces, and the rest for columns and
     pairs.
  2. Measure every one-way marginal at the cost of one measurement, and fit a table P.
  3. For every epoch:
  4.   Choose q of the unmeasured pairs r by ||N M_r(P) - M_r(D)||_1 - sqrt(2/pi) sigma n_r, one by one.
  5.   Draw `pool` half-spaces, and choose h of them by ||N S(P) - S(D)||_1, one by one. Measure their sides
     together.
  6.   Measure the pairs at equal costs, and continue the fit from the previous rows.
  7. Fit the final table to all measurements.

A half-space is the set of records on one side of a random plane (`half_spaces`). Ordered columns are lines
with declared places, and other columns are one-hot encoded. S is the number of records above the plane minus
the number of the others, for each label value if there is a label.

The model is a relaxed table P, whose rows are distributions (`models.networks.relaxed`).

Differences from the papers:

- Each query is measured once, and its measurement is kept. The authors' code draws new noise for all earlier
  queries in each epoch and accounts only for the new queries, so that E epochs spend (E + 1) / 2 times the
  stated budget.
- Line 2: the first model needs the number of records, which is secret here.
- Scores are differences of counts, because shares have no known sensitivity if the number of records is
  secret. The expected noise is subtracted.
- q pairs are drawn one after another. Their distribution is that of the noisy top q of the papers.
- Triples with a label are not measured. Pairs and half-spaces share the epochs, and the loss in each epoch
  contains all measurements, while the loss of the paper contains one kind.
- alpha is 0.9 instead of 0.5.
- Half-spaces are measured as differences between the two sides, which halves the noise of a count. A new pool
  of `pool` half-spaces is drawn in every epoch, instead of 200,000 half-spaces once. Thresholds are sums of
  records drawn from the noisy columns, which use no budget, while the thresholds of the paper are normally
  distributed.

If at most q pairs remain, an epoch measures them without selection. Half-spaces are measured only if the
generator uses them.

Privacy: q `choose` and q `measure` queries per epoch, and h `choose` queries and one `sides` query, whose
docstring states the sensitivity. One record changes some scores upwards and others downwards, by at most one,
so the range is 2. Cost: E + 2 fits of the relaxed table. Adult at epsilon 1 takes 32 s on one core (one run)
and 517 MB. Half-spaces double the time.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np

from synth.core.domain import Clique, Domain
from synth.core.measurements.half_spaces import HalfSpaces, joined
from synth.core.model import Model
from synth.core.numbers import TIMES, number_of
from synth.core.options import check_columns, option
from synth.mechanisms.selection.half_spaces import declared_places, drawn_half_spaces
from synth.mechanisms.shared.answers import Answers
from synth.mechanisms.shared.base import Fitted, Outlook, Problem, Prospect, Purpose, TimedByGenerator
from synth.mechanisms.shared.shared_options import measuring_share
from synth.models.base import Generator
from synth.models.estimates.columns import one_ways
from synth.models.mixture.half_spaces import expected_sides
from synth.models.mixture.mixture import MixtureModel
from synth.models.networks.relaxed import RelaxedRows
from synth.models.records.variation import places_of
from synth.private.queries import Sides
from synth.private.scores import SideGap
from synth.private.source import Source


@dataclass(frozen=True, kw_only=True)
class RAP(TimedByGenerator):
    """Hyper-parameters of the epochs. The hyper-parameters of the relaxed table are separate."""

    name: ClassVar[str] = "rap"
    title: ClassVar[str] = "RAP++"
    purpose: ClassVar[Purpose] = Purpose.FITTED
    summary: ClassVar[str] = (
        "Measures, in each epoch, the few pairs of columns that a relaxed table fits worst."
    )
    paper: ClassVar[str] = (
        "Vietri et al., Private synthetic data for multitask learning and marginal queries, NeurIPS 2022"
    )
    column_power: ClassVar[float] = 0.0
    pairs_per_column: ClassVar[float] = 2.0
    suits: ClassVar[str] = (
        "Tables of up to about 30 columns with few values each, and comparisons with published results."
    )
    avoid: ClassVar[str] = (
        "When two pairs per column are not enough. It measures no pair twice, unlike MargNet."
    )
    device: ClassVar[str] = "graphics card, or CPU"
    generator: ClassVar[str] = "relaxed"
    stand_ins: ClassVar[tuple[str, ...]] = ("mixture",)
    joins: ClassVar[bool] = False

    epochs: int = option(
        0, label="Epochs", help="Number of epochs. 0 means one per column.", low=0, high=10_000
    )
    top: int = option(
        2,
        label="Pairs per epoch",
        help="Number of pairs selected and measured in each epoch.",
        low=1,
        high=100,
    )
    alpha: float = measuring_share()
    half_spaces: float = option(
        0.0,
        label="Half-spaces share",
        help=(
            "Part of the budget for half-spaces. Only relaxed rows and networks can use them. 0 measures "
            "none."
        ),
        low=0,
        high=0.9,
    )
    top_half_spaces: int = option(
        5,
        label="Half-spaces per epoch",
        help=("Number of half-spaces selected and measured in each epoch."),
        low=1,
        high=200,
    )
    pool: int = option(
        300, label="Candidates", help="Number of candidate half-spaces in each epoch.", low=1, high=10_000
    )
    order: int = option(
        0,
        label="Columns per half-space",
        help=("Number of columns in one half-space. 0 means all columns."),
        low=0,
        high=100,
    )
    label: str = option(
        "",
        label="Label",
        help=("A column with few values. Half-spaces are measured for each of its values. Empty: no label."),
        is_column=True,
    )

    @property
    def asks_rows(self) -> bool:
        return self.half_spaces > 0

    def first_pass(self, prospect: Prospect) -> float | None:
        columns = len(prospect.sizes)
        share = self.alpha * columns / (self._requested(columns) + self.alpha * columns)
        return share * (1 - self.half_spaces)

    def outlook_by(self, generator: Generator, domain: Domain, *, k: int) -> Outlook | None:
        """Return the time of the fits in all epochs. With any generator, each fit takes only part of the time
        of a full fit.
        """
        fit = generator.seconds(domain)
        if not (isinstance(generator, RelaxedRows) or generator.name in self.stand_ins) or fit is None:
            return super().outlook_by(generator, domain, k=k)
        part = generator.round_steps / generator.steps if isinstance(generator, RelaxedRows) else 0.25
        fits, codes = 1 + (1 + self._epochs(len(domain))) * part, sum(domain.sizes)
        fits *= 2 if self.half_spaces else 1
        cells = codes**2 + 4_000 * codes
        return Outlook.of((fits * fit[0], fits * fit[1]), cells=cells)

    def run(self, source: Source, problem: Problem, *, rng: np.random.Generator) -> Fitted:
        domain, budget, answers = source.domain, source.left.rho, Answers(self, source, problem)
        check_columns(self, domain.names)
        one_ways = [(name,) for name in domain.names]
        waiting: list[Clique] = list(combinations(domain.names, 2))
        if not waiting:
            answers.measure_each(one_ways, rho=budget)
            return answers.fitted()
        epochs, requested = self._epochs(len(domain)), self._requested(len(domain))  # line 1
        makers = (problem.generator or self.own_generator(), problem.follower)
        reads = self.half_spaces > 0 and all(maker.halves for maker in makers if maker is not None)
        beside = self.half_spaces * budget if reads else 0.0
        rho = (budget - beside) / (requested + self.alpha * len(one_ways))
        answers.measure_each(one_ways, rho=self.alpha * rho)  # line 2
        model = answers.fit()
        noise, weights = answers.noise(waiting, rho=self.alpha * rho), dict.fromkeys(waiting, 1)
        for epoch in range(1, epochs + 1):  # line 3
            estimates = dict(zip(waiting, model.project_many(waiting), strict=True))
            chosen: list[Clique] = []
            while waiting and len(chosen) < self.top:  # line 4
                if len(chosen) + len(waiting) <= self.top:
                    chosen, waiting = [*chosen, *waiting], []
                    continue
                pair, _ = answers.choose_worst(
                    waiting,
                    [estimates[r] for r in waiting],
                    weights=weights,
                    noise=noise,
                    rho=(1 - self.alpha) * rho,
                )
                chosen.append(pair)
                waiting.remove(pair)
            if reads:
                self._half_spaces(answers, model, problem, rho=beside / epochs, rng=rng)  # line 5
            price = source.left.rho if epoch == epochs else self.alpha * rho * len(chosen)
            answers.measure_all(dict.fromkeys(chosen, 1 / len(chosen)), rho=price)  # line 6
            model = answers.fit(model)
            fact = f"measured {number_of(len(chosen), 'pair')}, {TIMES.join(chosen[0])} first"
            problem.tell("rounds", epoch / epochs, fact)
        return answers.fitted(model)  # line 7

    def _half_spaces(
        self, answers: Answers, model: Model, problem: Problem, *, rho: float, rng: np.random.Generator
    ) -> None:
        """Select the half-spaces of a new pool in which the model has the largest errors, and measure them.
        `rho`: the total cost.
        """
        assert isinstance(model, MixtureModel)
        domain = model.domain
        pool = drawn_half_spaces(
            domain,
            {name: likely.counts for name, likely in one_ways(answers.evidence).items()},
            places=declared_places(problem.codebook, places_of(domain, problem.ordered)),
            label=self.label,
            many=self.pool,
            order=self.order,
            rng=rng,
        )
        estimates, waiting, chosen = expected_sides(model, pool), list(range(len(pool))), list[HalfSpaces]()
        take = min(self.top_half_spaces, len(pool))
        while len(chosen) < take:
            score = SideGap(pool.only(waiting), estimates[:, waiting])
            choice = answers.choose(score, rho=(1 - self.alpha) * rho / take)
            assert isinstance(choice.score, SideGap)
            chosen.append(choice.score.spaces.only([choice.index]))
            del waiting[choice.index]
        answers.numbers(Sides(joined(chosen)), rho=self.alpha * rho)

    def _epochs(self, columns: int) -> int:
        """Return the number of epochs, which is limited by the number of pairs."""
        return min(self.epochs or columns, math.ceil(math.comb(columns, 2) / self.top))

    def _requested(self, columns: int) -> int:
        """Return the number of pairs measured in all epochs."""
        return min(self._epochs(columns) * self.top, math.comb(columns, 2))
