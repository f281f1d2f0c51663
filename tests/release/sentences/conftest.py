"""Runs of every kind, with the facts that their papers have to agree with.

The facts are taken from the declarations, the ledger and the tables, never from a paper.
"""

from __future__ import annotations

import csv
import datetime as dt
import io
import json
import math
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from synth import pipeline
from synth.analyst.shown.notebook import write as notebook
from synth.app.jobs.work import further
from synth.core.accounting import limit_for, units_of
from synth.core.accounting.zcdp import delta_from, rho_from
from synth.core.numbers import TIMES
from synth.core.schema import Neighbours
from synth.dictionaries import load_schema
from synth.mechanisms.blend import constants, target
from synth.private.entropy import OS_ENTROPY, Rehearsal
from synth.private.ledger import Ledger
from synth.release import bundle
from synth.release.documents.statement import Imprint
from synth.release.opened import Bundle, open_bundle
from synth.release.plan import Plan
from synth.release.publish import publish
from synth.rules import parse_rules

JOBS = [f"job {i}" for i in range(12)]
AGE = {"name": "age", "kind": "integer", "min": 0, "max": 99, "bins": 10, "provenance": "public document"}
SEX = {"name": "sex", "kind": "category", "values": ["f", "m"], "blank": False}
TOWN = {"name": "town", "kind": "category", "values": ["Ayr", "Bath", "Cork"], "outside": "other"}
DAY = {"name": "day", "kind": "date", "min": "2020-01-01", "max": "2023-12-31", "bins": 4, "blank": False}
GRADE = {"name": "grade", "kind": "ordered", "values": list("abcdefghi"), "blank": False, "title": "School"}
PAY = {"name": "pay", "kind": "decimal", "min": 0, "max": 100, "bins": 5}
JOB = {"name": "job", "kind": "category", "values": JOBS, "merge_rare": True}
OPEN = [
    {"name": "id", "kind": "drop"},
    {"name": "town", "kind": "category", "buy": True},
    {"name": "pay", "kind": "decimal", "buy": True},
    {"name": "age", "kind": "integer", "min": 0, "max": 127, "binning": "privtree"},
    JOB,
    DAY,
    {"name": "note", "kind": "drop"},
]
NOT_IN_CORK = {"sentence": "if age is below 18 then town is not Cork", "because": "By law it is for adults."}
CENSUS = {"sentence": "the share of records where sex is f should be 0.45", "because": "The census of 2021"}
SHARES = (
    "the share of records where age is at least 35 and town is Ayr or Bath should be as in the table",
    CENSUS,
    "the share of records where age is below 18 should be hidden as 0.25",
)
PUBLIC = {"file_is_public": True}
WORDS = Imprint(
    licence="CC BY 4.0",
    contact="Statistics office, data@example.org",
    purpose="Teaching.",
    approvers=("A. Steward", "B. Officer"),
    decisions=("2026-11-21: Saw exact numbers.", "2026-11-22: Took wider bins; left out 'pay'."),
    beyond="The board asked for it.",
)


@dataclass(frozen=True, kw_only=True)
class Requested:
    """What to release, and how."""

    columns: list[dict[str, Any]]
    unit: dict[str, Any]
    schema: dict[str, Any]
    rules: list[Any]
    plan: dict[str, Any]
    population: str
    rehearsal: bool


def requested(
    *columns: dict[str, Any],
    unit: dict[str, Any] | None = None,
    schema: dict[str, Any] | None = None,
    rules: tuple[Any, ...] = (),
    population: str = "p",
    rehearsal: bool = False,
    **plan: Any,
) -> Requested:
    return Requested(
        columns=list(columns or (AGE, SEX, TOWN)), unit=unit or {"max_rows": 1}, schema=schema or {},
        rules=list(rules), plan={"epsilon": 2.0, "delta": 1e-9, "most_unfit": 1.0, **plan},
        population=population, rehearsal=rehearsal,
    )  # fmt: skip


KINDS = {
    "first": requested(population="two runs", verdict=0.1),
    "later": requested(population="two runs", method="mst", epsilon=0.1234567),
    "raised": requested(population="raised", method="aim"),
    "fixed": requested(AGE, DAY, GRADE, method="gaussian", schema={"file": {"line_breaks": "split"}}),
    "replaced": requested(method="aim", schema={"rows_public": 1600}, rules=(NOT_IN_CORK, "age is not 99")),
    "bought": requested(
        *OPEN, method="aim", unit={"name": "client", "max_rows": 2, "id_column": "id"}, epsilon=8.0,
    ),
    "known": requested(
        {**TOWN, "provenance": "estimated with budget"}, {**PAY, "provenance": "estimated with budget"}, SEX
    ),
    "merged": requested(
        AGE, JOB, unit={"name": "firm", "max_rows": 3}, schema={"file": {"line_breaks": "refuse"}},
        epsilon=8.0,
    ),
    "compressed": requested(
        {**JOB, "merge_rare": False}, SEX, PAY, method="privbayes", compress=True, epsilon=8.0
    ),
    "read": requested(
        {**AGE, "provenance": "read from file"}, GRADE, SEX, schema=PUBLIC, rules=("age is not 99",)
    ),
    "far": requested({**PAY, "max": 250_000, "bins": None, "cuts": [30, 60, 99]}, SEX),
    "wide": requested({**PAY, "max": 250_000, "bins": None, "cuts": [30, 60]}, SEX),
    "steered": requested(rules=(NOT_IN_CORK, *SHARES)),
    "summed": requested(
        {**AGE, "blank": False}, SEX, PAY, method="mst",
        means=("logistic sex[m] ~ age", "pay ~ age + sex", "age by sex"),
    ),
    "rehearsed": requested(schema=PUBLIC, rehearsal=True),
    "embedded": requested(method="merf"),
    "voted": requested(method="ballot"),
    "halved": requested(method="rap", options={"half_spaces": 0.3, "pool": 20, "label": "sex"}),
    "trained": requested(method="tabddpm"),
    "opposed": requested(method="ctgan"),
    "evolved": requested(method="tabpe"),
    "tiled": requested(AGE, TOWN, GRADE, options={"target": "town"}, verdict=0.1),
    "published": requested(rules=(NOT_IN_CORK,), generator="independent"),
    "few": requested(
        SEX,
        {"name": "town", "kind": "category", "values": ["Ayr", "Bath"]},
        {"name": "job", "kind": "category", "values": JOBS[:1]},
    ),
    "alone": requested(AGE, SEX, TOWN, epsilon=12.0, generator="independent"),
}  # fmt: skip
"""What is released, by name. A further table of `first`, and words for `published`, are added."""


LAPSED, RAISED = (4.0, 1e-9), (12.5, 2e-9)
"""The limit of the line of `raised`, and the one it was raised to after an answer."""

KIND = {
    "measure": ("table measured", "tables measured"),
    "interaction": ("interaction measured", "interactions measured"), "choose": ("selection", "selections"),
    "score": ("batch of scores", "batches of scores"), "tree": ("tree over a range", "trees over ranges"),
    "embedding": ("mean embedding", "mean embeddings"), "votes": ("vote", "votes"),
    "mean_score": ("mean of scores", "means of scores"),
    "hits": ("count of correct predictions", "counts of correct predictions"),
    "logistic": ("score of a logistic regression", "scores of logistic regressions"),
    "moments": ("set of sums for means and regressions", "sets of sums for means and regressions"),
    "sides": ("measurement of half-spaces", "measurements of half-spaces"),
    "train": ("block of training steps", "blocks of training steps"),
    "values": ("estimated value list", "estimated value lists"),
    "magnitudes": ("estimated range", "estimated ranges"),
}  # fmt: skip
PARTS = {
    "mechanism": "the method", "preprocess": "domains estimated from the data",
    "shares": "measured target proportions", "means": "means and regressions",
    "verdict": "the accuracy check",
}  # fmt: skip
LEFT_OPEN = {"values": "value list", "magnitudes": "range", "tree": "bins", "measure": "merged values"}


def released(archive: str) -> str:
    """The id in the name of an archive."""
    return archive.removeprefix("release-").removeprefix("REHEARSAL-").removesuffix(".zip")


def tenth(share: float) -> str:
    return f"{math.ceil(1000 * share - 1e-9) / 10:g}"


def odds_of(units: int, *, is_gdp: bool) -> tuple[str, str]:
    """Right guesses and detected members out of 100, by GDP or as the least of many bounds by rho."""
    rho = 1e-12 * units
    if is_gdp:
        mu = math.sqrt(2 * rho)
        return tenth(norm.cdf(mu / 2)), tenth(norm.sf(norm.isf(0.05) - mu))
    apart = math.sqrt(rho / 2)
    guess, caught = (1 + apart) / 2, 0.05 + apart
    for epsilon in np.linspace(0, 20.0, 4001):
        odds, delta = math.exp(epsilon), delta_from(rho, epsilon)
        guess = min(guess, (odds + delta) / (1 + odds))
        caught = min(caught, odds * 0.05 + delta, 1 - max(0, 1 - delta - 0.05) / odds)
    return tenth(guess), tenth(caught)


def percent(share: float) -> str:
    return f"{100 * share:.0f}%" if share > 0.00995 else "under 1%"


@dataclass(frozen=True, eq=False, kw_only=True)
class Run:
    """A run with its bundle. `release` is the id in the name of the archive. `others` is what other runs had
    spent and `held` what they held in reserve when it ended; `limit`, `whole` and `line_law` are those of the
    line then; it began on one of `days`."""

    name: str
    release: str
    plan: Plan
    opened: Bundle
    answers: tuple[Any, ...]
    receipt: dict[str, Any]
    others: int
    held: int
    limit: int
    whole: int
    line_law: str
    lifetime: tuple[float, float]
    days: set[str]
    imprint: Imprint
    rehearsal: bool
    lapsed: tuple[float, float] | None

    def __repr__(self) -> str:
        return self.name

    @property
    def own(self) -> int:
        return sum(answer.units for answer in self.answers)

    @cached_property
    def private(self) -> list[dict[str, Any]]:
        """The private rows."""
        return list(lines(np.random.default_rng(8)))

    @cached_property
    def table(self) -> pd.DataFrame:
        """The synthetic rows, by pandas' own reader."""
        return pd.read_parquet(io.BytesIO(self.opened.files[self.opened.layout.parquet]))

    @cached_property
    def checks(self) -> dict[str, Any]:
        return dict(json.loads(self.opened.files[self.opened.layout.checks]))

    @property
    def requested(self) -> set[str]:
        return {str(a.query["ask"]) for a in self.answers}

    @property
    def estimated(self) -> dict[str, str]:
        """What was bought, by column."""
        mine = [a.query for a in self.answers if a.part == "preprocess"]
        return {q["clique"][0]: LEFT_OPEN[q["ask"]] for q in mine}

    @property
    def is_gaussian(self) -> bool:
        return not self.is_trained

    @property
    def is_trained(self) -> bool:
        return "train" in self.requested

    @property
    def replaces(self) -> bool:
        return self.plan.schema.neighbours is Neighbours.REPLACE

    @property
    def unit(self) -> str:
        return str(self.plan.schema.unit.name)

    @property
    def rows_of_one(self) -> str:
        most = self.plan.schema.unit.max_rows
        return "one row" if most == 1 else f"at most {most} rows"

    @property
    def guess(self) -> str:
        return self.odds[0]

    @property
    def caught(self) -> str:
        return self.odds[1]

    @property
    def odds(self) -> tuple[str, str]:
        return odds_of(self.plan.units, is_gdp=self.is_gaussian)

    @property
    def mu(self) -> float:
        return math.sqrt(2e-12 * self.plan.units)

    @property
    def spent(self) -> dict[str, str]:
        """The key of the bar of spending."""
        units: Counter[str] = Counter()
        for a in self.answers:
            units[f"{PARTS[a.part]}: {KIND[a.query['ask']][1]}"] += a.units
        units["reserved, never asked"] = self.plan.units - self.own
        return {name: percent(n / self.plan.units) for name, n in units.items() if n}

    @property
    def line(self) -> dict[str, str]:
        """The key of the bar of the budget line."""
        others = self.others + self.held
        parts = {
            "other releases and open runs": others,
            "this release": self.own,
            "lost to another accounting rule": self.whole - self.limit,
            "left": self.limit - others - self.own,
        }
        return {name: percent(n / self.whole) for name, n in parts.items() if n}

    def part(self, units: int) -> str:
        """A share of the lifetime budget."""
        share = units / self.whole
        return "under 0.1%" if 0 < share < 0.0005 else f"{100 * share:.1f}%"

    def odds_of_all(self, others: int) -> tuple[str, str]:
        """The odds of this run with others, from mu, or from total variation if rho is all that is known."""
        return odds_of(others + self.plan.units, is_gdp=self.line_law == "gaussian")

    @property
    def odds_at_limit(self) -> tuple[str, str]:
        if self.line_law != "gaussian" and self.whole == self.limit:
            odds, delta = math.exp(self.lifetime[0]), self.lifetime[1]
            caught = min(odds * 0.05 + delta, 1 - (1 - delta - 0.05) / odds)
            return tenth((odds + delta) / (1 + odds)), tenth(caught)
        if self.line_law == "mixed":
            pair = (odds_of(self.whole, is_gdp=True), odds_of(self.limit, is_gdp=False))
            (guess, caught), (late, too) = [[float(n) / 100 for n in odds] for odds in pair]
            return tenth(guess + late - 0.5), tenth(caught + too)
        return odds_of(self.limit, is_gdp=self.line_law == "gaussian")

    def counts_of_three(self, which: Callable[..., Any]) -> list[tuple[str, int, int]]:
        """The tables whose most precise measurement has the most or least noise of all tables, each with the
        narrowest range that holds 95% of its counts of 3."""
        sigmas: dict[tuple[str, ...], float] = {}
        for m in (m for m in self.opened.evidence.measurements if not m.joined):
            sigmas[m.clique] = min(m.sigma, sigmas.get(m.clique, math.inf))
        titles, n = self.opened.evidence.codebook.titles, np.arange(100_000)
        extreme = which(sigmas.values())
        most = int(np.argmax(2 * norm.cdf((n + 0.5) / extreme) - 1 >= 0.95))
        tables = [clique for clique, sigma in sigmas.items() if sigma == extreme]
        return [(TIMES.join(titles.get(c, c) for c in clique), 3 - most, 3 + most) for clique in tables]

    def questions(self, part: str) -> str:
        kinds = Counter(a.query["ask"] for a in self.answers if PARTS[a.part] == part)
        return ", ".join(f"{n} {KIND[kind][n > 1]}" for kind, n in kinds.items()) or "none"

    @property
    def bought_share(self) -> tuple[float, float]:
        """The noisy answer of the share that is bought, and the standard deviation of its noise."""
        (answer,) = [a for a in self.answers if a.part == "shares"]
        total = self.opened.evidence.total
        sigma = math.sqrt(1 / (2e-12 * answer.units))
        return np.frombuffer(answer.blob, "<i8")[-1] / total, sigma / total

    def units_of(self, part: str) -> int:
        if part == "reserved, never asked":
            return int(self.plan.units - self.own)
        return sum(a.units for a in self.answers if part in (a.part, PARTS[a.part]))


def lines(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    """An invented table of all the columns above; units 0 to 299 have one to three rows."""
    for unit in range(300):
        for _ in range(int(rng.integers(1, 4))):
            age = int(rng.integers(0, 99))
            town = rng.choice(["Ayr", "Bath", "", "Elsewhere"] + ["Cork"] * (age >= 18))
            yield {
                "id": f"u{unit}", "age": age, "sex": rng.choice(["f", "m"]), "town": town,
                "day": np.datetime64("2020-01-01") + int(rng.integers(0, 1400)),
                "grade": rng.choice(list("abcdefghi")), "pay": f"{rng.uniform(1, 99):.2f}",
                "job": JOBS[0] if rng.random() < 0.9 else rng.choice(JOBS), "note": "canary",
            }  # fmt: skip


def _run(name: str, wanted: Requested, folder: Path) -> Run:
    data = folder / f"{name}.csv"
    with data.open("w", newline="") as out:
        writer = csv.DictWriter(out, [c["name"] for c in wanted.columns], extrasaction="ignore")
        writer.writeheader()
        writer.writerows(lines(np.random.default_rng(8)))
    stated = {"name": name, "population": wanted.population, "unit": wanted.unit, "columns": wanted.columns}
    schema = load_schema({**stated, **wanted.schema})
    plan = Plan(schema=schema, rules=parse_rules(wanted.rules, schema), seed=4, **wanted.plan)
    ledger = Ledger(folder / f"{wanted.population}-{'' if wanted.population == 'two runs' else name}.sqlite")
    days = {today()}
    if name == "raised":
        change = {"protects": schema.protects}
        ledger.open_population(wanted.population, units=limit_for(*LAPSED), **change, reason="test")
        ledger.open_run(wanted.population, "look", units=10**9, **change, label="another")
        ledger.ask("look", part="m", step=0, query={"ask": "choose"}, units=10**9, answer=bytes)
        ledger.raise_limit(wanted.population, limit_for(*RAISED), "test")
    if ledger.balance(wanted.population).limit is None:
        ledger.open_population(
            wanted.population, units=units_of(rho_from(20.0, 1e-9)), protects=schema.protects, reason="test"
        )
    if name == "later":
        ledger.open_run(wanted.population, "held", units=10**9, protects=schema.protects, label="another")
    entropy = Rehearsal(11) if wanted.rehearsal else OS_ENTROPY
    with pytest.MonkeyPatch.context() as patch:
        if name == "tiled":  # as if all tables stood out, and none were clear
            patch.setattr(
                target, "standing_out", lambda batches, **_: dict.fromkeys(batches[0].score.cliques, 1.0)
            )
            patch.setattr(constants, "HIDDEN", math.inf)
            patch.setattr(target, "MEAN_ABSOLUTE", math.inf)
        made = pipeline.release(plan, data=data, ledger=ledger, run=f"run-{name}", entropy=entropy)
    place = bundle.write(made, folder / f"{name}-bundle", rehearsal=wanted.rehearsal, notebook=notebook)
    imprint = Imprint()
    if name == "published":
        place, imprint = publish(place, folder / "out", imprint=WORDS, notebook=notebook), WORDS
    balance, answers = ledger.balance(wanted.population), ledger.answers(f"run-{name}")
    receipt, opened = ledger.receipt(f"run-{name}"), open_bundle(place)
    ledger.close()
    return Run(
        name=name, release=_archived(opened), plan=plan, opened=opened, answers=answers, receipt=receipt,
        others=balance.spent - sum(a.units for a in answers), held=balance.reserved, limit=balance.limit or 0,
        whole=balance.limits.gaussian_units if balance.limits else 0, line_law=balance.law.name,
        lifetime=balance.lifetime, days=days | {today()}, imprint=imprint, rehearsal=wanted.rehearsal,
        lapsed=LAPSED if name == "raised" else None,
    )  # fmt: skip


def _archived(opened: Bundle) -> str:
    (archive,) = [name for name in opened.files if name.endswith(".zip")]
    return released(archive)


def today() -> str:
    return f"{dt.datetime.now(dt.UTC):%Y-%m-%d}"


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Run]:
    """One run of every kind, and further tables of two of them, made after the later one."""
    folder = tmp_path_factory.mktemp("sentences")
    made = [_run(name, wanted, folder) for name, wanted in KINDS.items()]
    return [*made, *(_again(run, folder) for run in made if run.name in ("first", "tiled"))]


def _again(run: Run, folder: Path) -> Run:
    """A further table of a run's answers, by another generator."""
    made = further(run.opened, generator="refined", rows=55)
    opened = open_bundle(bundle.write(made, folder / f"{run.name}-again", notebook=notebook))
    facts = {name: value for name, value in vars(run).items() if name in Run.__dataclass_fields__}
    stated = {"name": f"{run.name} again", "release": _archived(opened), "opened": opened}
    return Run(**{**facts, **stated})
