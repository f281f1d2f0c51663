"""The privacy report for people: one HTML file, no scripts, nothing loaded, at most four printed pages.

Its headings follow the layers by which NIST SP 800-226 has a claim of differential privacy judged, from the
claim at the top to the collection of the data underneath. Everything said here is in the statement, in the
checks or in the synthetic table. All text that was typed by anybody is escaped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from html import escape
from importlib.resources import files
from statistics import median
from typing import TYPE_CHECKING, Any

from synth.check.bounds import Bound, Support
from synth.measure.accounting import attack_ceiling
from synth.release import charts, wording
from synth.release.layout import CHECKSUMS, REHEARSAL, Layout
from synth.release.panels import domain_text, panels
from synth.schema import Neighbours

if TYPE_CHECKING:
    from synth.pipeline import Synthesis

MOST_PANELS, MOST_RULES, MOST_COLUMNS, MOST_NAMES = 16, 10, 24, 24
"""What fits four pages; the rest is in the files, and the report says so."""


PANEL_NOTE = (
    "Bars: synthetic rows, weighted to the table they stand for. Rings: the noisy counts, with whiskers that "
    "cover the true count 95 times in 100. ∅ and the grey bar: missing. The share beside a name is its bound."
)


def html(synthesis: Synthesis, statement: Mapping[str, Any]) -> str:
    """The report as one page of text."""
    title = escape(statement["release"]["title"])
    mark = f"{REHEARSAL} · " if statement["release"]["rehearsal"] else ""
    body = "".join(
        (
            _head(synthesis, statement),
            _claim(synthesis, statement),
            _correctness(statement),
            _utility(synthesis),
            _trust(statement),
            _collection(synthesis, statement),
            _verification(statement),
        )
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; style-src '
        "'unsafe-inline'\">\n"
        f"<title>{mark}Privacy report: {title}</title>\n<style>\n{_style()}</style>\n</head>\n"
        f'<body>\n<main class="sheet">\n{body}</main>\n</body>\n</html>\n'
    )


@cache
def _style() -> str:
    return (files("synth.release") / "report.css").read_text(encoding="utf-8")


def _section(number: int, title: str, layer: str, *parts: str) -> str:
    heading = f"<h2>{number}. {title}<small>{layer}</small></h2>"
    return f"<section>\n{heading}\n{''.join(parts)}\n</section>\n"


def _table(heads: Sequence[str], lines: str) -> str:
    """A table; a head that begins with # stands over numbers."""
    cells = "".join(
        f'<th class="num">{head[1:]}</th>' if head.startswith("#") else f"<th>{head}</th>" for head in heads
    )
    return f"<table><thead><tr>{cells}</tr></thead><tbody>{lines}</tbody></table>"


def _listed(sentences: Sequence[str]) -> str:
    return f"<ul>{''.join(f'<li>{escape(sentence)}</li>' for sentence in sentences)}</ul>"


def _head(synthesis: Synthesis, statement: Mapping[str, Any]) -> str:
    release, purpose = statement["release"], statement["imprint"]["purpose"]
    mark = (
        f'<p class="watermark">{REHEARSAL}. Made with predictable noise to try the program on public data. '
        "It carries no promise and is not a release.</p>"
        if release["rehearsal"]
        else ""
    )
    used = f" Intended use: {escape(purpose)}" if purpose else ""
    return (
        f'{mark}<header><p class="kicker">Privacy report</p><h1>{escape(release["title"])}</h1>'
        f'<p class="under">{len(synthesis.table):,} synthetic rows in {len(synthesis.axes)} columns, release '
        f"{release['id']} of {release['date']}, about the population "
        f"<em>{escape(synthesis.privacy.population)}</em>.{used}</p></header>\n"
    )


def _claim(synthesis: Synthesis, statement: Mapping[str, Any]) -> str:
    privacy, unit = synthesis.privacy, synthesis.privacy.unit
    who = escape(unit.name)
    posterior, caught = attack_ceiling(privacy.epsilon, privacy.delta)
    guess = f"{100 * posterior:.0f}"
    compared = (
        "with their rows or with somebody else's in their place"
        if privacy.neighbours is Neighbours.REPLACE
        else "with them in it or without"
    )
    numbers = {
        "epsilon": f"{privacy.epsilon:g}",
        "delta": _small(privacy.delta),
        "rho": f"{statement['rho']:.3g}",
        f"protects one {who}": wording.rows(unit).replace("at most ", "≤ "),
    }
    trio = "".join(f"<div><dt>{word}</dt><dd>{number}</dd></div>" for word, number in numbers.items())
    return _section(
        1,
        "The claim",
        "Privacy parameters and unit of protection",
        f"<p>Whoever reads this release learns almost the same about any one {who} as they would have from a "
        f"table that differs in that {who} alone: {compared}. How much <em>almost</em> allows is set by "
        "the numbers below, for all files of this bundle together.</p>",
        f'<dl class="trio">{trio}</dl>',
        f"<aside><b>Neighbouring tables.</b> {escape(statement['neighbours_explained']['words'])}</aside>",
        "<h3>The promise in odds</h3>",
        f"<p>Take somebody who knows everything about the table but one {who}, and bets on "
        f"whether that one is as they suspect. Before the release they are right 50 times in 100. After it, "
        f"at most <b>{guess} times in 100</b>. If they may accuse 5 in 100 wrongly, they catch at most "
        f"{100 * caught:.0f} in 100.</p>",
        charts.odds(round(100 * posterior)),
        f"<aside>These are ceilings, for a {who} about whom everything else is known. They say nothing "
        "about facts that follow from the population: that smoking harms health can be learned with or "
        "without any one person.</aside>",
        _protected(unit.name, privacy.neighbours),
        _budget(synthesis, statement),
    )


def _small(value: float) -> str:
    """A small number as a power of ten if it is one."""
    digits, _, power = f"{value:.3g}".partition("e")
    if not power:
        return digits
    lead = "" if digits == "1" else f"{digits} &times; "
    return f"{lead}10<sup>{int(power)}</sup>"


def _protected(who: str, neighbours: Neighbours) -> str:
    hidden = [
        f"every value of one {who}, also against somebody who knows all others",
        f"the rows of one {who} together, up to the declared number",
    ]
    if neighbours is Neighbours.ADD_REMOVE:
        hidden.insert(0, f"whether one {who} is in the table at all, and so the number of rows")
    open_to = [
        "what is true of large groups: that is what the table is for",
        f"anything that needs more than one {who} to hide: a family, a firm, a village",
        "what somebody already knows, or learns elsewhere",
        "the declarations: columns, value lists, ranges, rules",
    ]
    return (
        f'<div class="two"><div><h3>Protected</h3>{_listed(hidden)}</div>'
        f"<div><h3>Not protected</h3>{_listed(open_to)}</div></div>"
    )


def _budget(synthesis: Synthesis, statement: Mapping[str, Any]) -> str:
    total = sum(part["units"] for part in statement["spend"])
    shares = [(part["part"], part["units"] / total) for part in statement["spend"]]
    past = wording.history(statement["history"])
    return f"<h3>What was spent, and what is left</h3>{charts.stacked(shares)}<p>{escape(past)}</p>"


def _correctness(statement: Mapping[str, Any]) -> str:
    noise, accounting = statement["noise"], statement["accounting"]
    lines = "".join(
        f"<tr><td>{escape(part['part'])}</td><td>{escape(_asked(part['questions']))}</td>"
        f'<td class="num">{part["rho"]:.4g}</td></tr>'
        for part in statement["spend"]
    )
    total = f'<tr><td><b>sum</b></td><td></td><td class="num"><b>{statement["rho"]:.4g}</b></td></tr>'
    software = ", ".join(f"{name} {version}" for name, version in statement["software"].items())
    return _section(
        2,
        "The algorithms",
        "Correctness of algorithms and of their composition",
        f"<p>Counts were answered with {escape(noise['distribution'])}; the numbers came from "
        f"{escape(noise['entropy'])}. Which tables to count was chosen by the "
        f"{escape(statement['selection'])}.</p>"
        f"<p>Composition: {escape(accounting['composition'])}. Conversion: "
        f"{escape(accounting['conversion'])}.</p>",
        f"<aside><b>Method.</b> {escape(statement['method']['name'])}, records drawn by "
        f"{escape(statement['method']['generator'])}. "
        f"{escape(statement['method']['post_processing'])}</aside>",
        _table(("Part", "Questions asked of the table", "#rho"), lines + total),
        f"<aside><b>Software.</b> {escape(software)}.</aside>",
    )


def _asked(questions: Sequence[Mapping[str, Any]]) -> str:
    """How many of each kind.

    >>> _asked([{"question": "measure"}, {"question": "measure"}, {"question": "choose"}])
    '2 tables measured, 1 selection'
    """
    words = {"measure": ("table measured", "tables measured"), "choose": ("selection", "selections")}
    words["score"] = ("batch of scores", "batches of scores")
    kinds = [q["question"] for q in questions]
    told = []
    for kind in dict.fromkeys(kinds):
        one, many = words.get(kind, (kind, kind))
        told.append(f"{kinds.count(kind)} {one if kinds.count(kind) == 1 else many}")
    return ", ".join(told) or "none"


def _utility(synthesis: Synthesis) -> str:
    checks = synthesis.checks
    level = f"{100 * checks.confidence:g} %"
    shown = panels(synthesis)
    more = len(shown) - MOST_PANELS
    rest = f"<p>{more} more columns are in the data.</p>" if more > 0 else ""
    flags = "".join(f'<p class="flag">{escape(flag.sentence)}</p>' for flag in checks.flags)
    return _section(
        3,
        "How good it is",
        "Utility and bias",
        "<p>The numbers here come from the synthetic rows and the noisy answers, never from the private "
        "table. "
        f"A bound says how far a table of the release may be from the truth at {level} confidence, as a "
        "share "
        "of rows that would have to change place. It covers the noise added for privacy; it is not a "
        "sampling error of the survey.</p>",
        _bounds_table(checks.bounds),
        "<aside><b>Measured</b>: the columns were counted together. <b>Inferred</b>: they were not, but a "
        "private "
        "selection shows that nothing larger was missed. <b>None</b>: no claim is made; do not rely on "
        "it.</aside>",
        _residuals(synthesis),
        flags,
        '<h3 class="wide">Column by column</h3>',
        f'<div class="panels wide">{"".join(charts.panel(p) for p in shown[:MOST_PANELS])}</div>{rest}',
        f'<p class="wide under">{PANEL_NOTE}</p>',
        _pairs(synthesis),
        _uses(),
    )


def _bounds_table(bounds: Sequence[Bound]) -> str:
    lines = []
    widths = sorted({len(b.clique) for b in bounds})
    for width in widths:
        for kind in Support:
            found = [b for b in bounds if b.kind is kind and len(b.clique) == width]
            shares = [b.tvd for b in found if b.tvd is not None]
            if found:
                middle, worst = (
                    (_share(median(shares)), _share(max(shares))) if shares else ("no claim", "no claim")
                )
                lines.append(
                    f'<tr><td>{_tables_of(width)}</td><td>{kind.value}</td><td class="num">{len(found)}</td>'
                    f'<td class="num">{middle}</td><td class="num">{worst}</td></tr>'
                )
    return _table(
        ("Tables of", "Kind of bound", "#how many", "#middle bound", "#widest bound"), "".join(lines)
    )


def _tables_of(width: int) -> str:
    return {1: "one column", 2: "two columns", 3: "three columns"}.get(width, f"{width} columns")


def _share(value: float) -> str:
    return "under 0.1 %" if value < 0.001 else f"{100 * value:.1f} %"


def _residuals(synthesis: Synthesis) -> str:
    found = synthesis.checks.residuals
    cells = sum(r.cells for r in found)
    beyond = sum(r.beyond * r.cells for r in found) / cells if cells else 0.0
    broken = sum(synthesis.checks.violations.values())
    rules = f"{broken} synthetic rows break a rule. " if synthesis.rules.rules else ""
    return (
        f"<p>{rules}{_share(beyond)} of the {cells:,} noisy counts lie more than three sigmas from "
        "the synthetic table (noise alone: 0.3 %). Bias: counts are made consistent and non-negative, "
        "which lifts "
        "rare combinations; values are spread evenly inside their bins; values outside a declared range "
        "sit at "
        "its end, or count as missing, by the column's own rule.</p>"
    )


def _pairs(synthesis: Synthesis) -> str:
    names = [axis.name for axis in synthesis.axes]
    kinds = {(b.clique[0], b.clique[1]): b.kind.value for b in synthesis.checks.bounds if len(b.clique) == 2}
    if not 2 < len(names) <= MOST_NAMES or not kinds:
        return ""
    return (
        "<h3>Which pairs were counted together</h3>"
        f"<div>{charts.pairs(names, kinds)}</div>"
        "<aside><b>●</b> measured, <b>○</b> inferred, <b>·</b> no claim. Columns run left to right in the "
        "order of "
        "the rows.</aside>"
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
        f'<div class="two"><div><h3>Good uses</h3>{_listed(good)}</div>'
        f"<div><h3>Bad uses</h3>{_listed(bad)}</div></div>"
        "<aside><b>P-values.</b> Standard errors and p-values computed from synthetic rows ignore the "
        "noise that "
        "was added, so they are too sure. The noisy counts and their exact variance are in the folder "
        "<code>measurements</code>: use those.</aside>"
    )


def _trust(statement: Mapping[str, Any]) -> str:
    return _section(
        4,
        "Trust, side channels, access",
        "Trust model, implementation and security",
        f"<p>{escape(statement['trust_model'])}</p>{_listed(statement['known_limits'])}",
        "<aside><b>Access.</b> Only one part of the program reads rows, and it answers no question that "
        "was not "
        "charged first. The bundle is written from answers and declarations; its writer has no access to "
        "rows.</aside>",
    )


def _collection(synthesis: Synthesis, statement: Mapping[str, Any]) -> str:
    schema = synthesis.schema
    columns = schema.modelled[:MOST_COLUMNS]
    lines = "".join(
        f"<tr><td>{escape(c.name)}</td><td>{c.kind.value}</td><td>{escape(domain_text(c))}</td>"
        f"<td>{c.provenance.value}</td></tr>"
        for c in columns
    )
    more = len(schema.modelled) - len(columns)
    rest = f"<p>{more} more columns are in the data dictionary.</p>" if more > 0 else ""
    chosen = statement["decisions_after_private_views"]
    choices = _listed(chosen) if chosen else "<p>None was recorded.</p>"
    return _section(
        5,
        "Declarations and data",
        "Data collection, and what the claim rests on",
        f"<p>Unit of protection: one {escape(schema.unit.name)}, {wording.rows(schema.unit)}; "
        f"{escape(statement['unit']['enforced'])}.</p>"
        f"<h3>Outside the promise</h3>{_listed(statement['outside_the_guarantee'])}",
        f"<aside><b>Not tested.</b> {escape(' '.join(statement['not_tested']))}</aside>",
        f'<div class="wide">{_table(("Column", "Kind", "Declared domain", "From"), lines)}{rest}</div>',
        _rules(synthesis),
        f"<h3>Choices made after seeing numbers that are not private</h3>{choices}",
    )


def _rules(synthesis: Synthesis) -> str:
    told = [rule.sentence for rule in synthesis.rules.rules if rule.stated]
    if not told:
        return "<h3>Rules</h3><p>None was declared.</p>"
    more = len(told) - MOST_RULES
    rest = f"<p>{more} more are in the folder <code>config</code>.</p>" if more > 0 else ""
    return f"<h3>Rules held to be always true</h3>{_listed(told[:MOST_RULES])}{rest}"


def _verification(statement: Mapping[str, Any]) -> str:
    layout, imprint = Layout(rehearsal=statement["release"]["rehearsal"]), statement["imprint"]
    contact = f" Contact: {escape(imprint['contact'])}." if imprint["contact"] else ""
    licence = f" Licence: {escape(imprint['licence'])}." if imprint["licence"] else ""
    return (
        _section(
            6,
            "How to check this release",
            "Nothing here needs the private table",
            f"<pre>sha256sum -c {CHECKSUMS}\npython -m synth verify .</pre>"
            "<p>The first command shows that no file was changed. The second recomputes the arithmetic of "
            f"the statement (<code>{layout.statement}</code>), matches every noisy table with a question "
            "that was "
            "charged and its noise with its price, and compares every cell with the declared domain and "
            "rules.</p>",
            "<aside><b>Keep the receipt.</b> The statement carries the head of the ledger's chain. A "
            "ledger that was set back does not match it.</aside>",
        )
        + f'<p class="foot">Release {statement["release"]["id"]}, made with Marginalia '
        f"{escape(statement['software']['marginalia'])}.{contact}{licence}</p>\n"
    )
