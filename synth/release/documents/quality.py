"""Write the section of the report on utility and bias. It uses only numbers that can be published."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median
from typing import Any

from synth.core.numbers import per_cent, share_at_most
from synth.release.checks.bounds import Bound, Support
from synth.release.checks.shares import FoundShare
from synth.release.documents import charts
from synth.release.documents.charts import Drawing
from synth.release.documents.panels import panels
from synth.release.documents.wording import exact_share
from synth.release.opened import Bundle
from synth.release.verdict.asking import INCLUDED
from synth.release.verdict.sentences import GRADES, against, as_sample, grade, graded

MOST_PANELS, MOST_NAMES = 16, 24


def facts(bundle: Bundle) -> dict[str, Any]:
    """Return the content of the report's third section."""
    checks, rules, shown = bundle.checks, bundle.rules.forbidding, panels(bundle)
    cells = sum(r.cells for r in checks.residuals)
    beyond = sum(r.beyond * r.cells for r in checks.residuals) / cells if cells else 0.0
    stated = [rule.stated for rule in rules]
    broken = [
        f"{rows:,} {'breaks' if rows == 1 else 'break'} “{rule}”"
        for rule, rows in checks.violations.items()
        if rows
    ]
    kept = (["breaks a rule"] * any(stated)) + (["is blank where no blank is allowed"] * (not all(stated)))
    return {
        "checks": checks,
        "has_groups": any(b.coarse_kind is not None for b in checks.bounds),
        "has_groups_only": any(map(_is_coarse, checks.bounds)),
        "bounds": list(_bounds(checks.bounds)),
        "incomplete": sorted(bundle.evidence.codebook.titles[name] for name in checks.incomplete),
        **_verdict(bundle),
        "cells": cells,
        "beyond": "none" if not beyond else "under 0.1%" if beyond < 0.001 else per_cent(beyond, 1),
        "broken": broken if rules else [],
        "kept": kept,
        "shares": [_share(share) for share in checks.shares],
        "columns_drawn": [charts.panel(panel) for panel in shown[:MOST_PANELS]],
        "columns_left": max(len(shown) - MOST_PANELS, 0),
        "pairs": _pairs(bundle),
        "relations": _relations(bundle),
    }


def _verdict(bundle: Bundle) -> dict[str, Any]:
    """Return the measured accuracy: one line for each use, and sentences about all uses."""
    verdict, titles = bundle.checks.verdict, bundle.evidence.codebook.titles
    if verdict is None:
        return {"verdict": []}
    return {
        "verdict": [
            [one.use, one.grade, one.words] for one in graded(verdict, bundle.checks.confidence, titles)
        ],
        "is_judged": verdict.is_of_this_table,
        "predicts": bool(verdict.predicted),
        "as_sample": as_sample(verdict),
        "forecast": against(bundle.spec.get("forecast", {}), verdict, bundle.checks.confidence),
        "included": INCLUDED,
        "grades": ", ".join(f"{name} (at most {per_cent(most)})" for most, name in GRADES[:-1]),
    }


def _share(share: FoundShare) -> dict[str, str]:
    """Return a target proportion, with its numbers as percentages."""
    return {
        "sentence": share.sentence,
        "origin": share.origin,
        "reached": exact_share(share.reached),
        "wanted": exact_share(share.wanted),
        "interval": " to ".join(map(exact_share, share.interval or ())),
    }


def _bounds(bounds: Sequence[Bound]) -> Iterator[list[str]]:
    """Return the numbers of tables that have a bound, and the sizes of the bounds.

    There is one line for each combination of number of columns and kind of bound. A table with a bound for
    groups of values but no bound for single values is counted only in the line of the groups.
    """
    for width in sorted({len(bound.clique) for bound in bounds}):
        mine = [bound for bound in bounds if len(bound.clique) == width]
        for kind in Support:
            yield from _line(width, kind.value, [b.tvd for b in mine if b.kind is kind and not _is_coarse(b)])
        for kind in (Support.MEASURED, Support.INFERRED):
            grouped = [b for b in mine if b.coarse_kind is kind]
            for words, only in (("in groups", False), ("in groups only", True)):
                shares = [_for_groups(b) for b in grouped if _is_coarse(b) == only]
                yield from _line(width, f"{kind.value}, {words}", shares)


def _is_coarse(bound: Bound) -> bool:
    """Whether there is only a bound for groups of values."""
    return bound.tvd is None and bound.coarse_tvd is not None


def _for_groups(bound: Bound) -> float | None:
    """Return the bound of the sums over groups, which are never further off than the single values."""
    return min((tvd for tvd in (bound.coarse_tvd, bound.tvd) if tvd is not None), default=None)


def _line(width: int, kind: str, shares: Sequence[float | None]) -> Iterator[list[str]]:
    """Yield one line of the table of bounds, unless there are no such bounds."""
    if shares:
        claimed = [share for share in shares if share is not None]
        widths = [share_at_most(f(claimed)) if claimed else "no claim" for f in (median, max)]
        columns = {1: "one column", 2: "two columns", 3: "three columns"}.get(width, f"{width} columns")
        yield [columns, kind, f"{len(shares):,}", *widths]


def _pairs(bundle: Bundle) -> Drawing | None:
    """Return a picture of the pairs of columns with a bound.

    The result is empty if there are too few or too many columns to draw.
    """
    titles = bundle.evidence.codebook.titles
    pairs = [bound for bound in bundle.checks.bounds if len(bound.clique) == 2]
    if not 2 < len(titles) <= MOST_NAMES or not pairs:
        return None
    kinds = {(b.clique[0], b.clique[1]): "groups" if _is_coarse(b) else b.kind.value for b in pairs}
    return charts.pairs(titles, kinds)


def _relations(bundle: Bundle) -> Drawing | None:
    """Return a picture of the pairs of columns by their measured errors.

    The result is empty if the errors of these rows were not measured, or if there are too few or too many
    columns to draw.
    """
    verdict, titles = bundle.checks.verdict, bundle.evidence.codebook.titles
    if verdict is None or not verdict.is_of_this_table or not 2 < len(titles) <= MOST_NAMES:
        return None
    names = [name for _, name in GRADES]
    pairs = {
        (one.clique[0], one.clique[1]): one.stated.limited for one in verdict.tables if len(one.clique) == 2
    }
    return charts.relations(titles, {pair: names.index(grade(e)) for pair, e in pairs.items()}, names)
