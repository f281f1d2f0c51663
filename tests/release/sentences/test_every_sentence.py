"""Every sentence of the published papers is true of the run it is about.

The report (as a page and as Markdown), the sentences of the statement and the README are cut apart. Each must
be known to `fixed.txt`, which says of which runs it is true, or to `patterns.txt`, whose checks here work out
anew what it claims, from the declarations, the ledger and the tables (`conftest.Run`). What neither knows
fails, so nobody can add a sentence without saying how it is checked. A warning is a sentence of the checks
(`checks.json`), whose figures are tested where they are made (`tests/release/checks`).
"""

from __future__ import annotations

import json
import math
import platform
import re
from collections.abc import Callable, Iterator
from functools import cache
from importlib import metadata
from itertools import combinations
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import brentq
from scipy.stats import binom, norm

from synth import __version__
from synth.core.accounting.gaussian import gaussian_delta_from
from synth.core.accounting.zcdp import delta_from
from synth.core.codebook import Codebook
from synth.core.domain import Domain
from synth.core.errors import Mistake
from synth.core.evidence import Evidence
from synth.core.numbers import TIMES, about
from synth.core.schema import Kind, Outside, Provenance
from synth.mechanisms import MECHANISMS
from synth.models.registry import GENERATORS
from synth.release.codes import table_codes
from synth.release.documents.report import BIASES
from synth.release.opened import Bundle
from tests.models.examples import measurement

Run = Any
"""`conftest.Run`; pytest does not let tests import from there."""
Check = Callable[..., object]
HERE = Path(__file__).parent
KINDS = {
    Kind.CATEGORY: "category",
    Kind.ORDERED: "ordered category",
    Kind.INTEGER: "whole number",
    Kind.DECIMAL: "decimal number",
    Kind.DATE: "date",
}
KINDS_BOUGHT = ("values", "magnitudes", "tree", "measure")


# --- facts, worked out anew ---------------------------------------------------------------------------------


def rho(units: int) -> str:
    return about(units * 1e-12, digits=4)


def is_just_above(told: str, value: float) -> bool:
    return 0 <= float(told) - value < 10.0 ** (math.floor(math.log10(value)) - 5)


def within(share: float) -> str:
    return "under 0.1%" if share < 0.001 else f"{math.ceil(1000 * share - 1e-9) / 10:.1f}%"


def bounds(run: Run, width: int, kind: str) -> list[float | None]:
    mine = [b for b in run.checks["bounds"] if len(b["clique"]) == width]
    basis, _, groups = kind.partition(", ")
    if groups:
        only = {"in groups only": True, "in groups": False}[groups]
        grouped = [b for b in mine if b.get("coarse_kind") == basis]
        return [b["coarse_tvd"] for b in grouped if (b["tvd"] is None) == only]
    is_left = [b for b in mine if b["kind"] == kind]
    return [b["tvd"] for b in is_left if b["tvd"] is not None or b.get("coarse_tvd") is None]


def pairs_drawn(run: Run, measured: str, inferred: str, none: str, groups: str | None) -> bool:
    """The words for the picture of all pairs."""
    only = sum(len(bounds(run, 2, f"{basis}, in groups only")) for basis in ("measured", "inferred"))
    told = (int(measured), int(inferred), int(none), int(groups or 0))
    found = (*(len(bounds(run, 2, kind)) for kind in ("measured", "inferred", "none")), only)
    return told == found and (groups is not None) == (only > 0)


def bounds_line(run: Run, wide: str, kind: str, count: str, middle: str, widest: str) -> bool:
    found = bounds(run, {"one column": 1, "two columns": 2}[wide], kind)
    shares = [share for share in found if share is not None]
    told = (within(median(shares)), within(max(shares))) if shares else ("no claim", "no claim")
    return count == f"{len(found):,}" and len(found) > 0 and (middle, widest) == told


def beyond(run: Run) -> tuple[int, float]:
    """Cells that the table is held against, contrasts where these were asked, and the share of them more than
    three sigmas off."""
    found = run.checks["residuals"]
    weighed_by = run.opened.evidence.tilings if made_by(run) == "blend" else ()
    every = (*run.opened.evidence.measurements, *weighed_by)
    cells = sum(math.prod(n - m.joined for n in m.counts.shape) for m in every)
    return cells, sum(r["beyond"] * r["cells"] for r in found) / cells


@cache
def reads_relations(generator: str) -> bool:
    """Whether a generator's model of two columns that are one and the same knows it; that of each column by
    itself, which its table tells too, has 25 records in every cell."""
    alike = np.diag([50, 50])
    counted = {("a",): alike.sum(1), ("b",): alike.sum(0), ("a", "b"): alike}
    told = tuple(measurement(r, counts) for r, counts in counted.items())
    codebook = Codebook.plain(Domain(("a", "b"), (2, 2)))
    model = GENERATORS[generator]().fit(Evidence(codebook=codebook, answers=told, total=100.0))
    return bool(np.abs(model.project(("a", "b")) - 25).max() > 5)


SURE = 5.0
"""An estimate lies further than this many standard deviations from the truth once in 1.7 million runs."""


def private_codes(run: Run) -> np.ndarray:
    """The private rows in the codes of the release, without the reader of private tables."""
    frame, codebook = pd.DataFrame(run.private), run.opened.evidence.codebook
    for axis in codebook.axes:
        if axis.labels:
            column = frame[axis.name].replace("", None)
            frame[axis.name] = column.where(column.isin(list(axis.labels)) | column.isna(), axis.other)
    return table_codes(frame, codebook.axes, codebook.groupings).astype(int)


def true_errors(run: Run, width: int) -> dict[str, float]:
    """The exact error of each table of so many columns, by the titles of its columns."""
    codes = [private_codes(run), np.asarray(run.opened.codes).astype(int)]
    names, sizes = run.opened.evidence.domain.names, run.opened.evidence.domain.sizes
    found = {}
    for places in combinations(range(len(names)), width):
        shape = [sizes[i] for i in places]
        one, other = (
            np.bincount(np.ravel_multi_index(c[:, places].T, shape), minlength=math.prod(shape)) / len(c)
            for c in codes
        )
        found[TIMES.join(names[i] for i in places)] = float(np.abs(one - other).sum() / 2)
    return found


def is_stated(texts: tuple[str, str, str], figure: dict[str, float]) -> bool:
    """Whether the three texts are the estimate and its 95% interval, in per cent with one decimal."""
    reach = 1.959964 * figure["sd"] + figure["apart"]
    values = (figure["estimate"], figure["estimate"] - reach, figure["estimate"] + reach)
    return all(float(text) == tenths(value) for text, value in zip(texts, values, strict=True))


def tenths(value: float) -> float:
    """In per cent, between 0 and 100, with one decimal."""
    return round(100 * min(max(value, 0.0), 1.0), 1)


def mean_of(run: Run, use: str) -> tuple[dict[str, float], int | None]:
    """The figure of a use, and the number of columns of its tables."""
    name, width = {
        "Columns": ("columns", 1),
        "Pairs of columns": ("pairs", 2),
        "Triples of columns": ("triples", 3),
        "Random ranges": ("ranges", None),
    }[use]
    return run.checks["verdict"]["means"][name], width


def is_graded(grade: str | None, error: float) -> bool:
    steps = ((0.02, "very accurate"), (0.05, "accurate"), (0.1, "rough"), (math.inf, "poor"))
    return grade in (None, next(name for most, name in steps if error <= most))


def is_measured(
    run: Run,
    use: str,
    told: str,
    low: str,
    high: str,
    grade: str | None,
    worst: str | None,
    where: str | None,
    limit: str | None,
) -> bool:
    """Whether the stated error is near the exact one, with the interval of the noise that was paid for."""
    figure, width = mean_of(run, use)
    if not is_stated((told, low, high), figure) or not is_graded(grade, figure["estimate"]):
        return False
    if width is None:
        return True
    errors = true_errors(run, width)
    is_near = abs(figure["estimate"] - np.mean(list(errors.values()))) < SURE * figure["sd"] + of_total(run)
    return bool(is_near) and (where is None or is_worst(run, width, worst, where, limit))


def of_total(run: Run) -> float:
    """By how much the noise of the number of rows can move an error."""
    return abs(run.opened.evidence.total / len(run.private) - 1)


def is_worst(run: Run, width: int, worst: str | None, where: str, limit: str | None) -> bool:
    tables = [t for t in run.checks["verdict"]["tables"] if len(t["clique"]) == width]
    top = max(tables, key=lambda table: table["error"]["estimate"])
    z = float(norm.ppf(0.95 ** (1 / len(tables))))
    most = top["error"]["estimate"] + z * top["error"]["sd"]
    return (
        where == TIMES.join(run.opened.evidence.codebook.titles[name] for name in top["clique"])
        and (float(worst or 0), float(limit or 0)) == (tenths(top["error"]["estimate"]), tenths(most))
        and max(true_errors(run, width).values()) < most + 3 * top["error"]["sd"] + of_total(run)
    )


def is_limited(run: Run, use: str, high: str, grade: str | None) -> bool:
    """Whether the exact error of a further table is below its limit."""
    figure, width = mean_of(run, use)
    reach = min(figure["estimate"] + 1.959964 * figure["sd"] + figure["apart"], 1.0)
    if float(high) != tenths(reach) or not is_graded(grade, reach):
        return False
    is_held = width is None or np.mean(list(true_errors(run, width).values())) < float(high) / 100 + 0.02
    return bool(is_held)


def predicts(
    run: Run, target: str, told: str, low: str, high: str, constant: str, least: str, most: str
) -> bool:
    """Whether the constant guess is right as often as the most frequent synthetic value is in the private
    rows, and all figures are those that were measured."""
    (found,) = [p for p in run.checks["verdict"]["predicted"] if p["target"] == target]
    place = run.opened.evidence.domain.axis(target)
    guess = np.bincount(np.asarray(run.opened.codes)[:, place]).argmax()
    share = float(np.mean(private_codes(run)[:, place] == guess))
    far = abs(found["constant"]["estimate"] - share)
    return (
        is_stated((told, low, high), found["correct"])
        and is_stated((constant, least, most), found["constant"])
        and far < SURE * found["constant"]["sd"] + of_total(run)
    )


def is_like_a_sample(run: Run, percent: str) -> bool:
    """Whether a sample of that size has the stated error, by the binomial distribution of each cell."""
    names, table = run.opened.evidence.domain.names, np.asarray(run.opened.codes).astype(int)
    size = max(round(float(percent) / 100 * run.opened.evidence.total), 1)
    sizes, expected = run.opened.evidence.domain.sizes, []
    for places in combinations(range(len(names)), 2):
        shape = [sizes[i] for i in places]
        p = np.bincount(np.ravel_multi_index(table[:, places].T, shape)) / len(table)
        counts = np.arange(size + 1)[:, None]
        spread = (np.abs(counts / size - p) * binom.pmf(counts, size, p)).sum()
        expected.append(spread / 2 * math.sqrt(1 - float(percent) / 100))
    verdict = run.checks["verdict"]
    error = verdict["means"]["pairs"]["estimate"]
    is_exact = percent == about(100 * verdict["sample"], digits=2)
    return is_exact and bool(abs(np.mean(expected) - error) < 0.2 * error)


def reads_columns_alone(run: Run) -> bool:
    """Whether tables of several columns were paid for whose relations the generator does not read."""
    tables = ("measure", "interaction")
    asked = [a.query for a in run.answers if a.query["ask"] in tables and a.part == "mechanism"]
    return any(len(q["clique"]) > 1 for q in asked) and not reads_relations(made_by(run))


def tilings(run: Run) -> list[dict[str, Any]]:
    """What was asked of many columns at once, where it was asked in more than one set of groups."""
    asked = [a.query for a in run.answers if a.query["ask"] == "measure" and a.part == "mechanism"]
    large = [q for q in asked if len(q["clique"]) > 2 and q.get("groups")]
    return large if len({str(q["groups"]) for q in large}) > 1 else []


def tiled(run: Run, tables: str, fewest: str, most: str | None, target: str) -> bool:
    asked = tilings(run)
    widths = [len(q["clique"]) for q in asked]
    name = run.plan.options["target"]
    return (
        (int(tables), int(fewest), int(most or fewest)) == (len(asked), min(widths), max(widths))
        and target == (run.plan.schema.column(name).title or name)
        and all(name in q["clique"] and name not in q["groups"] for q in asked)
    )


def drawn(
    run: Run, column: str, cells: str, kind: str, bound: str, label: str = "blank", verb: str = ""
) -> bool:
    """The words for the picture of a column; `verb` where more of its rows are blank than have a value."""
    found = run.opened.evidence
    place = next(i for i, a in enumerate(found.codebook.axes) if column in (a.column.title, a.name))
    axis, declared = found.codebook.axes[place], run.plan.schema.modelled[place]
    codes = table_codes(run.table, found.codebook.axes, found.codebook.groupings)[:, place]
    size = found.domain.sizes[place]
    most = int(np.bincount(codes, minlength=size).argmax())
    group_of = next((g.group_of for g in found.codebook.groupings if g.column == axis.name), range(axis.size))
    labels = [axis.label(i) for i, group in enumerate(group_of) if group == most]
    ends = (labels[0].split(" to ")[0], labels[-1].split(" to ")[-1])
    named = label in labels or label == " to ".join(ends) or label == f"{len(labels)} rare values"
    listed = axis.column.kind.value == "category" or (axis.column.kind.value == "ordered" and size <= 7)
    share = next(b["tvd"] for b in run.checks["bounds"] if b["clique"] == [axis.name])
    return (
        named
        and int(cells) == size - declared.blank
        and kind.rstrip("s") == ("value" if listed else "bin")
        and (label != "blank" or declared.blank)
        and verb == ("" if label != "blank" else "have" if listed else "lie in")
        and bound == within(share)
    )


def declared(run: Run, name: str, title: str | None, kind: str, domain: str, blanks: str, known: str) -> bool:
    """A line of the table of columns."""
    column = run.plan.schema.column(name)
    if (title or name, blanks) != (column.heading, "may be blank" if column.blank else "none"):
        return False
    if column.buy:
        inside, found = run.table[name].dropna(), run.opened.evidence.codebook.schema.column(name)
        ranged = column.kind.has_range
        told = (
            ends(found.min, found.max, inside if column.kind is Kind.DECIMAL else None)
            if ranged
            else ", ".join(map(str, found.values)) + other(found)
        )
        inside = inside.map(str) if column.kind is Kind.DATE else inside
        sound = inside.between(found.min, found.max) if ranged else inside.isin([*found.values, "Other"])
        return sound.all() and (kind, domain, known) == (KINDS[column.kind], told, "bought with budget")
    values = [str(v) for v in column.values]
    more = f" and {len(values) - 6} more" if len(values) > 6 else ""
    told = ends(column.min, column.max, run.table[name] if column.kind is Kind.DECIMAL else None)
    if not column.kind.has_range:
        told = ", ".join(values[:6]) + more + other(column)
    source = "bought in an earlier release" if name in taken_up(run) else column.provenance.value
    return (kind, domain, known) == (KINDS[column.kind], told, source)


def taken_up(run: Run) -> dict[str, str]:
    """What says that it was bought, and was not bought by this run: columns, with what is told of them."""
    kinds = {True: "range", False: "value list"}
    columns = [c for c in run.plan.schema.modelled if c.provenance is Provenance.BOUGHT]
    return {c.name: f"{c.name} ({kinds[c.kind.has_range]})" for c in columns if c.name not in run.bought}


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


def is_share(told: str, share: float) -> bool:
    """Whether a share of six digits, as the checks have it, was told in thousandths of a per cent."""
    return told == f"{100 * float(f'{share:.6g}'):.3f}"


def asks(run: Run) -> list[Any]:
    return [share for _, share in run.plan.rules.shares]


def converts(
    run: Run,
    told: str | None,
    aside: str | None,
    lists: str | None,
    apart: str | None,
    used: str | None,
    order: str | None,
) -> bool:
    """Whether (epsilon, delta) covers the price by the law that is named, less what is set aside."""
    delta, epsilon = run.plan.delta, run.plan.epsilon
    if told is not None:
        kept = (1 - int(aside or 0) / 100) * (1 - int(lists or 0) / 100) * delta
        sound = gaussian_delta_from(1 / run.mu, epsilon) <= kept * (1 + 1e-9)
        return run.is_gaussian and sound and (aside, lists) == ("1", "1") and is_just_above(told, run.mu)
    spent = sum(a.delta_units for a in run.answers) * 1e-18
    is_told = math.isclose(float(used or 0), spent, rel_tol=1e-12)
    sound = delta_from(run.plan.units * 1e-12, epsilon) <= (1 - int(apart or 0) / 100) * delta * (1 + 1e-9)
    return (
        (not run.is_gaussian and is_told and sound and apart == "1" and spent <= 0.01 * delta)
        and (order is not None) is run.is_trained
        and (order is None or order == f"{last_order(run):.4g}")
    )


def trains_by_steps(run: Run) -> bool:
    """Whether the published sigma of every block is about the least with which its steps cost what was
    charged, by the closed form at whole orders (Mironov, Talwar and Zhang 2019, section 3.3), and no other
    formula's. The room's orders end up to a tenth above the one that is named."""
    if not run.is_trained:
        return False
    blocks = json.loads(run.opened.files[run.opened.layout.measurements])["trained"]
    for block in blocks:
        facts, sigma = block["asked"], block["sigma"]
        price = block["rho_units"] * 1e-12 / facts["steps"]
        dear, cheap = (
            max(
                sampled_cost(order, factor * sigma, facts["rate"] / 65536)
                for order in range(2, int(last) + 1)
            )
            for factor, last in ((0.95, 1.1 * facts["most"]), (1.0, facts["most"]))
        )
        if not (cheap <= price < dear) or math.isclose(sigma, math.sqrt(1 / (2 * price)), rel_tol=0.1):
            return False
    return len(blocks) > 0


def trains_as_told(
    run: Run, steps: str, blocks: str, rate: str, clip: str, sigma: str, most: str | None
) -> bool:
    """Whether the training is told as the ledger has what was asked, with the noise of the measurements."""
    asked = [a.query for a in run.answers if a.query["ask"] == "train"]
    noise = [
        block["sigma"] for block in json.loads(run.opened.files[run.opened.layout.measurements])["trained"]
    ]
    told = [{about(q["rate"] / 65536, digits=4) for q in asked}, {about(q["clip"], digits=4) for q in asked}]
    ends = [about(end, digits=4) for end in (min(noise), max(noise))] if noise else []
    return (
        run.is_trained
        and int(steps.replace(",", "")) == sum(q["steps"] for q in asked) == asked[0]["whole"]
        and int(blocks) == len(asked)
        and told == [{rate}, {clip}]
        and ends == [sigma, most or sigma]
        and most != sigma
    )


def sampled_cost(order: int, sigma: float, rate: float) -> float:
    """The Renyi divergence of one step, divided by its order."""
    terms = [
        math.comb(order, k) * (1 - rate) ** (order - k) * rate**k * math.exp((k * k - k) / (2 * sigma**2))
        for k in range(order + 1)
    ]
    return math.log(math.fsum(terms)) / (order - 1) / order


def last_order(run: Run) -> float:
    """The order a at which (a - 1)^2 rho + log a is log 1e14; training was asked for up to no lower one."""
    rho = run.plan.units * 1e-12
    order = float(brentq(lambda a: (a - 1) ** 2 * rho + math.log(a) - 14 * math.log(10), 1, 1e6))
    assert all(a.query["most"] >= order for a in run.answers if a.query["ask"] == "train")
    return order


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


def versions(*, network: bool = False) -> list[tuple[str, str]]:
    """What took part, in the order of the statement."""
    packages = ("numpy", "scipy", "opendp", "pyarrow", "pandas", *["torch"] * network)
    ours = [("python", platform.python_version()), ("marginalia", __version__)]
    return [*ours, *((name, metadata.version(name)) for name in packages)]


def buying(kind: str) -> Check:
    def buys(run: Run) -> bool:
        return any(a.part == "preprocess" and a.query["ask"] == kind for a in run.answers)

    return buys


def named(run: Run, release: str, day: str) -> bool:
    """Whether these are the id and the day of the release."""
    return day in run.days and release.startswith(day.replace("-", "")) and release == run.release


def made_by(run: Run) -> str:
    made = {"first again": "refined", "tiled again": "refined"}
    return str(made.get(run.name) or run.plan.generator or run.plan.mechanism().generator)


def is_capped(run: Run, who: str, most: str) -> bool:
    """Whether rows are capped; the id column is gone."""
    of = run.plan.schema.unit
    return of.id_column not in (None, *run.table) and (who, int(most)) == (of.name, of.max_rows)


def bounds_of(run: Run) -> dict[str, float]:
    titles = {c.name: c.title or c.name for c in run.plan.schema.modelled}
    return {titles[b["clique"][0]]: b["tvd"] for b in run.checks["bounds"] if len(b["clique"]) == 1}


def titled(run: Run, clique: list[str]) -> str:
    """A table by what people call its columns."""
    columns = run.plan.schema.modelled
    return TIMES.join(next(c.title or c.name for c in columns if c.name == name) for name in clique)


def signed(run: Run, release: str, version: str, rest: str) -> bool:
    words = run.imprint
    told = f" Approved by {' and '.join(words.approvers)}." if words.approvers else ""
    told += f" Contact: {words.contact}." if words.contact else ""
    told += f" Licence: {words.licence}." if words.licence else ""
    return (release, version, rest) == (run.release, __version__, told)


def leans(run: Run) -> str:
    """Of what records are made, by what the generator says it reads of answers that are no tables."""
    generator = GENERATORS[made_by(run)]
    if generator.trains:
        return "trained"
    return "votes" if generator.votes else "network" if generator.name == "network" else "counts"


# --- the catalogue ------------------------------------------------------------------------------------------

WHEN: dict[str, Check] = {
    "every run": lambda run: True,
    "Gaussian": lambda run: run.is_gaussian,
    "zCDP": lambda run: not run.is_gaussian and not run.is_trained,
    "rounded noise": lambda run: run.is_gaussian or run.is_trained,
    "trains": lambda run: run.is_trained,
    "real": lambda run: not run.rehearsal,
    "rehearsal": lambda run: run.rehearsal,
    "taken as given": lambda run: run.plan.schema.unit.id_column is None,
    "selects": lambda run: "choose" in run.asked,
    "does not select": lambda run: "choose" not in run.asked,
    "scores only": lambda run: "score" in run.asked and "choose" not in run.asked,
    "asks no score": lambda run: not run.asked & {"score", "choose"},
    "buys nothing": lambda run: not run.bought,
    "takes up": lambda run: len(taken_up(run)) > 0,
    "has rules": lambda run: len(reasons(run)) > 0,
    "has no rules": lambda run: len(reasons(run)) == 0,
    "has shares": lambda run: len(asks(run)) > 0,
    "declares a share": lambda run: any(s.wanted is not None and not s.hides for s in asks(run)),
    "types a share": lambda run: any(s.wanted is not None for s in asks(run)),
    "hides a share": lambda run: any(s.hides for s in asks(run)),
    "replaces": lambda run: run.replaces,
    "joins lines": lambda run: run.plan.schema.file.line_breaks.value == "join",
    "splits lines": lambda run: run.plan.schema.file.line_breaks.value == "split",
    "refuses joined lines": lambda run: run.plan.schema.file.line_breaks.value == "refuse",
    "a Gaussian line": lambda run: run.only_gaussian and run.is_gaussian,
    "raised": lambda run: run.lapsed is not None,
    "beyond the limit": lambda run: run.imprint.beyond != "",
    "nothing recorded": lambda run: run.imprint.decisions == (),
    "asks for sums": lambda run: "embedding" in run.asked,
    "asks for no sums": lambda run: not run.asked & {"embedding", "train"},
    "keeps counts alone": lambda run: not run.asked & {"embedding", "train", "interaction", "score"},
    "keeps scores": lambda run: "score" in run.asked and "interaction" not in run.asked,
    "asks for votes": lambda run: "votes" in run.asked,
    "asks for interactions": lambda run: "interaction" in run.asked,
    "asks for sides": lambda run: {"sides", "choose"} <= run.asked,
    "has tilings": lambda run: len(tilings(run)) > 0,
    "weighs by tilings": lambda run: len(tilings(run)) > 0 and made_by(run) == "blend",
    "passes tilings over": lambda run: len(tilings(run)) > 0 and made_by(run) != "blend",
    "reads columns alone": reads_columns_alone,
    "does not train": lambda run: not run.is_trained,
    "trains by steps": trains_by_steps,
    "makes counts consistent": lambda run: leans(run) == "counts",
    "comes from a trained network": lambda run: leans(run) == "trained",
    "comes from a fitted network": lambda run: leans(run) == "network",
    "comes of votes": lambda run: leans(run) == "votes",
    "selects tables alone": lambda run: "choose" in run.asked and "sides" not in run.asked,
    "is judged": lambda run: "verdict" in run.checks and run.checks["verdict"]["is_of_this_table"],
    "is another table": lambda run: "verdict" in run.checks and not run.checks["verdict"]["is_of_this_table"],
    "has a verdict": lambda run: "verdict" in run.checks,
    "has predictions": lambda run: bool(run.checks.get("verdict", {}).get("predicted")),
    "has groups": lambda run: any("coarse_kind" in b for b in run.checks["bounds"]),
    "has groups only": lambda run: any(b["tvd"] is None and "coarse_tvd" in b for b in run.checks["bounds"]),
    "confidence of 95": lambda run: run.plan.confidence == 0.95 == run.checks["confidence"],
    "doubts a rule": lambda run: any(f["code"] == "rule_doubted" for f in run.checks["flags"]),
    "void": lambda run: any(c.provenance is Provenance.READ_FROM_FILE for c in run.plan.schema.modelled),
    **{f"buys {kind}": buying(kind) for kind in KINDS_BOUGHT},
}
"""The sections of `fixed.txt`, sentences without a figure: of which runs they are true."""

FIXED: dict[str, Check] = {
    sentence: WHEN[name]
    for name, section in re.findall(
        r"^\[(.+)\]\n((?:[^\[\n].*\n)+)",
        (HERE / "fixed.txt").read_text("utf-8"),
        re.M,
    )
    for sentence in section.splitlines()
}

WHO, NUMBER = r"(?P<who>[\w ]+?)", r"[\d.e+-]*\d"
CHECKS: dict[str, Check] = {
    "head": lambda run, rows, columns, id, day, population: (
        (int(rows.replace(",", "")), int(columns)) == run.table.shape
        and named(run, id, day)
        and (population == run.plan.schema.population)
    ),
    "tilings": tiled,
    "sides by a label": lambda run, label: (
        {label} == {a.query["label"] for a in run.answers if a.query["ask"] == "sides"}
    ),
    "intended use": lambda run, use: use == run.imprint.purpose != "",
    "whoever reads this": lambda run, who, again, how: (
        who == again == run.unit
        and how
        == ("their rows, or with someone else's in their place" if run.replaces else "them in it or without")
    ),
    "neighbours added or removed": lambda run, who, most: (
        not run.replaces and (who, most) == (run.unit, run.rows_of_one)
    ),
    "whether and how many rows": lambda run, who: not run.replaces and who == run.unit,
    "neighbours replaced": lambda run, who, most, again: (
        run.replaces and (who, most, again) == (run.unit, run.rows_of_one, run.rows_of_one)
    ),
    "formally added or removed": lambda run, most: (
        not run.replaces and int(most) == run.plan.schema.unit.max_rows
    ),
    "formally replaced": lambda run, most, again: (
        run.replaces and int(most) == int(again) == run.plan.schema.unit.max_rows
    ),
    "rows that were typed": lambda run, rows: rows == f"{run.plan.schema.rows_public:,}",
    "epsilon": lambda run, epsilon: float(epsilon) == run.plan.epsilon,
    "delta": lambda run, delta: float(delta) == run.plan.delta,
    "mu": lambda run, told: run.is_gaussian and is_just_above(told, run.mu),
    "rho": lambda run, told: not run.is_gaussian and is_just_above(told, run.plan.units * 1e-12),
    "protects one": lambda run, who, most: (who, most.replace("≤", "at most")) == (run.unit, run.rows_of_one),
    "take somebody who": lambda run, who, whom: run.unit in (who, whom),
    "after it": lambda run, told: told == run.guess,
    "they may accuse": lambda run, told: told == run.caught,
    "right guesses out": lambda run, told: told == run.guess,
    "whether in the table": lambda run, who: not run.replaces and who == run.unit,
    "hidden and open": lambda run, who, whom: run.unit in (who, whom),
    "promise": lambda run, epsilon, delta: (
        (float(epsilon), float(delta)) == (run.plan.epsilon, run.plan.delta)
    ),
    "promise as mu": lambda run, told: run.is_gaussian and is_just_above(told, run.mu),
    "bar of spending": lambda run, what, share: run.spent.get(what) == share,
    "bar of the line": lambda run, what, share: run.line.get(what) == share,
    "history": lambda run, population, others, own: (
        population == run.plan.schema.population
        and own == rho(run.own)
        and (others == (f"rho {rho(run.others)}" if run.others else "nothing"))
    ),
    "lifetime limit": lambda run, epsilon, delta, limit, left: (
        (limit, left) == (rho(run.limit), rho(run.limit - run.others - run.own - run.held))
        and is_just_above(epsilon, run.lifetime[0])
        and float(delta) == run.lifetime[1]
    ),
    "lapsed": lambda run, epsilon, delta: (float(epsilon), float(delta)) == run.lapsed,
    "private training": trains_as_told,
    "raised": lambda run, epsilon, delta: run.lapsed and (float(epsilon), float(delta)) == run.lifetime,
    "reserve": lambda run, held: held == rho(run.held) != "0",
    "as of": lambda run, day: day in run.days,
    "every noisy count": lambda run, law, source: FIXED[law](run) and FIXED[source](run),
    "method records drawn": lambda run, method, generator: (
        (method, generator) == (MECHANISMS[run.plan.method].title, GENERATORS[made_by(run)].title)
    ),
    "conversion": converts,
    "bought with budget": lambda run, how: (
        run.bought
        and how
        == "; ".join(
            (sentence for sentence, check in FIXED.items() if check.__name__ == "buys" and check(run))
        )
    ),
    "software": lambda run, told: (
        told == ", ".join(f"{n} {v}" for n, v in versions(network=bool(run.asked & {"embedding", "sides"})))
    ),
    "line of a part": lambda run, part, what, told: (
        what == run.questions(part) and told == rho(run.units_of(part))
    ),
    "line of the sum": lambda run, told: told == rho(run.plan.units),
    "line of bounds": bounds_line,
    "rules kept": kept,
    "residuals": lambda run, cells, share: (
        int(cells.replace(",", "")) == beyond(run)[0]
        and share == ("under 0.1%" if beyond(run)[1] < 0.001 else f"{100 * beyond(run)[1]:.1f}%")
    ),
    "picture of a column": drawn,
    "bound of a column": lambda run, column, bound: bound == within(bounds_of(run)[column]),
    "picture of a column often blank": drawn,
    "picture of pairs": pairs_drawn,
    "unit": lambda run, who, most, how: (who, most) == (run.unit, run.rows_of_one) and is_true(run, how),
    "enforced": is_capped,
    "bounds under a cap": lambda run, who, most: (
        is_capped(run, who, str(run.plan.schema.unit.max_rows)) and most == run.rows_of_one
    ),
    "bias of a cap": lambda run, who: is_capped(run, who or run.unit, str(run.plan.schema.unit.max_rows)),
    "left open": lambda run, told: (
        told == ", ".join((f"{column} ({kind})" for column, kind in run.bought.items())) != ""
    ),
    "taken up": lambda run, told: told == ", ".join(taken_up(run).values()),
    "share asked for": has_share,
    "share bought": lambda run, noisy, sigma: all(map(is_share, (noisy, sigma), run.bought_share)),
    "source of a share": lambda run, told: told in [r.because for r, s in run.plan.rules.shares if s.wanted],
    "rule with its reason": lambda run, told: told in reasons(run),
    "void": has_void,
    "line of a column": declared,
    "line of the log": lambda run, told: told in run.imprint.decisions,
    "second command": lambda run, path: path in (None, run.opened.layout.statement),
    "signature": signed,
    "title": lambda run, title, alone: run.plan.schema.name in ("first", title, alone),
    "readme head": lambda run, rows, id, day: (
        int(rows.replace(",", "")) == len(run.table) and named(run, id, day)
    ),
    "readme promise": lambda run, who, epsilon, delta, neighbours, most: (
        (who, float(epsilon), float(delta), neighbours, int(most))
        == (
            run.unit,
            run.plan.epsilon,
            run.plan.delta,
            run.plan.schema.neighbours.value,
            run.plan.schema.unit.max_rows,
        )
    ),
    "line of a file": lambda run, paths, what: (
        f"{paths.replace('REHEARSAL-', '')} | {what}" in FIXED
        and all(path in run.opened.files for path in paths.split(", "))
    ),
    "readme advice": lambda run, path: path == run.opened.layout.measurements,
    "readme command": lambda run, path: path == run.opened.layout.spec,
    "citation": lambda run, mark, name, id, day, version: (
        named(run, id, day)
        and (mark is not None, name, dict(versions())["marginalia"])
        == (run.rehearsal, run.plan.schema.name, version)
    ),
    "contact": lambda run, told: told == run.imprint.contact != "",
    "measured error": is_measured,
    "limit of the error": is_limited,
    "predictions": predicts,
    "as a sample": is_like_a_sample,
}
"""What the patterns of `patterns.txt` claim, by their names there; a check is told the pattern's groups."""

SHARE = r"\d+(?:\.\d)?"
SAID: list[tuple[str, Check]] = [
    (pattern.replace("{WHO}", WHO).replace("{NUMBER}", NUMBER).replace("{SHARE}", SHARE), CHECKS[name])
    for name, pattern in re.findall(
        r"^\[([a-z ]+)\]\n(.+)$", (HERE / "patterns.txt").read_text("utf-8"), re.M
    )
]


def split(line: str) -> list[str]:
    return re.split(r"(?<=[.!?]) +(?=[A-Z●∅])", line)


def is_true(run: Run, sentence: str) -> bool:
    """Whether a flag of the run says this sentence, or a pattern knows it and its check holds."""
    if sentence in FIXED:
        return bool(FIXED[sentence](run))
    if any(sentence in (told, *split(told)) for told in (flag["sentence"] for flag in run.checks["flags"])):
        return True
    for pattern, check in SAID:
        found = re.fullmatch(pattern, sentence)
        try:
            if found and check(run, **found.groupdict()):
                return True
        except (Mistake, LookupError, StopIteration, ValueError):
            continue  # the sentence names what this run has not got
    return False


def faults(run: Run, lines: list[str]) -> list[str]:
    """Sentences that nobody knows or that are not true; a whole line may be known as one."""
    return [
        sentence
        for line in lines
        if line and not is_true(run, line)
        for sentence in split(line)
        if not is_true(run, sentence)
    ]


def test_every_sentence_is_known_and_true(runs: list[Run], cut: Callable[[Bundle], list[str]]) -> None:
    found = {run.name: faults(run, cut(run.opened)) for run in runs}
    assert {name: sentences for name, sentences in found.items() if sentences} == {}


def test_runs_of_every_kind_of_records_are_among_them(runs: list[Run]) -> None:
    assert {leans(run) for run in runs} == {"counts", "trained", "network", "votes"}
    assert set(BIASES) == {
        name for name, kind in GENERATORS.items() if kind.trains or kind.votes or name == "network"
    }


def test_what_a_generator_does_not_read_is_said_and_is_no_misfit(runs: list[Run]) -> None:
    said, _ = (sentence for sentence, check in FIXED.items() if check is reads_columns_alone)
    for run in runs:
        report = " ".join(run.opened.files[run.opened.layout.plain_report].decode().split())
        assert (said in report) == reads_columns_alone(run), run.name
    alone = next(run for run in runs if run.name == "alone")
    told = {flag["code"]: flag for flag in alone.checks["flags"]}
    assert reads_columns_alone(alone) and "unrelated" in told
    assert not any(len(f["columns"]) > 1 for code, f in told.items() if code == "strained")


def test_the_third_section_tells_of_a_cap_where_there_was_one(runs: list[Run]) -> None:
    for run in runs:
        report = " ".join(run.opened.files[run.opened.layout.plain_report].decode().split())
        third = report[report.index("3. Accuracy") : report.index("4. Trust")]
        is_told = ("in which each" in third, "units with many rows count less" in third)
        assert is_told == (run.plan.schema.unit.id_column is not None,) * 2, run.name


@pytest.mark.long
def test_a_wrong_figure_or_word_is_noticed(runs: list[Run], cut: Callable[[Bundle], list[str]]) -> None:
    unnoticed = []
    for run in runs:
        for line in cut(run.opened):
            for sentence in [line] if is_true(run, line) else split(line):
                unnoticed += [wrong for wrong in wrongs(sentence) if is_true(run, wrong)]
    assert unnoticed == []


def wrongs(sentence: str) -> Iterator[str]:
    """A sentence with one of its whole numbers changed, or *not* put before one of its words."""
    for figure in re.finditer(r"\d+", sentence):
        yield f"{sentence[: figure.start()]}{int(figure[0]) + 1}{sentence[figure.end() :]}"
    for space in list(re.finditer(" ", sentence))[:-1:4]:
        yield f"{sentence[: space.start()]} not{sentence[space.start() :]}"
