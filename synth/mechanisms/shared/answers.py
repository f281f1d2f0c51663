"""Collect the measurements of a mechanism, and fit models to them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique
from synth.core.evidence import Evidence
from synth.core.measurements.noisy import Answer, Choice, Measurement, NoisyNumbers, NoisyScores, Trained
from synth.core.model import Model
from synth.core.progress import UNSAVED, Checkpoint, Progress
from synth.core.zeros import Zero, allowed_count
from synth.mechanisms.selection.allocation import shares
from synth.mechanisms.shared.base import Fitted, Mechanism, Problem
from synth.mechanisms.shared.keys import key_of
from synth.models.base import Generator
from synth.models.estimates.total import estimate_total
from synth.private.queries import Embedding, Marginal, Scores, Selection, Sides, Training, Votes
from synth.private.scores import L1Gap, ProductGap, Products, Score
from synth.private.source import Source


class Answers:
    """Sends the queries of a mechanism to a source, and stores every measurement."""

    def __init__(self, mechanism: Mechanism, source: Source, problem: Problem) -> None:
        self._source, self._problem, self._budget = source, problem, source.left.rho
        self._generator = problem.generator or mechanism.own_generator()
        self._answers: list[Answer] = []
        self._last: tuple[Model, str] | None = None
        self._held_by: dict[Clique, int] = {}  # the latest choice with an estimate of each candidate

    @property
    def evidence(self) -> Evidence:
        """Return all measurements so far. The number of records is public or estimated from them."""
        return evidence_of(self._answers, self._source, self._problem)

    @property
    def cliques(self) -> list[Clique]:
        """Return the cliques that the model must contain: those of the measurements and of the structural
        zeros.
        """
        measured = (a.clique for a in self._answers if isinstance(a, Measurement))
        return [*measured, *(z.clique for z in self._problem.zeros)]

    @property
    def total(self) -> float:
        """Return the number of records, which is public or estimated from the measurements so far."""
        return self.evidence.total

    def measure(self, clique: Clique, *, rho: float) -> None:
        self.measure_each([clique], rho=rho)

    def measure_each(self, cliques: Iterable[Clique], *, rho: float) -> None:
        """Measure the cliques. `rho` is the cost of each measurement."""
        self._answers += self._source.ask([(Marginal(r), rho) for r in cliques])

    def measure_all(self, shares: Mapping[Clique, float], *, rho: float) -> None:
        """Measure cliques at their shares of a cost; the shares sum to 1. The last clique also receives the
        rounding remainder.
        """
        requested, left = [], rho
        for i, (clique, share) in enumerate(shares.items()):
            price = left if i == len(shares) - 1 else rho * share
            requested.append((Marginal(clique), price))
            left -= price
        self._answers += self._source.ask(requested)

    def measure_columns(self, *, rho: float) -> dict[Clique, float]:
        """Measure every column, and return the share of the cost for each. The shares depend on the number of
        codes (`allocation.shares`).
        """
        domain = self._source.domain
        one_ways = shares(domain, {(name,): 1.0 for name in domain.names})
        self.measure_all(one_ways, rho=rho)
        return one_ways

    @property
    def done(self) -> float:
        """Return the fraction of the budget that has been spent."""
        return 1 - self._source.left.rho / self._budget

    def choose(self, score: Score, *, rho: float) -> Choice:
        """Select a candidate. Estimates of earlier rounds are dropped unless a bound still needs them."""
        (choice,) = self._source.ask([(Selection(score), rho)])
        gone: dict[int, list[Clique]] = {}
        for clique in choice.score.cliques:
            if clique in self._held_by:
                gone.setdefault(self._held_by[clique], []).append(clique)
        for at, cliques in gone.items():
            held = self._answers[at]
            assert isinstance(held, Choice)
            self._answers[at] = held.forget(cliques)
        self._held_by |= dict.fromkeys(choice.score.cliques, len(self._answers))
        self._answers.append(choice)
        return choice

    def choose_worst(
        self,
        candidates: Sequence[Clique],
        estimates: Sequence[NDArray[np.float64]],
        *,
        weights: Mapping[Clique, int],
        noise: Mapping[Clique, float],
        rho: float,
    ) -> tuple[Clique, NDArray[np.float64]]:
        """Select the candidate with the largest distance from its estimate, w_r (||M_r(D) - estimate_r||_1 -
        noise_r). Return this candidate and its estimate.
        """
        cliques, penalties = tuple(candidates), tuple(noise[r] for r in candidates)
        worth = tuple(weights[r] for r in candidates)
        score = (
            ProductGap(cliques, estimates, worth, penalties)
            if isinstance(estimates, Products)
            else L1Gap(cliques, tuple(estimates), worth, penalties)
        )
        choice = self.choose(score, rho=rho)
        assert isinstance(choice.score, L1Gap)
        return choice.clique, choice.score.estimates[choice.index]

    def noise(self, cliques: Iterable[Clique], *, rho: float) -> dict[Clique, float]:
        """Return the expected L1 norm of the noise of each measurement at this cost. It is sqrt(2/pi) sigma
        n_r, where n_r is the number of cells that structural zeros allow.
        """
        domain, level = self._source.domain, math.sqrt(2 / math.pi) * self._source.terms.sigma(rho)
        first: dict[str, list[Zero]] = {}
        for zero in self._problem.zeros:
            first.setdefault(zero.clique[0], []).append(zero)
        mine = {r: [zero for name in r for zero in first.get(name, ())] for r in cliques}
        return {r: level * allowed_count(domain, r, zeros) for r, zeros in mine.items()}

    def score(self, score: Score, *, rho: float) -> NoisyScores:
        """Measure all scores at once. Estimates of earlier rounds are dropped as in `choose`."""
        (scores,) = self._source.ask([(Scores(score), rho)])
        gone = scores.score.cliques
        self._answers = [a.forget(gone) if isinstance(a, NoisyScores) else a for a in self._answers]
        self._answers.append(scores)
        return scores

    def numbers(self, question: Embedding | Sides | Votes, *, rho: float) -> NoisyNumbers:
        """Measure a query whose result is an array of numbers. The result contains the query. In a resumed
        run, this is the query of the interrupted run.
        """
        (answer,) = self._source.ask([(question, rho)])
        self._answers.append(answer)
        return answer

    def train(self, question: Training, *, rho: float) -> Trained:
        """Run a block of training steps. The results of earlier blocks are reduced to their queries."""
        (trained,) = self._source.ask([(question, rho)])
        self._answers = [a.forget() if isinstance(a, Trained) else a for a in self._answers]
        self._answers.append(trained)
        return trained

    def fit(self, start: Model | None = None) -> Model:
        """Return a model of all measurements so far that is accurate enough for selection."""
        return self._fit(self._generator.rough(), self.evidence, start)

    def fitted(self, start: Model | None = None) -> Fitted:
        """Return all measurements and the final model, which is fitted to them."""
        evidence = self.evidence
        return Fitted(evidence=evidence, model=self._fit(self._generator, evidence, start))

    def _fit(self, generator: Generator, evidence: Evidence, start: Model | None) -> Model:
        """Fit the model, using the checkpoint of an earlier run of the same fit if there is one. No
        checkpoint is used if the fit starts from a model other than the last one fitted here, because the
        inputs of that model are unknown.
        """
        seed, device = self._problem.seed, self._problem.device
        last, before = self._last or (None, "")
        checkpoint: Checkpoint = UNSAVED
        key = ""
        if generator.resumes and (start is None or start is last):
            own = "" if start is None else before
            key = key_of(generator, evidence, seed=seed, device=device, start=own)
            checkpoint = self._problem.fits.checkpoint(key)
        model = generator.fit(
            evidence, start=start, seed=seed, device=device, report=self._within, checkpoint=checkpoint
        )
        self._last = (model, key) if key else None
        return model

    def _within(self, progress: Progress) -> None:
        """Convert the progress of a fit to the progress of the run, and report it."""
        self._problem.report(replace(progress, done=self.done))


def evidence_of(answers: Iterable[Answer], source: Source, problem: Problem) -> Evidence:
    """Return the evidence that consists of the answers and the source's codes. The number of records is
    estimated from the answers unless it is public.
    """
    answers = tuple(answers)
    measured = [a for a in answers if isinstance(a, Measurement)]
    total = source.terms.total or estimate_total(measured)
    return Evidence(codebook=problem.codebook, answers=answers, total=total, start=problem.start)
