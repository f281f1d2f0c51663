"""Facts of a run about cells that do not fit their column, and about values that rules make impossible."""

import math
from collections import defaultdict
from itertools import product
from typing import Any

import pandas as pd
from scipy.stats import norm

from synth.core.schema import Kind, Outside, Provenance
from synth.rules import parse_rules
from tests.release.sentences.accuracy import SURE

Run = Any
"""`conftest.Run`; pytest does not let tests import from there."""


def misfits(run: Run) -> list[str]:
    """What the papers have to say of each share that noise alone would hardly make, the largest first."""
    counted, (rows, rows_sd) = counted_misfits(run), counted_rows(run)
    least = norm.isf(0.05 / (2 * len(counted))) if counted else 0.0
    seen = []
    for (name, reason), (cells, sd) in counted.items():
        share = min(cells / rows, 1.0)
        half = norm.isf(0.025) * math.hypot(sd, cells / rows * rows_sd) / rows
        low = math.floor(round(100 * max(cells / rows - half, 0.0), 6))
        high = math.ceil(round(100 * min(cells / rows + half, 1.0), 6))
        if cells > least * sd:
            seen.append((share, f"{100 * share:.0f}% ({low} to {high}%) of {told(run, name, reason)}"))
    return [sentence for _, sentence in sorted(seen, key=lambda one: -one[0])]


def told(run: Run, name: str, reason: str) -> str:
    """What is said of the cells of a column that do not fit for a reason, but for their share."""
    axis = run.opened.evidence.codebook.axes[run.opened.evidence.domain.axis(name)]
    column = axis.column
    source = "estimated" if column.provenance is Provenance.ESTIMATED else "declared"
    kind = "dates" if column.kind is Kind.DATE else "numbers"
    was = {
        "below": f"were below the {source} range",
        "above": f"were above the {source} range",
        "unreadable": f"could not be read as {kind}",
        "blank": "were blank, although declared as never blank,",
        "changed": "were not whole numbers",
        "unlisted": f"were not in the {source} list",
    }[reason]
    lost = "shown as blank" if column.blank and reason != "blank" else "not counted in this column"
    if reason == "changed":
        lost = "rounded down"
    elif reason in ("below", "above") and column.outside_rule is Outside.CLAMP:
        lost = f"shown as {axis.label(0 if reason == 'below' else axis.cells - 1)}"
    return f"{column.title or name} {was} and are {lost}."


def counters(run: Run) -> list[Any]:
    return [a for a in run.opened.evidence.answers if getattr(a, "unfit", ())]


def counted_misfits(run: Run) -> dict[tuple[str, str], tuple[float, float]]:
    """The published noisy numbers of cells by column and reason, each with the standard deviation of its
    noise; several of the same cells are weighted by their precision."""
    found = defaultdict(list)
    for name in (axis.name for axis in run.opened.evidence.codebook.axes):
        for m in counters(run):
            for u in m.unfit if m.clique == (name,) else ():
                found[name, u.reason].append((u.count / u.weight, float(u.variance) / u.weight**2))
    return {key: weighted(pairs) for key, pairs in found.items()}


def counted_rows(run: Run) -> tuple[float, float]:
    """The number of rows by the same tables, and the standard deviation of its noise. Cells that are in no
    cell of their table have a weight of 5."""
    if run.plan.schema.rows_public is not None:
        return run.plan.schema.rows_public, 0.0
    sums = []
    for m in counters(run):
        apart = [u for u in m.unfit if u.weight == 5]
        noise = float(m.variance) * m.counts.size + sum(float(u.variance) / 25 for u in apart)
        sums.append((float(m.counts.sum()) + sum(u.count / 5 for u in apart), noise))
    return weighted(sums) if sums else (1.0, 0.0)


def weighted(pairs: list[tuple[float, float]]) -> tuple[float, float]:
    """The mean of (value, variance), weighted by precision, and its standard deviation."""
    precision = sum(1 / variance for _, variance in pairs)
    return sum(value / variance for value, variance in pairs) / precision, precision**-0.5


def exact_misfits(run: Run) -> dict[tuple[str, str], float]:
    """The exact shares of private cells that do not fit, by column and reason; every other share is 0."""
    frame, found = pd.DataFrame(run.private), {}
    for axis in run.opened.evidence.codebook.axes:
        column, cells = axis.column, frame[axis.name].replace("", None)
        if not column.blank:
            found[axis.name, "blank"] = cells.isna().mean()
        if not column.kind.has_range:
            found[axis.name, "unlisted"] = (cells.notna() & ~cells.isin(list(column.values))).mean()
            continue
        is_date = column.kind is Kind.DATE
        numbers = pd.to_datetime(cells) if is_date else pd.to_numeric(cells)
        least, most = (pd.Timestamp(end) if is_date else end for end in (column.min, column.max))
        found[axis.name, "below"] = (numbers < least).mean()
        found[axis.name, "above"] = (numbers > most).mean()
    return found


def misfits_far_off(run: Run) -> list[tuple[str, str]]:
    """The noisy shares that are further from the exact ones than noise and the drawing of rows under a cap
    explain."""
    (rows, rows_sd), exact, far = counted_rows(run), exact_misfits(run), []
    drawn = 0.0 if run.plan.schema.unit.id_column is None else 0.5 / math.sqrt(len(run.private))
    for key, (cells, sd) in counted_misfits(run).items():
        reach = SURE * math.hypot(math.hypot(sd, cells / rows * rows_sd) / rows, drawn)
        far += [key] if abs(cells / rows - exact.get(key, 0.0)) > reach else []
    return far


def is_impossible(run: Run, rule: str, column: str, values: str) -> bool:
    """Whether a declared rule excludes exactly these values, of all that are declared, in every record."""
    if rule not in [r.sentence for r in run.plan.rules.forbidding]:
        return False
    rules = parse_rules([rule], run.plan.schema)
    choices = {}
    for one in (c for c in run.plan.schema.modelled if c.name in rules.atoms):
        choices[one.name] = range(one.min, one.max + 1) if one.kind is Kind.INTEGER else one.values
    records = pd.DataFrame(product(*choices.values()), columns=list(choices))
    excluded = pd.Series(rules.broken(records)).groupby(records[column], sort=False).all()
    return [str(value) for value in excluded.index[excluded]] == values.split(", ")
