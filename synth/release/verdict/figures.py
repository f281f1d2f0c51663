"""Compute the figures of the accuracy check: estimates and intervals for marginals and for means over
marginals.

A distance a_r, in counts, was measured with normal noise of known sigma. Therefore, TVD_r = a_r / (2 N) has
the standard deviation sigma / (2 N), and the average over m measured pairs has the standard deviation sigma /
(2 N sqrt(m)). N is also an estimate. If the true total is N + d, the TVD of the normalised tables differs by
at most |d| / (2 N), because | ||(1 + d/N) p - q||_1 - ||p - q||_1 | <= |d| / N. The variance that this causes
is therefore added, once for all tables of an average. The interval of one figure is e +- z sd, limited to
[0, 1], where e is the estimate limited to [0, 1]. With the estimate itself, an interval could be shorter than
the noise, or even the point 0, exactly where the noise is known to be large.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import hypot, sqrt
from statistics import NormalDist
from typing import Any, cast

import numpy as np

from synth.core.documents import read_as
from synth.core.domain import Clique
from synth.core.measurements.noisy import Answer, NoisyNumbers, NoisyScores
from synth.core.request import CONFIDENCE
from synth.core.table import CodeTable
from synth.estimates.likely_errors import Likely
from synth.private.queries import Hits
from synth.private.scores import L1Gap, RangeGap, Score
from synth.release.verdict.asking import Scaled, VerdictQueries
from synth.release.verdict.sample import sample_of_equal_error


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A noisy figure between 0 and 1, with its standard deviation.

    `apart` is an additional possible error of a figure that was measured for another table.
    """

    estimate: float
    sd: float
    apart: float = 0.0

    @property
    def limited(self) -> float:
        """Return the estimate, limited to [0, 1]."""
        return min(1.0, max(0.0, self.estimate))

    def span(self, confidence: float) -> tuple[float, float]:
        """Return a two-sided interval."""
        reach = NormalDist().inv_cdf(0.5 + confidence / 2) * self.sd + self.apart
        return self.estimate - reach, self.estimate + reach

    def interval(self, confidence: float) -> tuple[float, float]:
        """Return a two-sided interval around `limited`, limited to [0, 1]."""
        low, high = replace(self, estimate=self.limited).span(confidence)
        return max(0.0, low), min(1.0, high)

    def upper(self, beta: float) -> float:
        """Return an upper limit, which the true figure exceeds with probability at most beta."""
        return min(1.0, self.limited + NormalDist().inv_cdf(1 - beta) * self.sd + self.apart)


@dataclass(frozen=True, kw_only=True)
class Judged:
    """The error (TVD) of one marginal, as it was measured.

    `likely` is its posterior given the errors of all marginals of the release. Earlier versions stored none.
    """

    clique: Clique
    error: Figure
    likely: Likely | None = None

    @property
    def stated(self) -> Figure | Likely:
        """Return the figure that pages and documents state."""
        return self.error if self.likely is None else self.likely


@dataclass(frozen=True, kw_only=True)
class Predicted:
    """The proportion of private rows whose target is predicted correctly.

    There is one figure for a classifier trained on the synthetic rows, and one for always guessing the same
    value.
    """

    target: str
    correct: Figure
    constant: Figure


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """The measured accuracy of one synthetic table.

    `means` has the mean error over all "columns", "pairs", "triples" and "ranges". `is_of_this_table` is
    False if the table was made later from the same measurements. Then each limit includes the public distance
    between the two tables, and there are no predictions. `sample` is the size of the random sample, as a
    share of the private rows, that has the same mean error of pairs (`verdict.sample`), and
    `sample_interval` has the sizes at both ends of the interval of this error, the smaller size first.
    """

    tables: tuple[Judged, ...]
    means: dict[str, Figure]
    predicted: tuple[Predicted, ...] = ()
    is_of_this_table: bool = True
    sample: float | None = None
    sample_interval: tuple[float, ...] = ()

    def of_width(self, columns: int) -> list[Judged]:
        """Return the tables of this number of columns that were measured one by one."""
        return [one for one in self.tables if len(one.clique) == columns]

    def highest(self, columns: int) -> Judged | None:
        """Return the table with the highest stated error among tables of `columns` columns, or None."""
        return max(self.of_width(columns), key=lambda one: one.stated.estimate, default=None)

    def limit(self, columns: int, confidence: float) -> float:
        """Return a limit for the measured errors of all m tables at once.

        z is the quantile of the maximum of m normals.
        """
        tables = self.of_width(columns)
        beta = 1 - confidence ** (1 / len(tables))
        return max(one.error.upper(beta) for one in tables)

    def above(self, columns: int, error: float) -> float | None:
        """Return the expected number of tables whose error is higher than this: the sum of probabilities.

        The result is None without posteriors. There is no interval of this number, because the errors of
        the prediction are common to the tables.
        """
        likely = [one.likely for one in self.of_width(columns) if one.likely is not None]
        return sum(one.above(error) for one in likely) if likely else None

    @staticmethod
    def from_json(document: Mapping[str, Any]) -> Verdict:
        """Return the verdict stored in a document of plain types. Raises: KeyError, TypeError or ValueError
        for any other document.
        """
        return Verdict(
            tables=tuple(
                Judged(
                    clique=tuple(one["clique"]),
                    error=Figure(**one["error"]),
                    likely=read_as(Likely, one["likely"]) if one.get("likely") else None,
                )
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
            sample=document.get("sample"),
            sample_interval=tuple(document.get("sample_interval", ())),
        )


def verdict_of(
    answers: Sequence[Answer],
    requested: VerdictQueries,
    *,
    total: float,
    total_sd: float,
    table: CodeTable | None = None,
    confidence: float = CONFIDENCE,
) -> Verdict:
    """Return the accuracy figures of the evaluated table, or of another `table`.

    `total` has the standard deviation `total_sd`. `answers` are the results of `requested`, the queries about
    the evaluated table. `confidence` is the confidence of `Verdict.sample_interval`. If the rows of an
    interrupted run were drawn again and differ, the results refer to the earlier rows. In this case, limits
    include the distance between the two tables, and means are omitted, because only a digest of their query
    is known.
    """
    other = None if table is None else Scaled(table, total)
    tables = _judged(answers, requested, total=total, total_sd=total_sd, other=other)
    means = {
        name: _mean([one.error for one in tables if len(one.clique) == width], total_sd / (2 * total))
        for name, width in (("columns", 1), ("pairs", 2))
        if any(len(one.clique) == width for one in tables)
    }
    by_digest = {str(a.requested["sha256"]): a for a in answers if isinstance(a, NoisyNumbers)}
    for name, query in requested.means.items():
        answer = by_digest.get(query.score.facts()["sha256"])
        if answer is not None:
            half = total if name == "ranges" else 2 * total
            far = 0.0 if other is None else _distance(query.score, other) / half
            sd = hypot(answer.sigma, total_sd) / half
            means[name] = Figure(estimate=float(answer.numbers[0]) / half, sd=sd, apart=far)
    is_judged = table is None and requested.means.keys() <= means.keys()
    predicted = []
    for answer in by_digest.values():
        if answer.requested["ask"] == Hits.ask and is_judged:  # each table has a different classifier
            correct, constant = (
                Figure(estimate=float(hits) / total, sd=hypot(answer.sigma, total_sd) / total)
                for hits in answer.numbers
            )
            label = str(answer.requested["label"])
            predicted.append(Predicted(target=label, correct=correct, constant=constant))
    pairs = means.get("pairs") if is_judged else None
    sample, ends = (None, ()) if pairs is None else _sample(requested, pairs, total, confidence)
    return Verdict(
        tables=tables,
        means=means,
        predicted=tuple(predicted),
        is_of_this_table=is_judged,
        sample=sample,
        sample_interval=ends,
    )


def _sample(
    requested: VerdictQueries, error: Figure, total: float, confidence: float
) -> tuple[float | None, tuple[float, ...]]:
    """Return the size of the sample with this mean error of pairs, as a share of the private rows, and the
    sizes at the ends of the interval of the error, both empty if no sample has this error.
    """
    batches = [requested.each, requested.means.get("pairs")]
    scores = [cast(L1Gap, batch.score) for batch in batches if batch is not None]
    tables = [t for s in scores for r, t in zip(s.cliques, s.estimates, strict=True) if len(r) == 2]
    low, high = error.interval(confidence)
    size, least, most = (sample_of_equal_error(e, tables, total) for e in (error.estimate, high, low))
    return size, () if size is None else (least or 1 / total, most or 1.0)


def judged_in(answers: Sequence[Answer]) -> int:
    """Return the number of columns of the widest tables measured one by one, 0 if there are none."""
    return max((len(r) for a in answers if isinstance(a, NoisyScores) for r in a.score.cliques), default=0)


def _judged(
    answers: Sequence[Answer],
    requested: VerdictQueries,
    *,
    total: float,
    total_sd: float,
    other: Scaled | None,
) -> tuple[Judged, ...]:
    """Return the errors of tables that were measured one by one, with the distance to the rows for which the
    errors are stated.
    """
    batch = next((a for a in answers if isinstance(a, NoisyScores)), None)
    if batch is None or requested.each is None:
        return ()
    quoted, ours = cast(L1Gap, batch.score), cast(L1Gap, requested.each.score)
    is_quoted = any(estimate.size for estimate in quoted.estimates)
    before = quoted.estimates if is_quoted else ours.estimates
    after = ours.estimates if other is None else tuple(other.counts(r) for r in quoted.cliques)
    half, sd = 2 * total, hypot(batch.sigma, total_sd) / (2 * total)
    return tuple(
        Judged(
            clique=clique,
            error=Figure(estimate=value / half, sd=sd, apart=float(np.abs(a - b).sum()) / half),
        )
        for clique, value, a, b in zip(quoted.cliques, batch.values.tolist(), before, after, strict=True)
    )


def _mean(errors: Sequence[Figure], common: float) -> Figure:
    """Return the average of figures. Their noise is independent except for a common part with standard
    deviation `common`.
    """
    m = len(errors)
    return Figure(
        estimate=sum(e.estimate for e in errors) / m,
        sd=hypot(common, sqrt(sum(max(e.sd**2 - common**2, 0.0) for e in errors)) / m),
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
