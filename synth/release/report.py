"""The privacy report for people: one HTML file, no scripts, nothing loaded, at most four printed pages.

Its headings follow the layers by which NIST SP 800-226 has a claim of differential privacy judged, from the
claim at the top to the collection of the data underneath. Everything said here is in the statement, in the
checks or in the synthetic table. All text that was typed by anybody is escaped.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from synth.laws import attack_ceiling, exact
from synth.release import charts, wording
from synth.release.layout import CHECKSUMS, REHEARSAL, Layout
from synth.release.markup import listed, section, table
from synth.release.panels import domain_text
from synth.release.quality import quality
from synth.release.statement import claimed_law
from synth.schema import Column, Neighbours

if TYPE_CHECKING:
    from synth.release.findings import Reported
    from synth.rules.terms import Rule

MOST_RULES, MOST_COLUMNS = 10, 24
"""What fits four pages; the rest is in the files, and the report says so."""


_KINDS = {
    "measure": ("table measured", "tables measured"),
    "choose": ("selection", "selections"),
    "score": ("batch of scores", "batches of scores"),
    "tree": ("tree over a range", "trees over ranges"),
    "values": ("value list bought", "value lists bought"),
    "magnitudes": ("range bought", "ranges bought"),
}


def html(found: Reported, statement: Mapping[str, Any]) -> str:
    """The report as one page of text."""
    title = escape(statement["release"]["title"])
    mark = f"{REHEARSAL} · " if statement["release"]["rehearsal"] else ""
    body = "".join(
        (
            _head(found, statement),
            _claim(found, statement),
            _correctness(statement),
            quality(found),
            _trust(statement),
            _collection(found, statement),
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


def _head(found: Reported, statement: Mapping[str, Any]) -> str:
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
        f'<p class="under">{len(found.codes):,} synthetic rows in {len(found.evidence.domain)} columns, '
        f"release {release['id']} of {release['date']}, about the population "
        f"<em>{escape(found.privacy.population)}</em>.{used}</p></header>\n"
    )


def _claim(found: Reported, statement: Mapping[str, Any]) -> str:
    privacy, unit = found.privacy, found.privacy.unit
    who = escape(unit.name)
    posterior, caught = attack_ceiling(privacy.epsilon, privacy.delta)
    guess = _at_most(posterior)
    compared = (
        "with their rows or with somebody else's in their place"
        if privacy.neighbours is Neighbours.REPLACE
        else "with them in it or without"
    )
    explained = statement["neighbours_explained"]
    numbers = {
        "epsilon": exact(privacy.epsilon),
        "delta": _small(privacy.delta),
        **_unit_of_loss(statement),
        f"protects one {who}": wording.rows(unit).replace("at most ", "≤ "),
    }
    trio = "".join(f"<div><dt>{word}</dt><dd>{number}</dd></div>" for word, number in numbers.items())
    return section(
        1,
        "The claim",
        "Privacy parameters and unit of protection",
        f"<p>Whoever reads this release learns almost the same about any one {who} as they would have from a "
        f"table that differs in that {who} alone: {compared}. How much <em>almost</em> allows is set by "
        "the numbers below, for all files of this bundle together.</p>",
        f"<aside><b>Neighbouring tables.</b> {escape(explained['words'])} "
        f"{escape(explained.get('records', ''))}</aside>",
        f'<dl class="trio">{trio}</dl>',
        "<h3>The promise in odds</h3>",
        f"<p>Take somebody who knows everything about the table but one {who}, and bets on "
        f"whether that one is as they suspect. Before the release they are right 50 times in 100. After it, "
        f"at most <b>{guess} times in 100</b>. If they may accuse 5 in 100 wrongly, they catch at most "
        f"{_at_most(caught)} in 100.</p>",
        f"<aside>These are ceilings, for a {who} about whom everything else is known. They say nothing "
        "about facts that follow from the population: that smoking harms health can be learned with or "
        "without any one person.</aside>",
        charts.odds(round(100 * posterior), word=guess),
        _protected(unit.name, privacy.neighbours),
        _budget(statement),
    )


def _unit_of_loss(statement: Mapping[str, Any]) -> dict[str, str]:
    """What the law of the claim measures it by: mu where all answers are Gaussian, else rho."""
    return dict([claimed_law(statement).loss(statement["budget"]["reserved_units"])])


def _at_most(share: float) -> str:
    """A share as a number of times in 100, rounded up.

    >>> _at_most(0.7310586), _at_most(0.5)
    ('73.2', '50')
    """
    return f"{math.ceil(1000 * share - 1e-9) / 10:g}"


def _small(value: float) -> str:
    """A small number as a power of ten if it is one."""
    digits, _, power = exact(value).partition("e")
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
    if neighbours is Neighbours.REPLACE:
        open_to.append("the number of rows, which is public")
    return (
        f'<div class="two"><div><h3>Protected</h3>{listed(hidden)}</div>'
        f"<div><h3>Not protected</h3>{listed(open_to)}</div></div>"
    )


def _budget(statement: Mapping[str, Any]) -> str:
    history = statement["history"]
    lifetime = ""
    if history["limit_units"]:
        others = history["spent_before_units"] + history["reserved_by_open_runs_units"]
        own = history["spent_with_this_units"] - history["spent_before_units"]
        lines = (
            ("other releases and open runs", others, 3),
            ("this release", own, 0),
            ("left", history["left_units"], 4),
        )
        kept = [(word, units / history["limit_units"], tint) for word, units, tint in lines if units > 0]
        lifetime = charts.stacked([(word, share) for word, share, _ in kept], tints=[t for *_, t in kept])
    return (
        f"<h3>What was spent, and on what</h3>{charts.stacked(_shares(statement))}"
        f"<h3>What is left</h3><p>{escape(wording.history(history))} "
        f"{wording.as_of(statement['release']['date'])}</p>{lifetime}"
        f"{_beyond(statement['imprint'])}"
    )


def _beyond(imprint: Mapping[str, Any]) -> str:
    said = imprint.get("beyond")
    return f"<h3>Beyond the organisation's limit</h3><p>{escape(said)}</p>" if said else ""


def _shares(statement: Mapping[str, Any]) -> list[tuple[str, float]]:
    """The price by part and kind of question, as shares of the whole."""
    prices: dict[str, int] = {}
    for part in statement["spend"]:
        for question in part["questions"]:
            name = f"{part['part']}: {_KINDS.get(question['question'], (question['question'],))[-1]}"
            prices[name] = prices.get(name, 0) + question["units"]
        if not part["questions"]:
            prices[part["part"]] = part["units"]
    total = sum(prices.values())
    return [(name, units / total) for name, units in prices.items()]


def _correctness(statement: Mapping[str, Any]) -> str:
    noise, accounting = statement["noise"], statement["accounting"]
    lines = "".join(
        f"<tr><td>{escape(part['part'])}</td><td>{escape(_asked(part['questions']))}</td>"
        f'<td class="num">{part["rho"]:.4g}</td></tr>'
        for part in statement["spend"]
    )
    total = f'<tr><td><b>sum</b></td><td></td><td class="num"><b>{statement["rho"]:.4g}</b></td></tr>'
    software = ", ".join(f"{name} {version}" for name, version in statement["software"].items())
    return section(
        2,
        "The algorithms",
        "Correctness of algorithms and of their composition",
        f"<p>Every noisy count carries {escape(noise['distribution'])}; its randomness comes from "
        f"{escape(noise['entropy'])}. {_chosen(statement)}</p>",
        f"<aside><b>Method.</b> {escape(statement['method']['name'])}, records drawn by "
        f"{escape(statement['method']['generator'])}. "
        f"{escape(statement['method']['post_processing'])}</aside>",
        f"<p>Composition: {escape(accounting['composition'])}. Conversion: "
        f"{escape(accounting['conversion'])}.{_bought(accounting)}</p>",
        f"<aside><b>Software.</b> {escape(software)}.</aside>",
        table(("Part", "Questions asked of the table", "#rho"), lines + total),
    )


def _chosen(statement: Mapping[str, Any]) -> str:
    asked = {q["question"] for part in statement["spend"] for q in part["questions"]}
    if "choose" in asked:
        return f"Beyond those fixed beforehand, tables were chosen by the {escape(statement['selection'])}."
    if "score" in asked:
        return "Beyond those fixed beforehand, tables were chosen by noisy answers: scores and counts."
    return "Which columns to count together was fixed beforehand."


def _bought(accounting: Mapping[str, str]) -> str:
    what = accounting["bought"]
    return "" if what == "nothing" else f" Bought with budget: {escape(what)}."


def _asked(questions: Sequence[Mapping[str, Any]]) -> str:
    """How many of each kind.

    >>> _asked([{"question": "measure"}, {"question": "measure"}, {"question": "choose"}])
    '2 tables measured, 1 selection'
    """
    kinds = [q["question"] for q in questions]
    told = []
    for kind in dict.fromkeys(kinds):
        one, many = _KINDS.get(kind, (kind, kind))
        told.append(f"{kinds.count(kind)} {one if kinds.count(kind) == 1 else many}")
    return ", ".join(told) or "none"


def _trust(statement: Mapping[str, Any]) -> str:
    return section(
        4,
        "Trust, side channels, access",
        "Trust model, implementation and security",
        f"<p>{escape(statement['trust_model'])}</p>",
        "<aside><b>Access.</b> Only one part of the program reads rows, and no answer of it is in this "
        "bundle that was not charged first. The bundle is written from those answers and from "
        "declarations; its writer has no access to rows.</aside>",
        listed(statement["known_limits"]),
    )


def _collection(found: Reported, statement: Mapping[str, Any]) -> str:
    schema = found.schema
    columns = schema.modelled[:MOST_COLUMNS]
    lines = "".join(
        f"<tr><td>{escape(c.name)}{_title(c)}</td><td>{c.kind.value}</td><td>{escape(domain_text(c))}</td>"
        f"<td>{'may be blank' if c.blank else 'none'}</td><td>{c.provenance.value}</td></tr>"
        for c in columns
    )
    more = len(schema.modelled) - len(columns)
    rest = f"<p>{more} more columns are in the data dictionary.</p>" if more > 0 else ""
    chosen = statement["decisions_after_private_views"]
    choices = listed(chosen) if chosen else "<p>None was recorded.</p>"
    return section(
        5,
        "Declarations and data",
        "Data collection, and what the claim rests on",
        f"<p>Unit of protection: one {escape(schema.unit.name)}, {wording.rows(schema.unit)}; "
        f"{escape(statement['unit']['enforced'])}.</p>",
        f"<aside><b>Not tested.</b> {escape(' '.join(statement['not_tested']))}</aside>",
        f"<h3>Outside the promise</h3>{listed(statement['outside_the_guarantee'])}",
        f'<div class="wide">{table(("Column", "Kind", "Domain", "Blanks", "Known from"), lines)}{rest}</div>',
        _rules(found),
        f"<h3>Choices made after looking at exact numbers</h3>{choices}",
    )


def _rules(found: Reported) -> str:
    told = [_reasoned(rule) for rule in found.rules.rules if rule.stated]
    if not told:
        return "<h3>Rules</h3><p>None was declared.</p>"
    more = len(told) - MOST_RULES
    place = Layout(rehearsal=found.privacy.rehearsal).spec
    rest = f"<p>{more} more are in <code>{place}</code>.</p>" if more > 0 else ""
    blanks = f"<p>{wording.BLANKS_AND_RULES}</p>"
    return f"<h3>Rules held to be always true</h3>{listed(told[:MOST_RULES])}{rest}{blanks}"


def _title(column: Column) -> str:
    """The words by which charts call a column, where they are not its name."""
    return f" ({escape(column.title)})" if column.title and column.title != column.name else ""


def _reasoned(rule: Rule) -> str:
    """A rule with the reason that was typed for it, if one was."""
    return f"{rule.sentence}. Reason: {rule.because}" if rule.because else rule.sentence


def _verification(statement: Mapping[str, Any]) -> str:
    layout, imprint = Layout(rehearsal=statement["release"]["rehearsal"]), statement["imprint"]
    contact = f" Contact: {escape(imprint['contact'])}." if imprint["contact"] else ""
    licence = f" Licence: {escape(imprint['licence'])}." if imprint["licence"] else ""
    names = imprint.get("approvers", [])
    approved = f" Approved by {escape(' and '.join(names))}." if names else ""
    return (
        section(
            6,
            "How to check this release",
            "Nothing here needs the private table",
            f"<pre>sha256sum -c {CHECKSUMS}\npython -m synth verify .</pre>",
            "<aside><b>Keep the receipt.</b> It is part of the statement, sealed with a key that only the "
            "ledger has. Whoever holds the ledger can check that neither was changed or set back.</aside>",
            "<p>The first command shows that no file was damaged; a list of checksums is no signature, so "
            "compare it with the publisher's. The second recomputes the arithmetic of the statement "
            f"(<code>{layout.statement}</code>), matches every noisy table with a question that was charged "
            "and its noise with its price, and compares every cell with the declared domain and rules.</p>",
        )
        + f'<p class="foot">Release {statement["release"]["id"]}, made with Marginalia '
        f"{escape(statement['software']['marginalia'])}.{approved}{contact}{licence}</p>\n"
    )
