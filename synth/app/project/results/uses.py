"""State what a release is good for, what it is not for, and what would improve it, from public facts only.

A statement about all tables of one kind needs the whole interval of their mean error on one side of a limit.
A pair or column is named only if its posterior puts it on one side with probability `SURE`. Without measured
errors, the statements count error bounds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from synth.app.project.results.released import SURE, ReleaseView
from synth.core.domain import Clique
from synth.core.numbers import TIMES, per_cent
from synth.estimates.likely_errors import Likely
from synth.release.verdict.figures import Judged, Verdict
from synth.release.verdict.sentences import CAREFUL, points

GOOD = 0.05
"""Largest error of a use that the release is good for."""

_KINDS = {
    "columns": ("single columns", "single columns", 1),
    "pairs": ("pairs of columns", "pairs", 2),
    "triples": ("tables of three columns", "tables of three columns", 3),
}
"""Kinds of tables by the name of their mean error: all, some, and their number of columns."""

_NAMED, _WORST = 2, 10
"""Number of tables that are named, and of pairs among which a common column is sought."""

_MANY_VALUES = 8
"""Number of values from which merging is suggested."""


@dataclass(frozen=True, kw_only=True)
class Uses:
    """What a release is good for, what it is not for, and what would improve it: one sentence each."""

    good: str
    bad: str
    better: str


def uses(release: ReleaseView) -> Uses:
    """Return the three statements about a release."""
    if release.blocked:
        return Uses(
            good="nothing, because this run cannot be published.",
            bad="any use.",
            better="fix what the warnings describe, then run again.",
        )
    if release.verdict is None:
        return _bounded(release)
    good = "; ".join(_good(release.verdict, release))
    bad = "; ".join(_bad(release.verdict, release))
    return Uses(
        good=f"{good}." if good else f"no use has an error that is surely at most {per_cent(GOOD)}.",
        bad=f"{bad}."
        if bad
        else f"single rows, which describe no one. No use has an error that is surely above "
        f"{per_cent(CAREFUL)}.",
        better=_better(release),
    )


def _bounded(release: ReleaseView) -> Uses:
    """Return the statements about a release whose error was not measured."""
    columns = [view.bound for view in release.columns]
    pairs = [pair.share for pair in release.pairs]

    def part(shares: Sequence[float | None], limit: float, noun: str) -> str:
        within = sum(share is not None and share <= limit for share in shares)
        return f"{within:,} of {len(shares):,} {noun}"

    kinds = [(columns, "single columns"), *([(pairs, "pairs")] if pairs else [])]
    close = " and ".join(part(shares, GOOD, noun) for shares, noun in kinds)
    open_ = " and ".join(
        f"{len(shares) - sum(s is not None and s <= CAREFUL for s in shares):,} of {len(shares):,} {noun}"
        for shares, noun in kinds
    )
    is_open = any(share is None or share > CAREFUL for shares, _ in kinds for share in shares)
    return Uses(
        good=f"{close}, with error bounds of at most {per_cent(GOOD)}.",
        bad=f"{open_}, which have no error bound of at most {per_cent(CAREFUL)}."
        if is_open
        else f"single rows, which describe no one. Every error bound is at most {per_cent(CAREFUL)}.",
        better=f"measure the accuracy, which states errors instead of bounds, or {_spend_more(release)}.",
    )


def _good(verdict: Verdict, release: ReleaseView) -> Iterator[str]:
    for name, (every, some, width) in _KINDS.items():
        close = [
            one
            for one in _single(verdict, width)
            if one.likely is not None and 1 - one.likely.above(GOOD) >= SURE
        ]
        close.sort(key=lambda one: (-_cells(one.clique, release), one.stated.estimate))
        if name in verdict.means and verdict.means[name].interval(release.confidence)[1] <= GOOD:
            such = f", such as {_named(close, release)}" if close and width > 1 else ""
            yield f"{every} ({_mean(verdict, name, release)}){such}"
        elif close:
            yield f"{some} such as {_named(close, release)}"


def _bad(verdict: Verdict, release: ReleaseView) -> Iterator[str]:
    for name, (every, some, width) in _KINDS.items():
        far = [
            one
            for one in _single(verdict, width)
            if one.likely is not None and one.likely.above(CAREFUL) >= SURE
        ]
        far.sort(key=lambda one: -one.stated.estimate)
        if name in verdict.means and verdict.means[name].interval(release.confidence)[0] > CAREFUL:
            more = " or more" if width == max(w for _, _, w in _KINDS.values()) else ""
            yield f"{every}{more} ({_mean(verdict, name, release)})"
        elif far:
            yield f"{some} such as {_named(far, release)}"


def _single(verdict: Verdict, width: int) -> Sequence[Judged]:
    """Return the tables of this number of columns with posteriors for exactly this release."""
    return verdict.of_width(width) if verdict.is_of_this_table else ()


def _mean(verdict: Verdict, name: str, release: ReleaseView) -> str:
    """Return the mean error of a kind of tables, or its upper limit if another table was measured."""
    figure = verdict.means[name]
    if not verdict.is_of_this_table or points(figure.estimate) == points(0.0):
        return f"mean error at most {points(figure.interval(release.confidence)[1])}"
    return f"mean error {points(figure.estimate)}"


def _named(tables: Sequence[Judged], release: ReleaseView) -> str:
    """Name the first tables with their stated errors."""
    return " and ".join(
        f"{TIMES.join(release.titles[name] for name in one.clique)} ({points(one.stated.estimate)})"
        for one in tables[:_NAMED]
    )


def _cells(clique: Clique, release: ReleaseView) -> int:
    sizes = {view.name: len(view.labels) for view in release.columns}
    cells = 1
    for name in clique:
        cells *= sizes[name]
    return cells


def _better(release: ReleaseView) -> str:
    merge = _merge(release)
    return f"{merge}, or {_spend_more(release)}." if merge else f"{_spend_more(release)}."


def _merge(release: ReleaseView) -> str:
    """Suggest to merge the values of a column that is in at least half of the pairs with the highest errors,
    or return "".
    """
    errors = [(pair.error.estimate, pair.clique) for pair in release.pairs if isinstance(pair.error, Likely)]
    if len(errors) <= _WORST:
        return ""
    worst = sorted(errors, key=lambda one: -one[0])[:_WORST]
    named = Counter(name for _, clique in worst for name in clique)
    values = {view.name: view.values for view in release.columns}
    many = [name for name in named if values[name] >= _MANY_VALUES and 2 * named[name] >= _WORST]
    if not many:
        return ""
    name = max(many, key=lambda one: named[one])
    return (
        f"merge values of {release.titles[name]} ({values[name]:,} values; it is in {named[name]} of the "
        f"{_WORST} pairs with the highest errors)"
    )


def _spend_more(release: ReleaseView) -> str:
    return (
        f"spend more: epsilon {2 * release.epsilon:g} instead of {release.epsilon:g} lowers the noise of the "
        f"measurements by {per_cent(release.noise_saved)}"
    )
