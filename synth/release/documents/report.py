"""Write the privacy report for people: one HTML file of at most four printed pages.

It has no scripts and loads no other files. Its headings follow the layers of NIST SP 800-226 for assessing a
claim of differential privacy, from the claim at the top to the collection of the data at the bottom. Its
sentences are in `templates/report.j2`. Their facts come from the statement, the checks or the synthetic
table.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import Any

from synth.core.accounting import in_hundred
from synth.core.accounting.sampled import PARTS
from synth.core.axis import Axis
from synth.core.columns.published import published_axes
from synth.core.numbers import TIMES, about
from synth.core.schema import Group, Neighbours
from synth.private.queries import QUERIES, TABLE_QUERIES, Sides
from synth.release.documents import charts, quality, templating, wording
from synth.release.documents.charts import Drawing
from synth.release.documents.dictionary import group_text
from synth.release.documents.panels import domain_text
from synth.release.documents.statement import claimed_law
from synth.release.layout import Layout
from synth.release.opened import Bundle
from synth.release.plan import relates

_TEMPLATE = "report.j2"
MOST_RULES, MOST_COLUMNS = 10, 24
"""Maximum numbers of listed rules and columns. For all others, the report refers to the files."""

BIASES = {"denoised": "trained", "adversarial": "trained", "network": "network", "reweighed": "votes"}
"""Source of bias of each generator.

For a generator that is not listed, the bias comes from making noisy counts consistent.
"""

_KINDS = {kind: requested.words for kind, requested in (QUERIES | TABLE_QUERIES).items()}


def pages(bundle: Bundle, statement: Mapping[str, Any]) -> tuple[str, str]:
    """Return the report as one page of HTML, and the same sentences as Markdown, with a text alternative
    instead of each picture.
    """
    known = facts(bundle, statement)
    return templating.page(_TEMPLATE, **known), templating.markdown(_TEMPLATE, **known)


def facts(bundle: Bundle, statement: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts for the template.

    The steward's texts in `statement` may differ from the texts in the statement of the package.
    """
    privacy, history, rules = bundle.privacy, statement["history"], bundle.rules.rules
    law, units = claimed_law(statement), statement["budget"]["reserved_units"]
    odds = wording.odds_of((privacy.epsilon, privacy.delta), law, units, history)
    alone = odds[wording.ODDS[0]]
    guess = in_hundred(alone.guess)
    questions = [question for part in statement["spend"] for question in part["questions"]]
    return {
        "statement": statement,
        **dict(zip(("method", "generator"), wording.made_by(statement), strict=True)),
        "layout": Layout(rehearsal=statement["release"]["rehearsal"]),
        "privacy": privacy,
        "rows": len(bundle.codes),
        "width": len(bundle.evidence.codebook.schema.published),
        "replaces": privacy.neighbours is Neighbours.REPLACE,
        "rows_of_one": wording.rows(privacy.unit),
        "loss": law.loss(units),
        "guess": guess,
        "caught": in_hundred(alone.caught),
        "several": [(in_hundred(odds[name].guess), in_hundred(odds[name].caught)) for name in list(odds)[1:]],
        "counts_of_three": _counts_of_three(bundle),
        "odds": charts.odds(math.ceil(100 * alone.guess), word=guess),
        "spent": charts.stacked(_shares(statement)),
        "history": wording.budget_line(statement),
        "lifetime": _lifetime(history),
        "queried": {question["question"] for question in questions},
        "sides_labels": _labels(bundle),
        **_tilings(bundle, statement),
        "training": _training(bundle),
        "changes": _changes(bundle, statement),
        "most_changed": wording.at_most(statement.get("changes", {}).get("most", 0.0)),
        "bias": BIASES.get(statement["method"]["generator"], "counts"),
        "reads_columns_alone": _reads_columns_alone(bundle, statement),
        "parts": [
            [
                wording.part_name(part["part"]),
                _counted([q["question"] for q in part["questions"]]),
                about(part["rho"], digits=4),
            ]
            for part in statement["spend"]
        ],
        "software": wording.software(statement),
        "columns": _columns(published_axes(bundle.evidence.codebook), bundle.evidence.codebook.schema.groups),
        "weight": _weight(bundle),
        "rules": [
            f"{rule.sentence}. Reason: {rule.because}" if rule.because else rule.sentence
            for rule in rules
            if rule.stated and rule.share is None
        ],
        "impossible": bundle.rules.warnings,
        "sources": {rule.sentence: rule.because for rule in rules if rule.share is not None},
        "most_rules": MOST_RULES,
        **quality.facts(bundle),
    }


def _changes(bundle: Bundle, statement: Mapping[str, Any]) -> list[list[str]]:
    stated = statement.get("changes")
    return wording.changes(stated, bundle.evidence.codebook.titles) if stated else []


def _counts_of_three(bundle: Bundle) -> list[tuple[str, int, int]]:
    """Return the range of the published number for a count of 3 in 95 of 100 releases.

    There is one entry for the most and one for the least precisely measured table, with its title. Of several
    measurements of a table, only the most precise one counts. Noise of
    standard deviation s is a normal number, rounded to an integer, so it is at most z s + 1/2 in 95 of 100
    releases, rounded down.
    """
    measured_tables = [m for m in bundle.evidence.measurements if not m.joined]
    if not measured_tables:
        return []
    falling = sorted(measured_tables, key=lambda m: m.variance, reverse=True)
    tables = list({m.clique: m for m in falling}.values())
    ends = {min: min(tables, key=lambda m: m.variance), max: max(tables, key=lambda m: m.variance)}
    titles = bundle.evidence.codebook.titles
    found = {}
    for measured in ends.values():
        most = math.floor(NormalDist().inv_cdf(0.975) * measured.sigma + 0.5)
        name = TIMES.join(titles.get(column, column) for column in measured.clique)
        found[measured.variance] = (name, 3 - most, 3 + most)
    return list(found.values())


def _labels(bundle: Bundle) -> list[str]:
    """Return the label columns of measured half-spaces."""
    sides = [answer.requested for answer in bundle.evidence.numbers if answer.requested["ask"] == Sides.ask]
    return list(dict.fromkeys(requested["label"] for requested in sides if requested["label"]))


def _tilings(bundle: Bundle, statement: Mapping[str, Any]) -> dict[str, Any]:
    """Return facts about the tilings: tables with the target and a different grouping of values in each.

    The facts are the number of tilings, their numbers of columns, and whether the records were fitted to
    them. The last fact is derived from the number of residuals.
    """
    evidence = bundle.evidence
    widths = [len(m.clique) for m in evidence.tilings]
    return {
        "tilings": len(widths),
        "tiled": evidence.codebook.titles[statement["method"]["parameters"]["target"]] if widths else "",
        "tiled_widths": list(range(min(widths, default=0), max(widths, default=0) + 1)),
        "reads_tilings": len(bundle.checks.residuals) > len(evidence.measurements),
    }


def _training(bundle: Bundle) -> dict[str, Any] | None:
    """Return the public facts about a private training, or None if there was none."""
    blocks = bundle.evidence.trained
    if not blocks:
        return None
    return {
        "blocks": len(blocks),
        "steps": sum(block.requested["steps"] for block in blocks),
        "rate": _span([block.requested["rate"] / PARTS for block in blocks]),
        "clip": _span([block.requested["clip"] for block in blocks]),
        "sigma": _span([block.sigma for block in blocks]),
    }


def _span(numbers: Sequence[float]) -> str:
    """Return the range from the smallest to the largest number as text, to four digits.

    >>> _span([1.5, 1.5]), _span([0.25, 0.5])
    ('1.5', '0.25 to 0.5')
    """
    return " to ".join(dict.fromkeys(about(number, digits=4) for number in (min(numbers), max(numbers))))


def _reads_columns_alone(bundle: Bundle, statement: Mapping[str, Any]) -> bool:
    """Whether the generator ignores the relations in measured tables of several columns."""
    wide = any(len(m.clique) > 1 for m in bundle.evidence.measurements)
    method = statement["method"]
    return wide and not relates(method["name"], method["generator"])


def _lifetime(history: Mapping[str, Any]) -> Drawing | None:
    """Return a bar of the lifetime budget, None if it has no limit."""
    limit = history["limit_units"]
    if not limit:
        return None
    whole = history.get("whole_units", limit)
    others = history["spent_before_units"] + history["reserved_by_open_runs_units"]
    own = history["spent_with_this_units"] - history["spent_before_units"]
    lines = (
        ("other releases and open runs", others, 3),
        ("this release", own, 0),
        ("lost to another accounting rule", whole - limit, 2),
        ("left", history["left_units"], 4),
    )
    kept = [(word, units / whole, tint) for word, units, tint in lines if units > 0]
    return charts.stacked([(word, share) for word, share, _ in kept], tints=[tint for *_, tint in kept])


def _shares(statement: Mapping[str, Any]) -> list[tuple[str, float]]:
    """Return the privacy cost of each kind of query in each part, as shares of the total."""
    prices: Counter[str] = Counter()
    for part in statement["spend"]:
        for question in part["questions"]:
            kind = question["question"]
            prices[f"{wording.part_name(part['part'])}: {_KINDS.get(kind, (kind,))[-1]}"] += question["units"]
        if not part["questions"]:
            prices[part["part"]] = part["units"]
    return [(name, units / prices.total()) for name, units in prices.items()]


def _counted(kinds: list[str]) -> str:
    """Return the numbers of queries of each kind, as text.

    >>> _counted(["measure", "measure", "choose"])
    '2 tables measured, 1 selection'
    """
    many = (f"{n:,} {_KINDS.get(kind, (kind, kind))[n > 1]}" for kind, n in Counter(kinds).items())
    return ", ".join(many) or "none"


def _weight(bundle: Bundle) -> dict[str, str] | None:
    """Return the survey weight and its sum over the synthetic rows, None if there is no survey weight."""
    column = next((c for c in bundle.evidence.codebook.schema.modelled if c.is_weight), None)
    if column is None:
        return None
    return {"name": column.heading, "total": about(float(bundle.values[column.name].sum()), digits=6)}


def _columns(axes: Sequence[Axis], groups: Sequence[Group]) -> list[list[str]]:
    """Return the first columns with their domains and groups. If a column has a separate title for charts,
    the title is added to the name.
    """
    joined = {name: f"; {group_text(group)}" for group in groups for name in group.columns}
    return [
        [
            axis.name if axis.column.heading == axis.name else f"{axis.name}: {axis.column.heading}",
            "generated IDs" if axis.column.id_format else axis.column.kind.words,
            domain_text(axis) + joined.get(axis.name, ""),
            "may be blank" if axis.column.blank and not axis.column.id_format else "none",
            axis.column.provenance.value,
        ]
        for axis in axes[:MOST_COLUMNS]
    ]
