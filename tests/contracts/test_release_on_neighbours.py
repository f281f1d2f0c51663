"""Replay whole releases on neighbouring files: with the same measurements, nothing else may differ.

A repeated run gets its stored measurements from the ledger. So a release is repeated, under the same run, on
files that differ by one privacy unit. Every query, cost and progress message must be the same, and so must
the table, its checks and the release package, byte for byte. The exact values before noise are recorded on
both files, and the privacy loss that follows from them is compared with the cost that was charged, without
the formulas of the private side.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from statistics import NormalDist
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from synth.core.accounting import Law
from synth.core.accounting.sampled import sampled_rho
from synth.core.errors import Mistake
from synth.core.measurements.noisy import NoisyScores
from synth.core.progress import Progress
from synth.dictionaries import load_schema
from synth.mechanisms import MECHANISMS
from synth.mechanisms.blend import constants, excess, method, target, triples
from synth.mechanisms.shared import columns_first
from synth.models import pulse
from synth.pipeline import release
from synth.private.gradients import CLIP
from synth.private.ledger import Ask, Charged, Ledger
from synth.private.queries import Training, TreeQuery, ValuesQuery, base, magnitudes, selection
from synth.private.queries.base import ScaledQuery
from synth.private.reading.vault import Vault
from synth.private.terms import Terms
from synth.release.bundle import contents
from synth.release.documents.statement import Imprint
from synth.release.plan import Plan
from synth.release.reading.starting import StartingTable, read_start
from synth.rules import parse_rules
from tests.private.queries.tables import tail

ROUNDING = 1 + 1e-9
"""What losses that are computed in floats may be too large by."""


def of_range(length: float) -> float:
    """mu^2 / 2 of log ratios within an interval of this length."""
    return 2 * NormalDist().inv_cdf(1 / (1 + math.exp(-length / 2))) ** 2


@dataclass(frozen=True, eq=False)
class Noised:
    """Numbers that get Gaussian noise of this variance."""

    values: np.ndarray
    variance: Fraction

    def loss(self, before: Noised) -> tuple[float, float]:
        moved = self.values - before.values
        assert self.variance == before.variance
        return float(Fraction(np.square(moved).sum().item()) / (2 * self.variance)), 0.0


@dataclass(frozen=True, eq=False)
class Chosen:
    """Scores of the candidates of a selection, each of weight exp(slope * score)."""

    scores: np.ndarray
    slope: float

    def loss(self, before: Chosen) -> tuple[float, float]:
        assert self.slope == before.slope and len(self.scores) == len(before.scores)
        moved = self.scores - before.scores
        return of_range(self.slope * float(moved.max() - moved.min())), 0.0


@dataclass(frozen=True, eq=False)
class Grown:
    """Counts that a tree is grown on."""

    question: TreeQuery
    counts: np.ndarray

    def loss(self, before: Grown) -> tuple[float, float]:
        question, moved = self.question, self.counts - before.counts
        assert question == before.question and np.abs(moved).sum() <= question.change
        least, most = self._log_ratios(before, 0, len(self.counts), 0)
        return of_range(most - least), 0.0

    def _log_ratios(self, before: Grown, first: int, end: int, depth: int) -> tuple[float, float]:
        """The smallest and largest log ratio of the probabilities of any tree below a node."""
        counts, others = self.counts[first:end], before.counts[first:end]
        if end - first == 1 or (counts == others).all():
            return 0.0, 0.0
        splits, stays = self._log_chances(int(counts.sum()), depth)
        split, stay = self._log_chances(int(others.sum()), depth)
        middle = (first + end) // 2
        left = self._log_ratios(before, first, middle, depth + 1)
        right = self._log_ratios(before, middle, end, depth + 1)
        ends = [splits - split + left[i] + right[i] for i in (0, 1)]
        return min(stays - stay, *ends), max(stays - stay, *ends)

    def _log_chances(self, count: int, depth: int) -> tuple[float, float]:
        """log Pr[b + Laplace(scale) > 0] and that of the complement, b as in PrivTree."""
        scale, decay = float(self.question.scale), float(self.question.decay)
        biased = max(count - depth * decay, -decay) / scale
        near, far = math.log1p(-math.exp(-abs(biased)) / 2), -abs(biased) - math.log(2)
        return (near, far) if biased > 0 else (far, near)


@dataclass(frozen=True, eq=False)
class Listed:
    """Counts of texts of which those above a noisy threshold are told."""

    question: ValuesQuery
    counts: Mapping[str, int]

    def loss(self, before: Listed) -> tuple[float, float]:
        variance, threshold = before.question.variance, before.question.threshold
        assert (self.question.variance, self.question.threshold) == (variance, threshold)
        moved = sum((self.counts.get(t, 0) - n) ** 2 for t, n in before.counts.items())
        moved += sum(n**2 for t, n in self.counts.items() if t not in before.counts)
        assert moved <= self.question.l2_squared
        shared = sum((n - before.counts[t]) ** 2 for t, n in self.counts.items() if t in before.counts)
        hidden = 1.0
        for counts, others in ((self.counts, before.counts), (before.counts, self.counts)):
            for text in counts.keys() - others.keys():
                hidden *= 1 - tail(variance, threshold - counts[text])
        return float(shared / (2 * variance)), 1 - hidden


@dataclass(frozen=True, eq=False)
class Descended:
    """The sum of all clipped gradients, of which steps of training take noisy samples, in clips."""

    question: Training
    gradient: np.ndarray
    sigma: float
    rows: int

    def loss(self, before: Descended) -> tuple[float, float]:
        """What all steps would cost if a row moved a sum by as much as it does here at the first."""
        descent = self.question.descent
        assert (self.question, self.sigma) == (before.question, before.sigma)
        moved = math.sqrt(sum(int(n) ** 2 for n in self.gradient - before.gradient)) / CLIP / self.rows
        if not moved:
            return 0.0, 0.0
        most = float(self.question.most)
        price = sampled_rho(self.sigma / moved, rate=descent.rate, rows=self.rows, most=most)
        return price * descent.steps, 0.0


Exact = Noised | Chosen | Grown | Listed | Descended
"""What a question computed from the rows before any noise. Its `loss` is what a distinguisher of two files
learns from the answer, in rho and delta."""


@dataclass
class Ear:
    """Stands where the room draws noise. While it listens none is drawn, and it keeps what noise was for."""

    patch: pytest.MonkeyPatch
    heard: list[Callable[[np.ndarray], Exact]] | None = None

    def __post_init__(self) -> None:
        for module in (base, magnitudes):
            self._replace(module, "noise_of", self._noise)
        self._replace(selection, "exponential", self._selection)
        self._replace(TreeQuery, "leaves", self._tree)
        self._replace(ValuesQuery, "listed", self._list)
        self._replace(Training, "answer", self._steps)
        self._replace(ScaledQuery, "answer", self._scaled)

    def exact(self, ask: Ask) -> Exact:
        """What a question computes; it has to draw noise once."""
        self.heard = []
        try:
            blob = ask.answer()
            (only,) = self.heard
        finally:
            self.heard = None
        return only(np.frombuffer(blob, dtype="<i8") if len(blob) % 8 == 0 else np.empty(0))

    def _replace(self, place: Any, name: str, silent: Callable[..., Any]) -> None:
        original = getattr(place, name)

        def either(*args: Any, **named: Any) -> Any:
            return original(*args, **named) if self.heard is None else silent(*args, **named)

        self.patch.setattr(place, name, either)

    def _noise(self, law: Law, variance: Fraction, size: int, **_: Any) -> np.ndarray:
        assert self.heard is not None
        self.heard.append(lambda values: Noised(values, variance))
        return np.zeros(size, dtype=np.int64)

    def _selection(self, scores: np.ndarray, swing: int, *, epsilon: float, **_: Any) -> int:
        assert self.heard is not None
        self.heard.append(lambda _: Chosen(scores.copy(), epsilon / swing))
        return 0

    def _tree(self, question: TreeQuery, counts: np.ndarray, **_: Any) -> list[int]:
        assert self.heard is not None
        self.heard.append(lambda _: Grown(question, counts.copy()))
        return [0]

    def _list(self, question: ValuesQuery, counts: dict[str, int], **_: Any) -> list[str]:
        assert self.heard is not None
        self.heard.append(lambda _: Listed(question, dict(counts)))
        return []

    def _scaled(self, question: ScaledQuery, tables: Any, *, units: int, terms: Terms, **_: Any) -> bytes:
        assert self.heard is not None
        numbers = question.exact(tables) / np.sqrt(question.squared_lengths().astype(float))
        self.heard.append(lambda _: Noised(numbers.ravel(), question.variance(units, terms)))
        return b""

    def _steps(self, question: Training, tables: Any, *, units: int, terms: Terms, **_: Any) -> bytes:
        assert self.heard is not None
        gradient, sigma = question.exact(tables), math.sqrt(question.variance(units, terms)) / CLIP
        self.heard.append(lambda _: Descended(question, gradient, sigma, terms.rows))
        return b""


class Witness(Ledger):
    """A ledger that keeps what is asked of it and, with an ear, what is exact behind every question."""

    def __init__(self, path: Path, ear: Ear) -> None:
        super().__init__(path)
        self.ear = ear
        self.opened: list[tuple[str, str, dict[str, Any]]] = []
        self.requested: list[tuple[str, int, dict[str, Any], int, int]] = []
        self.exact: list[Exact] = []

    def open_run(self, population: str, run: str, **stated: Any) -> None:
        self.opened.append((population, run, stated))
        super().open_run(population, run, **stated)

    def charges(self, run: str, part: str) -> tuple[Charged, ...]:
        """Nothing leads: what is asked is compared with what was asked."""
        return ()

    def ask_all(self, run: str, *, part: str, step: int, asks: Sequence[Ask]) -> tuple[bytes, ...]:
        for at, ask in enumerate(asks, step):
            self.requested.append((part, at, dict(ask.query), ask.units, ask.delta_units))
            self.exact.append(self.ear.exact(ask))
        return super().ask_all(run, part=part, step=step, asks=asks)


class SameKeys(Vault):
    """Caps the rows of a unit by the same random keys on either file."""

    knows_file = True

    def check(self, digest: Any) -> None:
        pass


@dataclass(frozen=True, kw_only=True)
class OnStep:
    """All that a release lets out."""

    opened: list[tuple[str, str, dict[str, Any]]]
    questions: list[tuple[str, int, dict[str, Any], int, int]]
    progress: list[Progress]
    seeds: list[str]
    files: Mapping[str, bytes]
    codes: bytes
    mistake: str
    exact: list[Exact] = field(compare=False)


def told_by(
    plan: Plan, data: Path, ledger: Witness, vault: Vault, start: StartingTable | None = None
) -> OnStep:
    ledger.opened, ledger.requested, ledger.exact = [], [], []
    heard: list[Progress] = []
    seeds: list[str] = []
    files: Mapping[str, bytes] = {}
    codes, mistake, seeded = b"", "", np.random.default_rng

    def noted(seed: Any = None) -> np.random.Generator:
        seeds.append(repr(seed))
        return seeded(seed)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(np.random, "default_rng", noted)
        patch.setattr(pulse, "PULSE_SECONDS", math.inf)  # goes by the clock
        try:
            made = release(
                plan, data=data, ledger=ledger, run="r", start=start, report=heard.append, vault=vault
            )
            files, codes = contents(made, Imprint()), made.codes.tobytes()
        except Mistake as error:
            mistake = str(error)
    return OnStep(
        opened=ledger.opened,
        questions=ledger.requested,
        progress=heard,
        seeds=seeds,
        files=files,
        codes=codes,
        mistake=mistake,
        exact=ledger.exact,
    )


HEADER = ["who", "town", "band", "age", "pay", "since"]
COLUMNS: dict[str, dict[str, Any]] = {
    "who": {"kind": "drop"},
    "town": {"kind": "category", "values": ["a", "b", "c", "d"]},
    "band": {"kind": "ordered", "values": ["low", "mid", "top"], "blank": False},
    "age": {"kind": "integer", "min": 0, "max": 99, "bins": 6},
    "pay": {"kind": "decimal", "min": 0, "max": 100, "bins": 5, "outside": "missing"},
    "since": {"kind": "date", "min": "2010-01-01", "max": "2019-12-31", "bins": 4},
}
SHARES = [
    "the share of records where age is at least 40 and pay is below 11.5 should be as in the table",
    "the share of records where band is low should be as in the table",
    "the share of records where age is below 20 should be hidden as 0.3",
]
RULES = ["if age is below 20 then band is only low"]
PERSON = "zoe,b,mid,44,12.5,2015-03-02"
UNITS = {
    "nobody": [],
    "typical": ["yan,a,low,70,8.25,2012-07-30"],
    "outlier": ["yan,zzz,??,-1e400,1e99,9999-12-31"],
    "blank": ["yan,,,,,"],
    "unreadable": ['yan,"b'],
    "surplus": ["yan,d,top,99,100,2019-12-31,1,2,3"],
    "options": ["yan,a;d;zzz;b,mid,50,5,2015-03-02"],
    "no day": ["yan,b,mid,nan,1_0,2015-02-30"],
    "no text": ["yan,\xff\0\xfe,low,1,1,2015-03-02"],
}
ONE_BLANK = {
    "no outcome": ["yan,b,mid,44,,2015-03-02"],
    "no outcome of a choice": ["yan,,mid,44,12.5,2015-03-02"],
    "no group": ["yan,b,,44,12.5,2015-03-02"],
}
"""A unit whose only blank cell is one that the means need. `band` is declared as never blank."""
CROWD = ["yan,d,top,99,100,2019-12-31"] * 7
"""More rows of one unit than any schema here allows."""


def rows() -> list[str]:
    """Related columns, with an empty corner, three rows of every unit."""
    rng = np.random.default_rng(7)
    lines = []
    for i in range(240):
        age = int(rng.integers(0, 100))
        band = "low" if age < 20 else rng.choice(["low", "mid", "top"], p=[0.2, 0.5, 0.3])
        town = rng.choice(["a", "b", "c"], p=[0.6, 0.3, 0.1])
        day = np.datetime64("2010-01-01") + int(rng.integers(0, 3650))
        lines.append(f"u{i // 3},{town},{band},{age},{rng.gamma(2, 9):.2f},{day}")
    return lines


def write(path: Path, unit: list[str], *, last: bool) -> Path:
    """The file with the rows of one more unit, at its end or in the middle."""
    lines = rows()
    at = len(lines) if last else 100
    text = "\n".join([",".join(HEADER), *lines[:at], *unit, *lines[at:]]) + "\n"
    path.write_text(text, encoding="latin-1")
    return path


@dataclass(frozen=True, kw_only=True)
class Case:
    """A way to ask: what the schema, its columns and the plan say differently."""

    method: str
    schema: dict[str, Any] = field(default_factory=dict)
    columns: dict[str, dict[str, Any]] = field(default_factory=dict)
    plan: dict[str, Any] = field(default_factory=dict)
    rules: bool = False
    shares: bool = False
    starts: bool = False

    def started(self, folder: Path) -> StartingTable | None:
        """A public table with other rows, without one column and with cells outside the domain."""
        if not self.starts:
            return None
        place, lines = folder / "public.csv", [line.split(",")[1:5] for line in rows()[::2]]
        place.write_text("\n".join(",".join(line) for line in [HEADER[1:5], *lines]) + "\n")
        return read_start(place, self.made().schema, source="a public sample")

    def made(self) -> Plan:
        stated = {name: column | self.columns.get(name, {}) for name, column in COLUMNS.items()}
        document = {
            "name": "t",
            "population": "p",
            "unit": {"max_rows": 1},
            "columns": [{"name": name, **column} for name, column in stated.items()],
        }
        schema = load_schema(document | self.schema)
        rules = parse_rules([*RULES * self.rules, *SHARES * self.shares], schema)
        usual = {"epsilon": 3.0, "delta": 1e-6, "seed": 5, "method": self.method}
        return Plan(schema=schema, rules=rules, **usual | self.plan)


BY_PERSON = {"unit": {"max_rows": 3, "id_column": "who"}}
REPLACED = {"rows_public": 241}
RELATIONS = {"added": {}, "several rows": BY_PERSON, "replaced": REPLACED}
OPEN = {"kind": "category", "buy": True, "values": None}
LISTS = {"town": OPEN, "band": {**OPEN, "blank": True}}
RANGE = {"age": {"kind": "integer", "buy": True, "min": None, "max": None, "bins": 6}}
TREES = {name: {"binning": "privtree", "bins": None} for name in ("age", "pay")}
RARE = {"town": {"merge_rare": True, "values": [*"abcdefgh"]}}
OTHER = {"town": {"outside": "other"}, "age": {"outside": "missing"}, "pay": {"outside": "clamp"}}
FEW = {
    "town": {"values": ["a", "b"]},
    "age": {"bins": 2, "blank": False},
    "pay": {"bins": 2},
    "since": {"bins": 2, "blank": False},
}
OPTIONS = {"town": {"separator": ";"}, "who": {"id_format": "P-{}"}}
RICH = {"epsilon": 40.0, "preprocess_share": 0.4}
TARGET = {"epsilon": 20.0, "options": {"target": "band"}}
MEANS = {
    "means": ("pay ~ age + since + band + town[b]", "age by town, band", "logistic town[b] ~ pay + since"),
    "verdict": 0.1,
}
CASES = {
    **{name: Case(method=name) for name in MECHANISMS},
    **{
        f"{name}, replaced": Case(method=name, schema=REPLACED)
        for name, kind in MECHANISMS.items()
        if not kind.law.is_for_added_units
    },
    **{
        f"{name}, ruled": Case(method=name, rules=True)
        for name in (
            "grove",
            "blend",
            "mixture",
            "copula",
            "margnet",
            "privpgd",
            "aim",
            "mst",
            "absyn",
            "tabddpm",
            "ctgan",
        )
    },
    **{
        f"{name}, several rows": Case(method=name, schema=BY_PERSON)
        for name in (
            "grove",
            "blend",
            "mixture",
            "copula",
            "aim",
            "privbayes",
            "gem",
            "rap",
            "merf",
            "tabddpm",
            "ctgan",
        )
    },
    **{
        f"{name}, fast": Case(method=name, plan={"generator": kind.fast}, rules=True)
        for name, kind in MECHANISMS.items()
        if kind.fast is not None
    },
    **{
        f"{name}, {what}": Case(method=name, columns=columns, plan=RICH)
        for name in ("grove", "blend", "mst")
        for what, columns in {"lists": LISTS, "range": RANGE, "trees": TREES, "rare": RARE}.items()
    },
    **{f"{name}, other": Case(method=name, columns=OTHER) for name in ("grove", "blend", "aim")},
    **{f"{name}, merging": Case(method=name, plan={"compress": True}) for name in ("aim", "mst", "gaussian")},
    **{f"{name}, verdict": Case(method=name, plan={"verdict": 0.2}) for name in MECHANISMS},
    **{
        f"{name}, verdict, {what}": Case(method=name, plan={"verdict": 0.2} | more, schema=schema)
        for name, more in (("grove", {}), ("blend", TARGET), ("aim", {}), ("independent", {}))
        for what, schema in {"added": {}, "replaced": REPLACED, "several rows": BY_PERSON}.items()
    },
    **{
        f"{name}, means, {what}": Case(method=name, plan=MEANS, schema=schema, columns=OTHER)
        for name in ("grove", "aim")
        for what, schema in RELATIONS.items()
    },
    "grove, means": Case(method="grove", plan=MEANS | {"verdict": 0.0, "rows": 50}, columns=OTHER),
    **{f"{name}, shares": Case(method=name, shares=True, rules=True) for name in ("grove", "aim")},
    "mst, shares, trees, several rows": Case(
        method="mst", schema=BY_PERSON, columns=TREES, plan=RICH, shares=True
    ),
    "grove, shares, replaced": Case(method="grove", schema=REPLACED, shares=True),
    "blend, target": Case(method="blend", plan=TARGET),
    "blend, target, ruled, replaced": Case(method="blend", plan=TARGET, schema=REPLACED, rules=True),
    "blend, target, several rows": Case(method="blend", plan=TARGET, schema=BY_PERSON),
    **{
        f"blend, {of}, {what}": Case(method="blend", plan=plan, schema=schema, rules=what != "added")
        for of, plan in (("tiled", TARGET), ("triples", {}), ("few triples", {}))
        for what, schema in RELATIONS.items()
    },
    **{
        f"blend, interactions{of}, {what}": Case(method="blend", schema=schema, columns=FEW)
        for of in ("", " of triples", " of few triples")
        for what, schema in RELATIONS.items()
    },
    **{
        f"blend, start, {what}": Case(method="blend", schema=schema, rules=what != "added", starts=True)
        for what, schema in RELATIONS.items()
    },
    "blend, start, target": Case(method="blend", plan=TARGET, columns=TREES, starts=True),
    **{
        f"merf, label, {what}": Case(
            method="merf", plan={"options": {"label": "band"}}, rules=True, schema=schema
        )
        for what, schema in RELATIONS.items()
    },
    **{
        f"{name}, label, {what}": Case(
            method=name, plan={"options": {"label": "band", "rounds": 3}}, rules=True, schema=schema
        )
        for name in ("tabpe", "ballot")
        for what, schema in {"several rows": BY_PERSON, "replaced": REPLACED}.items()
    },
    **{
        f"rap, half-spaces, {what}": Case(
            method="rap",
            plan={"options": {"half_spaces": 0.5, "pool": 8, "epochs": 1, **more}},
            schema=schema,
            rules=what != "added",
        )
        for what, schema, more in (
            ("added", {}, {}),
            ("several rows", BY_PERSON, {"label": "band", "order": 2}),
            ("replaced", REPLACED, {}),
        )
    },
    "mst, refined": Case(method="mst", plan={"generator": "refined", "workload": 3}),
    "grove, trees, replaced": Case(method="grove", schema=REPLACED, columns=TREES, plan=RICH),
    "mst, lists, replaced": Case(method="mst", schema=REPLACED, columns=LISTS, plan=RICH),
    "mst, lists, several rows": Case(method="mst", schema=BY_PERSON, columns=LISTS, plan=RICH),
    "aim, trees, several rows": Case(method="aim", schema=BY_PERSON, columns=TREES, plan=RICH, rules=True),
    "mst, lists too dear": Case(method="mst", columns=LISTS, plan={"epsilon": 0.05}),
    "mst, options, several rows": Case(method="mst", schema=BY_PERSON, columns=OPTIONS),
    "aim, hardly any budget": Case(method="aim", plan={"epsilon": 0.01}),
}


def neighbours(case: Case) -> dict[str, list[str]]:
    """What a file may say instead of the first one's row of a person."""
    units = UNITS | (ONE_BLANK if "means" in case.plan else {})
    if case.schema == REPLACED:
        return {name: unit for name, unit in units.items() if unit}
    added = {name: [PERSON, *unit] for name, unit in units.items() if unit}
    if case.schema == BY_PERSON:
        added |= {"crowd": [PERSON, *CROWD], "no id": [PERSON, CROWD[0].removeprefix("yan")]}
    return {"nobody": [], **added}


def all_stand_out(patch: pytest.MonkeyPatch, looked_by: ModuleType) -> None:
    """In a look at tables of three columns and more."""
    patch.setattr(excess, "sure_sigmas", lambda count: -math.inf)  # even one below its noise
    patch.setattr(constants, "WORTHWHILE", 0.0)
    patch.setattr(excess, "by_chance", lambda expected: 0.0)
    patch.setattr(looked_by, "unsure_pairs", lambda few, look, noise: dict.fromkeys(look.expected, 0.0))


QUICK = (
    "independent",
    "gaussian, merging",
    "mst, rare",
    "mst, range",
    "mst, lists, replaced",
    "mst, options, several rows",
    "mst, lists too dear",
    "mst, shares, trees, several rows",
    "aim, trees, several rows",
    "aim, shares",
    "mwem",
    "absyn, ruled",
    "privbayes, several rows",
    "privmrf, replaced",
    "privsyn",
    "gem, several rows",
    "margnet, ruled",
    "rap, half-spaces, several rows",
    "merf, label, several rows",
    "tabddpm, several rows",
    "ctgan, ruled",
    "privpgd, replaced",
    "gsd",
    "tabpe, label, replaced",
    "ballot, label, several rows",
    "mixture, several rows",
    "copula, ruled",
    "grove, other",
    "grove, means",
    "grove, trees, replaced",
    "blend, lists",
    "blend, triples, added",
    "blend, interactions, several rows",
    "blend, interactions of few triples, replaced",
    "blend, few triples, added",
    "blend, verdict, several rows",
    "blend, start, several rows",
    "grove, verdict, replaced",
)
"""Each mechanism, query, neighbour relation and kind of estimated domain at least once; the rest is long."""
FEW_NEIGHBOURS = ("nobody", "outlier", "crowd", *ONE_BLANK)
"""Enough for the largest change of each relation; the long tests take all neighbours."""


@pytest.mark.parametrize(
    ("name", "few"),
    [*((name, True) for name in QUICK), *(pytest.param(n, False, marks=pytest.mark.long) for n in CASES)],
    ids=lambda value: value if isinstance(value, str) else ("few" if value else "all"),
)
def test_one_unit_more_or_less_changes_nothing_but_the_answers(
    name: str,
    few: bool,
    hasty_networks: None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    case, vault = CASES[name], SameKeys(tmp_path / "keys")
    if "tiled" in name:  # as if all tables stood out, and none were clear
        all_stand_out(monkeypatch, target)
        monkeypatch.setattr(constants, "HIDDEN", math.inf)
        monkeypatch.setattr(target, "MEAN_ABSOLUTE", math.inf)
    if "few triples" in name:  # as if records were many, and tables stood out and were clear
        all_stand_out(monkeypatch, triples)
        monkeypatch.setattr(constants, "CHEAP", math.inf)
        monkeypatch.setattr(constants, "FAINT", 1e3)
        monkeypatch.setattr(constants, "RECORDS_PER_CELL", 1e-9)
        monkeypatch.setattr(triples, "MEAN_ABSOLUTE", 0.0)
        monkeypatch.setattr(triples, "_noise", lambda *_: -math.inf)  # also where all scores are below 0
        monkeypatch.setattr(constants, "CHEAP_FOUR", math.inf)
    elif "triples" in name:  # as if their noise were small, records were many, and all tables stood out
        monkeypatch.setattr(triples, "MEAN_ABSOLUTE", 0.0)
        monkeypatch.setattr(columns_first, "LEAST_SIGMAS", 0.0)
        monkeypatch.setattr(method, "all_are_clear", lambda *_, **__: True)
        monkeypatch.setattr(NoisyScores, "likely", property(lambda scores: np.abs(scores.values) + 1))
        monkeypatch.setattr(method, "error_alike", lambda *_: math.inf)  # else codes may be merged for all
    plan, last = case.made(), case.schema == BY_PERSON
    witness = Witness(tmp_path / "ledger.sqlite", Ear(monkeypatch))
    protects = plan.schema.protects
    witness.open_population("p", units=10**17, delta_units=10**17, reason="test", protects=protects)
    start = case.started(tmp_path)
    first = told_by(plan, write(tmp_path / "t.csv", [PERSON], last=last), witness, vault, start)
    assert bool(first.mistake) is ("too dear" in name)
    tables = (q[2] for q in first.questions if q[2]["ask"] == "measure")
    large = [table.get("groups", {}) for table in tables if len(table["clique"]) > 2]
    interactions = {len(q[2]["clique"]) for q in first.questions if q[2]["ask"] == "interaction"}
    assert bool(interactions) is ("interactions" in name)
    if "triples" in name and interactions:
        large = [{}] * (3 in interactions)
    assert ("tiled" not in name) or len({json.dumps(groups) for groups in large}) > 10
    assert ("triples" not in name) or large
    scored = [q[2]["candidates"] for q in first.questions if q[2]["ask"] == "score"]
    assert ("interactions of few" not in name) or math.comb(5, 4) in scored  # all sets of four columns
    largest = 0.0
    for neighbour, said in neighbours(case).items():
        if few and neighbour not in FEW_NEIGHBOURS:
            continue
        again = told_by(plan, write(tmp_path / "t.csv", said, last=last), witness, vault, start)
        assert again == first
        for now, then, (_, _, question, units, delta_units) in zip(
            again.exact, first.exact, first.questions, strict=True
        ):
            rho, delta = now.loss(then)
            assert rho <= units * 1e-12 * ROUNDING, question
            assert delta <= delta_units * 1e-18 * ROUNDING, question
            largest = max(largest, rho / (units * 1e-12))
    assert largest > 0.99, "the price is about what a unit can really move"
    spent, delta_spent = (sum(q[i] for q in first.questions) for i in (3, 4))
    assert spent <= plan.units and delta_spent <= plan.delta_units
    assert (spent, delta_spent) == (witness.balance("p").spent, witness.balance("p").delta_spent)
    assert capfd.readouterr() == ("", "")
