"""How good the release is: the report's section on utility and bias."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from statistics import median
from typing import TYPE_CHECKING

from synth.check.bounds import Bound, Support
from synth.release import charts
from synth.release.markup import listed, section, table
from synth.release.panels import panels
from synth.release.wording import share_at_most

if TYPE_CHECKING:
    from synth.release.findings import Reported

MOST_PANELS, MOST_NAMES = 16, 24
PANEL_NOTE = (
    "Bars: synthetic rows, weighted to the table they stand for. Rings, where a column was counted by "
    "itself: the noisy counts, with whiskers that cover the true count at least 95 times in 100. "
    "∅ and a grey bar: missing. The share beside a name is its bound."
)


def quality(release: Reported) -> str:
    """Section three, by public-safe numbers only."""
    checks = release.checks
    level = f"{100 * checks.confidence:g} %"
    shown = panels(release)
    more = len(shown) - MOST_PANELS
    rest = f"<p>Not drawn here: {more} more columns.</p>" if more > 0 else ""
    flags = "".join(f'<p class="flag">{escape(flag.sentence)}</p>' for flag in checks.flags)
    return section(
        3,
        "How good it is",
        "Utility and bias",
        "<p>The numbers here come from the synthetic rows and the noisy answers, never from the private "
        f"table. A bound says how far a table of the release may be from the truth at {level} confidence, "
        "as a share of rows that would have to change place. Each bound holds by itself with that "
        "confidence: of many, a few may fail. It covers the noise added for privacy, and not the error of "
        "whoever drew a sample of the population.</p>",
        "<aside><b>Measured</b>: the columns were counted together. <b>Inferred</b>: they were not, but a "
        "private selection or a noisy score limits how wrong they can be. <b>None</b>: no claim is made; do "
        f"not rely on it.{_groups_note(checks.bounds)}</aside>",
        _bounds_table(checks.bounds),
        _residuals(release),
        flags,
        '<h3 class="wide">Column by column</h3>',
        f'<div class="panels wide">{"".join(charts.panel(p) for p in shown[:MOST_PANELS])}</div>{rest}',
        f'<p class="wide under legend">{PANEL_NOTE}</p>',
        _pairs(release),
        _uses(),
    )


def _groups_note(bounds: Sequence[Bound]) -> str:
    if all(b.coarse_kind is None for b in bounds):
        return ""
    return (
        " <b>In groups</b>: rare or neighbouring values were counted together; this bound is for the table "
        "of the groups, the other one for the table of the values."
    )


def _bounds_table(bounds: Sequence[Bound]) -> str:
    lines = []
    widths = sorted({len(b.clique) for b in bounds})
    for width in widths:
        for kind in Support:
            found = [b.tvd for b in bounds if b.kind is kind and len(b.clique) == width]
            lines.append(_line(width, kind.value, found))
        for kind in (Support.MEASURED, Support.INFERRED):
            found = [b.coarse_tvd for b in bounds if b.coarse_kind is kind and len(b.clique) == width]
            lines.append(_line(width, f"{kind.value}, in groups", found))
    return table(
        ("Tables of", "Kind of bound", "#how many", "#middle bound", "#widest bound"), "".join(lines)
    )


def _line(width: int, kind: str, found: Sequence[float | None]) -> str:
    """How many tables have such a bound, and how wide it is; nothing where there are none."""
    if not found:
        return ""
    shares = [share for share in found if share is not None]
    middle, worst = (
        (share_at_most(median(shares)), share_at_most(max(shares))) if shares else ("no claim", "no claim")
    )
    return (
        f'<tr><td>{_tables_of(width)}</td><td>{kind}</td><td class="num">{len(found)}</td>'
        f'<td class="num">{middle}</td><td class="num">{worst}</td></tr>'
    )


def _tables_of(width: int) -> str:
    return {1: "one column", 2: "two columns", 3: "three columns"}.get(width, f"{width} columns")


def _share(value: float) -> str:
    return "under 0.1 %" if value < 0.001 else f"{100 * value:.1f} %"


def _residuals(release: Reported) -> str:
    found = release.checks.residuals
    cells = sum(r.cells for r in found)
    beyond = sum(r.beyond * r.cells for r in found) / cells if cells else 0.0
    return (
        f"<p>{_kept_rules(release)}Of the {cells:,} noisy counts that the model was fitted to, "
        f"{_share(beyond)} lie more than three sigmas from the synthetic table (noise alone: about 0.3 %). "
        "Bias: counts are made consistent and non-negative, which lifts rare combinations; values inside a "
        "bin follow the slope of the bins around it; cells outside the domain were moved to the end of the "
        "range, or count as missing or as other, by the column's own rule.</p>"
    )


def _kept_rules(release: Reported) -> str:
    """Whether the synthetic rows keep the rules, and stay filled where no blank is allowed."""
    if not release.rules.rules:
        return ""
    broken = [f"{rows:,} break “{escape(rule)}”" for rule, rows in release.checks.violations.items() if rows]
    if broken:
        return f"Of the synthetic rows, {'; '.join(broken)}. "
    stated = [rule.stated for rule in release.rules.rules]
    kept = (["breaks a rule"] * any(stated)) + (["is blank where no blank is allowed"] * (not all(stated)))
    return f"No synthetic row {' or '.join(kept)}. "


def _pairs(release: Reported) -> str:
    names = [axis.name for axis in release.evidence.codebook.axes]
    kinds = {(b.clique[0], b.clique[1]): b.kind.value for b in release.checks.bounds if len(b.clique) == 2}
    if not 2 < len(names) <= MOST_NAMES or not kinds:
        return ""
    return (
        '<aside class="legend"><b>●</b> measured, <b>○</b> inferred, <b>·</b> no claim. A name stands at the '
        "end of its row and at the head of its column.</aside><h3>What is known of each pair</h3>"
        f"<div>{charts.pairs(names, kinds)}</div>"
    )


def _uses() -> str:
    good = (
        "exploring the shape of the table and writing code against it",
        "teaching, tests and demonstrations",
        "counts and shares of large groups, within their bounds",
    )
    bad = (
        "statements about single rows: no row is a person",
        "small groups, rare values and their combinations",
        "columns that were never measured together",
        "decisions about individuals",
    )
    return (
        "<aside><b>P-values.</b> Standard errors and p-values computed from synthetic rows ignore the noise "
        "that was added, so they are too sure. The noisy counts and their exact variance are in the folder "
        "<code>measurements</code>: use those.</aside>"
        f'<div class="two"><div><h3>Good uses</h3>{listed(good)}</div>'
        f"<div><h3>Bad uses</h3>{listed(bad)}</div></div>"
    )
