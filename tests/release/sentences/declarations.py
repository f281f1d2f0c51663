"""Facts of a run about what was declared: columns, rules, target proportions, caps, tilings."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pandas as pd

from synth.analyst.kit import Kit
from synth.analyst.measured import Measured
from synth.core.numbers import TIMES
from synth.core.schema import Kind, Outside, Provenance

Run = Any
"""`conftest.Run`; pytest does not let tests import from there."""
Check = Callable[..., object]


KINDS = {
    Kind.CATEGORY: "category",
    Kind.ORDERED: "ordered category",
    Kind.INTEGER: "whole number",
    Kind.DECIMAL: "decimal number",
    Kind.DATE: "date",
}

NUMBERS = (Kind.INTEGER, Kind.DECIMAL)


def tilings(run: Run) -> list[dict[str, Any]]:
    """What was asked of many columns at once, where it was asked in more than one set of groups."""
    requested = [a.query for a in run.answers if a.query["ask"] == "measure" and a.part == "mechanism"]
    large = [q for q in requested if len(q["clique"]) > 2 and q.get("groups")]
    return large if len({str(q["groups"]) for q in large}) > 1 else []


def tiled(run: Run, tables: str, fewest: str, most: str | None, target: str) -> bool:
    requested = tilings(run)
    widths = [len(q["clique"]) for q in requested]
    name = run.plan.options["target"]
    return (
        (int(tables), int(fewest), int(most or fewest)) == (len(requested), min(widths), max(widths))
        and target == (run.plan.schema.column(name).title or name)
        and all(name in q["clique"] and name not in q["groups"] for q in requested)
    )


def declared(run: Run, name: str, title: str | None, kind: str, domain: str, blanks: str, known: str) -> bool:
    """A line of the table of columns."""
    column = run.plan.schema.column(name)
    if (title or name, blanks) != (column.heading, "may be blank" if column.blank else "none"):
        return False
    if column.buy:
        inside, found = run.table[name].dropna(), run.opened.evidence.codebook.schema.column(name)
        ranged = column.kind.has_range
        stated = (
            ends(found.min, found.max, inside if column.kind is Kind.DECIMAL else None)
            if ranged
            else ", ".join(map(str, found.values)) + other(found)
        )
        inside = inside.map(str) if column.kind is Kind.DATE else inside
        sound = inside.between(found.min, found.max) if ranged else inside.isin([*found.values, "Other"])
        return sound.all() and (kind, domain, known) == (KINDS[column.kind], stated, "estimated with budget")
    values = [str(v) for v in column.values]
    more = f" and {len(values) - 6} more" if len(values) > 6 else ""
    stated = ends(column.min, column.max, run.table[name] if column.kind is Kind.DECIMAL else None)
    if not column.kind.has_range:
        stated = ", ".join(values[:6]) + more + other(column)
    source = "estimated in an earlier release" if name in taken_up(run) else column.provenance.value
    return (kind, domain, known) == (KINDS[column.kind], stated, source)


def taken_up(run: Run) -> dict[str, str]:
    """What says that it was bought, and was not bought by this run: columns, with what is told of them."""
    kinds = {True: "range", False: "value list"}
    columns = [c for c in run.plan.schema.modelled if c.provenance is Provenance.ESTIMATED]
    return {c.name: f"{c.name} ({kinds[c.kind.has_range]})" for c in columns if c.name not in run.estimated}


def ends(least: Any, most: Any, values: Any) -> str:
    """A range, with as many decimals at its ends as its values need; a date has no commas."""
    if values is None:
        return " to ".join(f"{end:,}" if isinstance(end, (int, float)) else str(end) for end in (least, most))
    places = max(len(repr(x).partition(".")[2].removesuffix("0")) for x in values.dropna().tolist())
    return f"{least:,.{places}f} to {most:,.{places}f}, {places} decimal{'s' * (places > 1)}"


def other(column: Any) -> str:
    """What becomes of values that a list does not have."""
    return f", else {column.other_label}" if column.outside is Outside.OTHER else ""


def reasons(run: Run) -> list[str]:
    stated = [rule for rule in run.plan.rules.forbidding if rule.stated]
    return [f"{r.sentence}. Reason: {r.because}" if r.because else r.sentence for r in stated]


def has_share(run: Run, where: str, wanted: str, reached: str) -> bool:
    """Whether this share was asked for, and the table has that."""
    found = run.plan.rules.shares_of(run.table)
    sentence = f"the share of records where {where} should be {wanted}"
    return is_share(reached, found[sentence])


def is_share(stated: str, share: float) -> bool:
    """Whether a share of six digits, as the checks have it, was told in thousandths of a per cent."""
    return stated == f"{100 * float(f'{share:.6g}'):.3f}"


def is_estimated(run: Run, wanted: str, low: str, high: str) -> bool:
    """Whether the kit gives this share and interval, at most as far from the private share as its count."""
    found = Kit(Measured.in_files(run.opened.files)).share({"age": (35, None), "town": ["Ayr", "Bath"]})
    frame = pd.DataFrame(run.private)
    inside = frame["town"].isin(["Ayr", "Bath"]) & (pd.to_numeric(frame["age"]) >= 35)
    far = abs(float(wanted) / 100 - inside.mean())
    shown = (found.estimate, *(found.interval or ()))
    return far < 5 * run.bought_share[1] and all(map(is_share, (wanted, low, high), shown))


def asks(run: Run) -> list[Any]:
    return [share for _, share in run.plan.rules.shares]


def kept(run: Run, what: str) -> bool:
    """No row breaks a rule or is blank where it may not be, and the sentence speaks of what there is."""
    columns = run.plan.schema.modelled
    said = (["breaks a rule"] * (len(reasons(run)) > 0)) + ["is blank where no blank is allowed"] * any(
        not c.blank for c in columns
    )
    whole = all(run.table[c.name].notna().all() for c in columns if not c.blank)
    return what == " or ".join(said) and whole and not any(run.plan.rules.violations(run.table).values())


def has_void(run: Run, names: str) -> bool:
    read = [c.name for c in run.plan.schema.modelled if c.provenance is Provenance.READ_FROM_FILE]
    return bool(read) and names == ", ".join(read)


def is_capped(run: Run, who: str, most: str) -> bool:
    """Whether rows are capped; the id column is gone."""
    of = run.plan.schema.unit
    return of.id_column not in (None, *run.table) and (who, int(most)) == (of.name, of.max_rows)


def titled(run: Run, clique: list[str]) -> str:
    """A table by what people call its columns."""
    columns = run.plan.schema.modelled
    return TIMES.join(next(c.title or c.name for c in columns if c.name == name) for name in clique)


def columns_in(formula: str) -> set[str]:
    """The columns of a formula whose names are small letters."""
    return set(re.findall("[a-z]+", re.sub(r"logistic |\[.*?\]| by ", " ", formula)))


def is_summed(run: Run, formula: str, count: str, what: str, groups: str | None, use: str) -> bool:
    """Whether this formula was asked for, and the ledger has a query with so many sums for it."""
    kind, sums, purpose = "moments", "of products", "linear regressions" if "~" in formula else "means"
    if formula.startswith("logistic "):
        kind, sums, purpose = "logistic", "at a fit to the synthetic rows", "a logistic regression"
    requested = [a.query for a in run.answers if a.query["ask"] == kind]
    sizes = [len(q["entries"]) for q in requested if set(q["clique"]) == columns_in(formula)]
    by = formula.partition(" by ")[2] or None
    return formula in run.plan.means and (what, use, groups) == (sums, purpose, by) and int(count) in sizes


def are_ranges(run: Run, stated: str) -> bool:
    """Whether these are the declared ranges of the numbers of a formula that was asked for."""
    numbers = {
        c.name: f"{c.name} ({c.min:g} to {c.max:g})" for c in run.plan.schema.modelled if c.kind in NUMBERS
    }
    return set(stated.split(", ")) in [
        {numbers[name] for name in columns_in(formula) & set(numbers)} for formula in run.plan.means
    ]
