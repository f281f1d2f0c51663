"""Facts of a run about its accuracy: bounds, measured errors, predictions, pictures."""

import math
from collections.abc import Callable
from functools import cache
from itertools import combinations
from statistics import median
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import binom

from synth.core.codebook import Codebook
from synth.core.domain import Domain
from synth.core.evidence import Evidence
from synth.core.numbers import TIMES, about
from synth.models.registry import GENERATORS
from synth.release.codes import table_codes
from tests.models.examples import measurement
from tests.release.sentences.guarantee import made_by

Run = Any
"""`conftest.Run`; pytest does not let tests import from there."""
Check = Callable[..., object]


def within(share: float) -> str:
    return f"{math.ceil(1000 * share - 1e-9) / 10:.1f}%"


def bounds(run: Run, width: int, kind: str) -> list[float | None]:
    mine = [b for b in run.checks["bounds"] if len(b["clique"]) == width]
    basis, _, groups = kind.partition(", ")
    if groups:
        only = {"in groups only": True, "in groups": False}[groups]
        grouped = [b for b in mine if b.get("coarse_kind") == basis]
        return [min(b["coarse_tvd"], b["tvd"] or 1.0) for b in grouped if (b["tvd"] is None) == only]
    is_left = [b for b in mine if b["kind"] == kind]
    return [b["tvd"] for b in is_left if b["tvd"] is not None or b.get("coarse_tvd") is None]


def pairs_drawn(run: Run, measured: str, inferred: str, none: str, groups: str | None) -> bool:
    """The words for the picture of all pairs."""
    only = sum(len(bounds(run, 2, f"{basis}, in groups only")) for basis in ("measured", "inferred"))
    stated = (int(measured), int(inferred), int(none), int(groups or 0))
    found = (*(len(bounds(run, 2, kind)) for kind in ("measured", "inferred", "none")), only)
    return stated == found and (groups is not None) == (only > 0)


def errors_drawn(run: Run, best: str, good: str, rough: str, poor: str) -> bool:
    """The words for the picture of the measured errors of pairs: how many are in each grade."""
    tables = run.checks["verdict"]["tables"]
    errors = [max(one["likely"]["estimate"], 0.0) for one in tables if len(one["clique"]) == 2]
    ends = (0.0, 0.02, 0.05, 0.1, 1.0)
    found = np.histogram([math.nextafter(error, 0.0) for error in errors], ends)[0]
    return tuple(map(int, (best, good, rough, poor))) == tuple(found)


def bounds_line(run: Run, wide: str, kind: str, count: str, middle: str, widest: str) -> bool:
    found = bounds(run, {"one column": 1, "two columns": 2}[wide], kind)
    shares = [share for share in found if share is not None]
    stated = (within(median(shares)), within(max(shares))) if shares else ("no claim", "no claim")
    return count == f"{len(found):,}" and len(found) > 0 and (middle, widest) == stated


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
    stated = tuple(measurement(r, counts) for r, counts in counted.items())
    codebook = Codebook.plain(Domain(("a", "b"), (2, 2)))
    model = GENERATORS[generator]().fit(Evidence(codebook=codebook, answers=stated, total=100.0))
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


def is_stated(texts: tuple[str | None, str | None, str], figure: dict[str, float]) -> bool:
    """Whether the three texts are the estimate and its 95% interval, in per cent with one decimal. An
    estimate of 0.0 has only an upper end."""
    middle, (low, high) = tenths(figure["estimate"]), outwards(*ends_of(figure))
    shown = (middle, low, high) if middle else (None, None, high)
    return tuple(text and float(text) for text in texts) == shown


def ends_of(figure: dict[str, float]) -> tuple[float, float]:
    """The ends of the 95% interval, which is around 0 for a negative estimate."""
    middle = min(max(figure["estimate"], 0.0), 1.0)
    reach = 1.959964 * figure["sd"] + figure["apart"]
    return middle - reach, middle + reach


def tenths(value: float) -> float:
    """In per cent, between 0 and 100, with one decimal."""
    return round(100 * min(max(value, 0.0), 1.0), 1)


def outwards(low: float, high: float) -> tuple[float, float]:
    """The ends of an interval in per cent, as `tenths`, but never inside of the interval."""
    return math.floor(1000 * max(low, 0.0) + 1e-9) / 10, math.ceil(1000 * min(high, 1.0) - 1e-9) / 10


def mean_of(run: Run, use: str) -> tuple[dict[str, float], int | None]:
    """The figure of a use, and the number of columns of its tables."""
    name, width = {
        "Columns": ("columns", 1),
        "Pairs of columns": ("pairs", 2),
        "Triples of columns": ("triples", 3),
        "Random ranges": ("ranges", None),
    }[use]
    return run.checks["verdict"]["means"][name], width


def is_graded(grade: str | None, low: float, high: float) -> bool:
    """Whether these are the grades of the ends of an interval."""
    steps = ((0.02, "very accurate"), (0.05, "accurate"), (0.1, "rough"), (math.inf, "poor"))
    names = [next(name for most, name in steps if error <= 100 * most) for error in outwards(low, high)]
    return grade in (None, " to ".join(dict.fromkeys(names)))


def is_measured(
    run: Run,
    use: str,
    stated: str | None,
    low: str | None,
    high: str,
    grade: str | None,
    where: str | None,
    worst: str | None,
    least: str | None,
    most: str | None,
    number: str | None,
    tables: str | None,
    none: str | None,
) -> bool:
    """Whether the stated error is near the exact one, with the interval of the noise that was paid for."""
    figure, width = mean_of(run, use)
    if not is_stated((stated, low, high), figure) or not is_graded(grade, *ends_of(figure)):
        return False
    if width is None:
        return True
    errors = true_errors(run, width)
    is_near = abs(figure["estimate"] - np.mean(list(errors.values()))) < SURE * figure["sd"] + of_total(run)
    if not is_near or where is None:
        return bool(is_near) and number is None and none is None
    counted = (number, tables, none)
    return is_worst(run, width, where, (worst, least, str(most))) and is_counted(run, width, counted)


def of_total(run: Run) -> float:
    """By how much the noise of the number of rows can move an error."""
    return abs(run.opened.evidence.total / len(run.private) - 1)


def tables_of(run: Run, width: int) -> list[dict[str, Any]]:
    return [t for t in run.checks["verdict"]["tables"] if len(t["clique"]) == width]


def is_worst(run: Run, width: int, where: str, texts: tuple[str | None, str | None, str]) -> bool:
    """Whether this is the table with the highest posterior mean, and its 95% interval, near its exact
    error."""
    top = max(tables_of(run, width), key=lambda table: table["likely"]["estimate"])
    likely, quantiles = top["likely"]["estimate"], top["likely"]["quantiles"]
    low, high = outwards(quantiles[1], quantiles[-2])
    shown = (tenths(likely), low, high) if tenths(likely) else (None, None, high)
    exact = true_errors(run, width)[TIMES.join(top["clique"])]
    return (
        where == TIMES.join(run.opened.evidence.codebook.titles[name] for name in top["clique"])
        and tuple(text and float(text) for text in texts) == shown
        and abs(exact - likely) < SURE * top["error"]["sd"] + of_total(run)
    )


def is_counted(run: Run, width: int, texts: tuple[str | None, str | None, str | None]) -> bool:
    """Whether this is the sum of the probabilities that the pairs are above 10%."""
    tables = tables_of(run, width)
    levels = [0.0, 0.005, 0.025, *(i / 20 for i in range(1, 20)), 0.975, 0.995, 1.0]
    chances = [1 - np.interp(0.1, [0.0, *t["likely"]["quantiles"], 1.0], levels) for t in tables]
    expected = round(float(sum(chances)))
    if width != 2:
        return texts == (None, None, None)
    shown = (f"{expected:,}", f"{len(tables):,}", None) if expected else (None, None, "probably none")
    return texts == shown


def is_limited(run: Run, use: str, high: str, grade: str | None) -> bool:
    """Whether the exact error of a further table is below its limit."""
    figure, width = mean_of(run, use)
    reach = min(ends_of(figure)[1], 1.0)
    limit = outwards(0.0, reach)[1] / 100
    if float(high) != outwards(0.0, reach)[1] or not is_graded(grade, limit, limit):
        return False
    is_held = width is None or np.mean(list(true_errors(run, width).values())) < float(high) / 100 + 0.02
    return bool(is_held)


def predicts(
    run: Run,
    target: str,
    stated: str | None,
    low: str | None,
    high: str,
    constant: str | None,
    least: str | None,
    most: str,
) -> bool:
    """Whether the constant guess is right as often as the most frequent synthetic value is in the private
    rows, and all figures are those that were measured."""
    (found,) = [p for p in run.checks["verdict"]["predicted"] if p["target"] == target]
    place = run.opened.evidence.domain.axis(target)
    guess = np.bincount(np.asarray(run.opened.codes)[:, place]).argmax()
    share = float(np.mean(private_codes(run)[:, place] == guess))
    far = abs(found["constant"]["estimate"] - share)
    return (
        is_stated((stated, low, high), found["correct"])
        and is_stated((constant, least, most), found["constant"])
        and far < SURE * found["constant"]["sd"] + of_total(run)
    )


def is_like_a_sample(run: Run, percent: str, least: str, most: str) -> bool:
    """Whether samples of these sizes have the stated error and the errors at the ends of its interval."""
    verdict = run.checks["verdict"]
    figure, stored = verdict["means"]["pairs"], (verdict["sample"], *verdict["sample_interval"])
    if (percent, least, most) != tuple(about(100 * share, digits=2) for share in stored):
        return False
    errors = (figure["estimate"], *reversed(ends_of(figure)))
    return all(
        abs(error_of(run, share) - max(error, 0.0)) < 0.2 * abs(error) + 1e-3
        for share, error in zip(stored, errors, strict=True)
    )


def error_of(run: Run, share: float) -> float:
    """The mean error of pairs in a sample of that size, by the binomial distribution of each cell."""
    names, table = run.opened.evidence.domain.names, np.asarray(run.opened.codes).astype(int)
    size = max(round(share * run.opened.evidence.total), 1)
    sizes, expected = run.opened.evidence.domain.sizes, []
    for places in combinations(range(len(names)), 2):
        shape = [sizes[i] for i in places]
        p = np.bincount(np.ravel_multi_index(table[:, places].T, shape)) / len(table)
        counts = np.arange(size + 1)[:, None]
        spread = (np.abs(counts / size - p) * binom.pmf(counts, size, p)).sum()
        expected.append(spread / 2 * math.sqrt(1 - share))
    return float(np.mean(expected))


def reads_columns_alone(run: Run) -> bool:
    """Whether tables of several columns were paid for whose relations the generator does not read."""
    tables = ("measure", "interaction")
    requested = [a.query for a in run.answers if a.query["ask"] in tables and a.part == "mechanism"]
    return any(len(q["clique"]) > 1 for q in requested) and not reads_relations(made_by(run))


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


def only_value_drawn(run: Run, column: str, most: str, kind: str, label: str, bound: str) -> bool:
    """The words for the picture of a column that has one value and may be blank."""
    declared = next(c for c in run.plan.schema.modelled if column in (c.title, c.name))
    blank, cells = run.table[declared.name].isna(), run.table[declared.name].dropna()
    more = "more than half of the rows are blank, and the others"
    return (
        [str(value) for value in declared.values] == [label]
        and declared.blank
        and set(cells.map(str)) <= {label}
        and kind == "value"
        and most == (more if blank.mean() > 0.5 else "at least half of the rows")
        and bound == within(bounds_of(run)[column])
    )


def bounds_of(run: Run) -> dict[str, float]:
    titles = {c.name: c.title or c.name for c in run.plan.schema.modelled}
    return {titles[b["clique"][0]]: b["tvd"] for b in run.checks["bounds"] if len(b["clique"]) == 1}
