"""Combine several releases about the same people.

Their noisy tables are sums of one private table, with independent noise. So all of them are facts about this
table, and least squares weights them by their inverse variances. Splitting a budget over several releases
loses no precision, because precisions add up like costs.

The tables that several releases measured in the same groups are used to test whether the people are the same.
If they are, the sum of (y - m)^2 / v over the cells of the releases, where m is the mean weighted by 1 / v,
has a chi-square distribution. For two releases, it is the sum of (y_1 - y_2)^2 / (v_1 + v_2). A table with n
cells has n degrees of freedom for each release after the first. An interaction has prod(n_i - 1) degrees of
freedom.

If a few people are replaced by similar people, a cell changes by about the square root of the number of them
in the cell. Cells with many records and little noise show this best, so the likelihood ratio weights (y -
m)^2 / v by m / v. Therefore, the same sum with these weights c is also tested. Its p-value is at most exp(-s
t) prod(1 - 2 s c)^(-d / 2) for every s, where d is the degrees of freedom of each cell (Chernoff). The
weights are independent of the differences if the noise is normal. The test refuses if one of the two p-values
is below half of the level of the test.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from math import exp, prod, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

from synth.analyst.measured import Measured
from synth.core.axis import Axis
from synth.core.codebook import Codebook
from synth.core.errors import Mistake
from synth.core.evidence import VERDICT
from synth.core.measurements.noisy import Answer, Measurement, NoisyNumbers
from synth.core.request import People
from synth.estimates.facts import Fact, facts_of

TEST_LEVEL = 1e-3
"""Maximum probability with which the test refuses releases about the same people."""

CLEAR = 2.0
"""Number of standard deviations of the noise that are subtracted from a count that is used as a weight."""

Vector = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """The result of the chi-square test of the tables that several releases measured.

    `weighted` is an upper limit on the p-value of the weighted sum. `chance` is the smallest level at which
    the test would refuse, which is 1 if there is no such table.
    """

    statistic: float
    degrees: int
    weighted: float

    @property
    def chance(self) -> float:
        plain = float(chdtrc(self.degrees, self.statistic)) if self.degrees else 1.0
        return min(1.0, 2 * min(plain, self.weighted))


def together(parts: Sequence[Measured]) -> Measured:
    """Combine the measurements of releases about the same people, as if there were only one release.

    The synthetic rows, the bounds and the accuracy check come from the last release. For a mean or a
    regression, the sums with the least noise are used. Raises: `Mistake` if the releases have different
    columns, rules, public numbers of rows or privacy units, or if the test finds that their people differ.
    """
    if not parts:
        raise Mistake("There are no releases to combine. Name at least one.")
    last = parts[-1]
    for number, part in enumerate(parts[:-1], 1):
        if words := difference(part.codebook, last.codebook):
            raise Mistake(
                f"Releases {number} and {len(parts)} cannot be combined: {words}. Ask about each "
                "release separately."
            )
    for number, part in enumerate(parts[1:], 2):
        if part.spec.get("people") in (People.CHANGING, People.NEW):
            raise Mistake(
                f"Release {number} is declared to be about other people than earlier ones, so it cannot be "
                "combined with them. Ask about each release separately."
            )
    said = [frozenset((_key(fact), fact.counts.tobytes()) for fact in part.facts) for part in parts]
    if any(one <= other for one, other in permutations(said, 2)):
        raise Mistake("Two of the releases have the same measurements. Name each release once.")
    found = agreement([part.facts for part in parts])
    if found.chance < TEST_LEVEL:
        raise Mistake(
            "The releases are not about the same people, so they cannot be combined. Their measurements "
            f"differ by more than the noise (chi-square {found.statistic:,.0f}, {found.degrees:,} degrees "
            f"of freedom, p = {found.chance:.1g}). Ask about each release separately."
        )
    return combined(parts)


def combined(parts: Sequence[Measured]) -> Measured:
    """Combine the measurements of several releases with the last release, without any check.

    A model has one set of groups for each column, so it uses tables of earlier releases only if they have the
    same groups as later tables. Answers about synthetic rows are omitted.
    """
    last, groups = parts[-1], dict[str, tuple[int, ...]]()
    kept, further = list[Answer](), list[Fact]()
    for part in reversed(parts):
        for answer in sorted(part.evidence.answers, key=_columns):
            if isinstance(answer, Measurement):
                if any(groups.get(name, own) != own for name, own in answer.groups.items()):
                    further += facts_of(replace(part.evidence, answers=(answer,)))
                    continue
                groups |= answer.groups
            if answer.part != VERDICT:
                kept.append(answer)
    kept.sort(key=lambda a: a.variance if isinstance(a, NoisyNumbers) else -1)
    evidence = replace(last.evidence, answers=tuple(kept), total=_total(parts))
    further += [fact for part in parts for fact in part.further]
    return replace(last, evidence=evidence, further=tuple(further))


def _columns(answer: Answer) -> int:
    return len(answer.clique) if isinstance(answer, Measurement) else 0


def agreement(releases: Iterable[Sequence[Fact]]) -> Agreement:
    """Compare the tables that several releases measured in the same groups."""
    measured = defaultdict[Any, list[tuple[Fact, float]]](list)
    for facts in releases:
        own = defaultdict[Any, list[Fact]](list)
        for fact in facts:
            own[_key(fact)].append(fact)
        for key, same in own.items():
            precision = sum(1 / fact.variance for fact in same)
            counts = sum(fact.counts / fact.variance for fact in same) / precision
            measured[key].append((replace(same[0], counts=np.asarray(counts)), precision))
    statistic, degrees = 0.0, 0
    weights, sums, free = list[Vector](), list[Vector](), list[Vector]()
    for several in measured.values():
        shape, is_interaction = several[0][0].counts.shape, several[0][0].is_interaction
        whole = sum(precision for _, precision in several)
        mean = sum(fact.counts * precision for fact, precision in several) / whole
        apart = np.asarray(sum(precision * np.square(f.counts - mean) for f, precision in several))
        statistic += float(apart.sum())
        degrees += (len(several) - 1) * prod(size - is_interaction for size in shape)
        if len(several) > 1 and not is_interaction:
            sure = np.maximum(np.asarray(mean) - CLEAR / sqrt(whole), 0.0).ravel()
            weights.append(sure * (whole - sum(p**2 for _, p in several) / whole) / (len(several) - 1))
            sums.append(apart.ravel())
            free.append(np.full(apart.size, len(several) - 1.0))
    limit = _chance(*(np.concatenate(some) for some in (weights, sums, free))) if weights else 1.0
    return Agreement(statistic=statistic, degrees=degrees, weighted=limit)


def _chance(weights: Vector, sums: Vector, free: Vector) -> float:
    """Return an upper limit on the probability that a weighted sum of chi-square numbers is this large."""
    largest = float(weights.max())
    if largest <= 0.0:
        return 1.0
    weights = weights / largest
    total = float((weights * sums).sum())
    low, high = 0.0, 0.5
    for _ in range(60):
        s = (low + high) / 2
        is_below = float((free * weights / (1 - 2 * s * weights)).sum()) < total
        low, high = (s, high) if is_below else (low, s)
    return float(exp(-low * total - (free * np.log1p(-2 * low * weights)).sum() / 2))


def difference(one: Codebook, other: Codebook) -> str:
    """Return the reason why two releases cannot be about the same table in the same codes, or "" if they
    can.
    """
    mine, theirs = (tuple(axis.name for axis in book.axes) for book in (one, other))
    if mine != theirs:
        apart = [name for name in (*mine, *theirs) if (name in mine) != (name in theirs)]
        return (
            f"the columns {', '.join(apart)} are not in both releases"
            if apart
            else "the order of the columns differs"
        )
    for axis, another in zip(one.axes, other.axes, strict=True):
        if _codes(axis) != _codes(another):
            return f"the domain or the bins of {axis.name!r} differ"
    groups = [{g.column: g.group_of for g in book.groupings} for book in (one, other)]
    for name in mine:
        if groups[0].get(name) != groups[1].get(name):
            return f"the merged values of {name!r} differ"
    zeros = [{(z.clique, z.forbidden.tobytes()) for z in book.zeros} for book in (one, other)]
    if zeros[0] != zeros[1]:
        return "the rules differ"
    if one.schema.population != other.schema.population:
        return "the populations differ"
    if one.schema.rows_public != other.schema.rows_public:
        return "the public numbers of rows differ"
    if one.schema.protects != other.schema.protects:
        return "the privacy units differ"
    return ""


def _codes(axis: Axis) -> object:
    return axis.column.kind, axis.labels, axis.edges, axis.other, axis.size


def _key(fact: Fact) -> object:
    groups = tuple(fact.groups[name].tobytes() for name in fact.clique)
    return fact.clique, groups, fact.is_interaction


def _total(parts: Sequence[Measured]) -> float:
    """Return the mean of the numbers of rows, weighted by inverse variances."""
    sds = [part.evidence.total_sd for part in parts]
    if not all(sds):
        return parts[-1].evidence.total
    weights = [sd**-2 for sd in sds]
    totals = zip(weights, (part.evidence.total for part in parts), strict=True)
    return sum(weight * total for weight, total in totals) / sum(weights)
