"""Compute the figures of the verdict: an estimate and an interval for each marginal, and for means.

A distance a_r in counts was measured with normal noise of known sigma, so TVD_r = a_r / (2 N) has the
standard deviation sigma / (2 N). The average over m measured pairs has sigma / (2 N sqrt(m)). The interval of
one figure is estimate +- z sd, limited to [0, 1].
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import Any, cast

import numpy as np

from synth.core.domain import Clique
from synth.core.measurements.noisy import Answer, NoisyNumbers, NoisyScores
from synth.core.table import CodeTable
from synth.private.queries import Hits
from synth.private.scores import L1Gap, RangeGap, Score
from synth.release.verdict.asking import Scaled, VerdictQueries


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A noisy figure between 0 and 1 with its standard deviation.

    `apart` is a further possible error, if the figure was measured for another table.
    """

    estimate: float
    sd: float
    apart: float = 0.0

    def interval(self, confidence: float) -> tuple[float, float]:
        """Return a two-sided interval, limited to [0, 1]."""
        reach = NormalDist().inv_cdf(0.5 + confidence / 2) * self.sd + self.apart
        return max(0.0, self.estimate - reach), min(1.0, max(0.0, self.estimate + reach))

    def upper(self, beta: float) -> float:
        """Return a limit that the true figure exceeds with probability at most beta."""
        reach = NormalDist().inv_cdf(1 - beta) * self.sd + self.apart
        return min(1.0, max(0.0, self.estimate + reach))


@dataclass(frozen=True, kw_only=True)
class Judged:
    """The error (TVD) of one marginal."""

    clique: Clique
    error: Figure


@dataclass(frozen=True, kw_only=True)
class Predicted:
    """The proportion of private rows whose target is predicted correctly.

    There is one figure for a classifier of the synthetic rows, and one for the constant guess.
    """

    target: str
    correct: Figure
    constant: Figure


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """The measured accuracy of one synthetic table.

    `means` has the mean error over all "columns", "pairs", "triples" and "ranges". `is_of_this_table` is
    False if the table was made later from the same measurements. Then each limit includes the public distance
    between the two tables, and there are no predictions.
    """

    tables: tuple[Judged, ...]
    means: dict[str, Figure]
    predicted: tuple[Predicted, ...] = ()
    is_of_this_table: bool = True

    @staticmethod
    def from_json(document: Mapping[str, Any]) -> Verdict:
        """Return the verdict stored in these plain types. Raises: KeyError, TypeError, ValueError for any
        others.
        """
        return Verdict(
            tables=tuple(
                Judged(clique=tuple(one["clique"]), error=Figure(**one["error"]))
                for one in document["tables"]
            ),
            means={name: Figure(**figure) for name, figure in document["means"].items()},
            predicted=tuple(
                Predicted(
                    target=one["target"],
                    correct=Figure(**one["correct"]),
                    constant=Figure(**one["constant"]),
                )
                for one in document["predicted"]
            ),
            is_of_this_table=document["is_of_this_table"],
        )


def verdict_of(
    answers: Sequence[Answer], asked: VerdictQueries, *, total: float, table: CodeTable | None = None
) -> Verdict:
    """Return the figures of the table that was judged, or of another `table`.

    `answers` are the results of `asked`, the queries about the judged table. If an interrupted run was drawn
    again and gave other rows, the results refer to the earlier rows. Then limits include the distance between
    the two tables. Means are omitted, because only a digest of their query is known.
    """
    batch = next(a for a in answers if isinstance(a, NoisyScores))
    quoted, ours = cast(L1Gap, batch.score), cast(L1Gap, asked.each.score)
    is_quoted = any(estimate.size for estimate in quoted.estimates)
    before = quoted.estimates if is_quoted else ours.estimates
    other = None if table is None else Scaled(table, total)
    after = ours.estimates if other is None else tuple(other.counts(r) for r in quoted.cliques)
    apart = [float(np.abs(a - b).sum()) / (2 * total) for a, b in zip(before, after, strict=True)]
    tables = tuple(
        Judged(
            clique=clique, error=Figure(estimate=value / (2 * total), sd=batch.sigma / (2 * total), apart=far)
        )
        for clique, value, far in zip(quoted.cliques, batch.values.tolist(), apart, strict=True)
    )
    means = {
        name: _mean([one.error for one in tables if len(one.clique) == width])
        for name, width in (("columns", 1), ("pairs", 2))
        if any(len(one.clique) == width for one in tables)
    }
    by_digest = {str(a.asked["sha256"]): a for a in answers if isinstance(a, NoisyNumbers)}
    for name, query in asked.means.items():
        answer = by_digest.get(query.score.facts()["sha256"])
        if answer is not None:
            half = total if name == "ranges" else 2 * total
            far = 0.0 if other is None else _distance(query.score, other) / half
            means[name] = Figure(estimate=float(answer.numbers[0]) / half, sd=answer.sigma / half, apart=far)
    is_judged, predicted = table is None and not any(apart), []
    for answer in by_digest.values():
        if answer.asked["ask"] == Hits.ask and is_judged:  # another table has another classifier
            correct, constant = (
                Figure(estimate=float(hits) / total, sd=answer.sigma / total) for hits in answer.numbers
            )
            label = str(answer.asked["label"])
            predicted.append(Predicted(target=label, correct=correct, constant=constant))
    return Verdict(
        tables=tables,
        means=means,
        predicted=tuple(predicted),
        is_of_this_table=is_judged,
    )


def _mean(errors: Sequence[Figure]) -> Figure:
    """Return the average of figures with independent noise."""
    m = len(errors)
    return Figure(
        estimate=sum(e.estimate for e in errors) / m,
        sd=sqrt(sum(e.sd**2 for e in errors)) / m,
        apart=sum(e.apart for e in errors) / m,
    )


def _distance(score: Score, other: Scaled) -> float:
    """Return the mean distance, in counts, between the table in a score and another table."""
    if isinstance(score, L1Gap):
        gaps = [
            float(np.abs(estimate - other.counts(r)).sum())
            for r, estimate in zip(score.cliques, score.estimates, strict=True)
        ]
    else:
        assert isinstance(score, RangeGap)
        gaps = [
            abs(estimate - float(other.counts(r)[np.ix_(*one)].sum()))
            for r, one, estimate in zip(score.cliques, score.ranges, score.estimates.tolist(), strict=True)
        ]
    return sum(gaps) / len(gaps)
