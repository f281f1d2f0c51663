"""Test questions about the released demo."""

from __future__ import annotations

import dataclasses
import json
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest

from synth.analyst.answers import Answer, Form, Status
from synth.analyst.kept import Known
from synth.analyst.kit import Kit
from synth.analyst.rows import read_table
from synth.core.errors import Mistake

SURE = 1 - 1e-6
RULED = {"age", "marital", "work", "education", "tenure"}
"""Columns of the demo that are related by rules, so that a cell of their pairs can equal a measured count."""


def requested(kit: Kit, real: pd.DataFrame) -> list[tuple[Answer, float]]:
    """Return eleven kinds of questions with the true values in the private table."""
    old, women, south = real.age.between(62, 99), real.sex == "female", ["Quayside", "Old Town"]
    widows = (real.work == "retired") & (real.marital == "widowed")
    whole = kit.mean("household", level=SURE)
    by_sex = kit.mean("age", by="sex", level=SURE)
    of_rooms = kit.total("household", level=SURE)
    assert isinstance(whole, Answer) and isinstance(by_sex, tuple) and isinstance(of_rooms, Answer)
    ages = real.groupby("sex").age.mean()
    return [
        (kit.count(level=SURE), len(real)),
        (kit.count(sex="female", level=SURE), women.sum()),
        (kit.count(age=(20, None), level=SURE), (real.age >= 20).sum()),
        (kit.count(age=(62, None), sex="male", level=SURE), (old & ~women).sum()),
        (kit.count(ward=south, level=SURE), real.ward.isin(south).sum()),
        (kit.count(work="retired", marital="widowed", level=SURE), widows.sum()),
        (kit.share(tenure="owned", level=SURE), (real.tenure == "owned").mean()),
        (kit.difference({"sex": "female"}, {"sex": "male"}, level=SURE), women.sum() - (~women).sum()),
        (whole, real.household.mean()),
        (of_rooms, real.household.sum()),
        (kit.quantile("age", 0.5, level=SURE), real.age.quantile(0.5, interpolation="lower")),
        *((a, ages[name]) for a, name in zip(by_sex, ("female", "male"), strict=False)),
    ]


def test_intervals_and_bounds_contain_the_truth(kit: Kit, real: pd.DataFrame) -> None:
    """Thirteen answers at 1 - 1e-6 each, two releases: fails by chance in less than 3 of 100,000 runs."""
    found = requested(kit, real)
    kinds = [answer.status for answer, _ in found]
    assert kinds.count(Status.INTERVAL) >= 6
    for answer, truth in found:
        if answer.interval is not None:
            low, high = answer.interval
            assert low <= truth <= high, answer.sentence
        if answer.population is not None and answer.estimate is not None:
            assert answer.population[0] <= answer.interval[0] and answer.interval[1] <= answer.population[1]
            assert answer.rests_on and sum(answer.rests_on.values()) == pytest.approx(1, abs=0.01)


def test_sentences_have_the_figures(kit: Kit, real: pd.DataFrame) -> None:
    """Every number after the question is a figure of the answer, rounded by less than the last digit."""
    for answer, _ in requested(kit, real):
        said = answer.sentence
        assert answer.question[1:] in said
        json.dumps(answer.facts())
        if answer.status is Status.REFUSED:
            assert answer.reason in said and answer.interval is None
            continue
        text = said.split(answer.question[1:], 1)[1].replace(answer.reason, "").replace("99.9999% ", "")
        numbers = [float(x.replace(",", "")) for x in re.findall(r"-?\d[\d,]*(?:\.\d+)?", text)]
        scale = 100.0 if answer.form is Form.SHARE else 1.0
        z = 4.891638
        figures = [
            answer.estimate,
            *(answer.interval or ()),
            *(answer.population or ()),
        ]
        figures.append(answer.bins)
        known = [f * scale for f in figures if f is not None]
        known += [max(0.0, answer.estimate or 0.0), z * answer.noise * scale, z * answer.sampling * scale]
        digits = max([len(x.partition(".")[2]) for x in re.findall(r"\d+\.\d+", text)], default=0)
        for number in numbers:
            near = min(abs(number - figure) for figure in known)
            assert near <= 1.01 * 10**-digits, (said, number)


def test_a_table_holds_together(kit: Kit, real: pd.DataFrame) -> None:
    """All cells at once at 1 - 1e-6."""
    table = kit.table(["tenure"], level=SURE)
    counts = real.tenure.value_counts()
    cells = table.frame().set_index("tenure")
    assert len(cells) == 4
    assert all(cells.low[name] <= counts[name] <= cells.high[name] for name in counts.index)
    alone, whole = (kit.table(["tenure"], simultaneous=s).frame() for s in (False, True))
    assert (alone.high - alone.low).sum() < (whole.high - whole.low).sum()
    assert "4 cells" in table.sentence and json.dumps(table.facts())


def test_what_is_not_measured_is_a_bound_or_a_refusal(kit: Kit) -> None:
    graph = kit.kept()
    assert len(graph) == 11 and graph.number_of_edges() == 55
    strongest = sorted(graph.edges(data="strength"), key=lambda edge: -edge[2])
    assert {"age", "marital"} in [{a, b} for a, b, _ in strongest[:5]] and strongest[-1][2] < 0.1
    known = {frozenset(edge): facts["known"] for *edge, facts in graph.edges(data=True)}
    free = graph.nodes - RULED - {"visit", "income"}
    pair = next(pair for pair, how in known.items() if how is not Known.MEASURED and pair <= free)
    codes = {name: kit.measured.codebook.axes[kit.measured.domain.axis(name)] for name in pair}
    values = {n: list(a.labels[:1]) if a.labels else (a.edges[0], a.edges[1] - 1) for n, a in codes.items()}
    answer = kit.count(values)
    assert (
        answer.status is Status.BOUND
        and answer.estimate is None
        and "No measurement contains" in answer.reason
    )
    table = kit.table(pair)
    assert not table.cells and "high priority" in table.sentence
    judged = kit.measured.judged[kit.measured.domain.clique(pair)]
    plain = dataclasses.replace(kit.measured, checks={**kit.measured.checks, "verdict": None})
    wide = Kit(plain).count(values).interval
    assert judged.upper(0.95) < 1 and answer.interval is not None and wide is not None
    assert answer.interval[1] - answer.interval[0] <= 1.3 * (wide[1] - wide[0])


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"nobody": 1}, "no column 'nobody'"),
        ({"sex": "both"}, "Its values are: female, male"),
        ({"age": ("a", None)}, "not a value of 'age'"),
        ({"age": (120, None)}, "No value of the domain"),
        ({"age": (1, 2, 3)}, "two ends"),
        ({"ward": ("Quayside", None)}, "no order"),
        ({"sex": None}, "never blank"),
        ({"sex": []}, "empty"),
    ],
)
def test_unusable_conditions_are_named(kit: Kit, given: dict[str, Any], words: str) -> None:
    with pytest.raises(Mistake, match=words):
        kit.count(given)


def test_rows_satisfy_their_conditions(kit: Kit) -> None:
    drawn = kit.rows({"sex": "female", "age": (60, None), "health": ["good", "fair"]}, n=500, seed=3)
    table = drawn.table
    assert len(table) == 500 and set(table.sex) == {"female"} and table.age.min() >= 60
    assert set(table.health) <= {"good", "fair"} and 0 < drawn.probability < 0.5
    assert ("not from the generator" in drawn.sentence) == (kit.measured.generator != "pgm")
    assert kit._conditional.distance() < (0.1 if kit.measured.generator == "pgm" else 0.3)
    many = kit.rows(weights={"sex": {"female": 3.0}}, n=4000, seed=1).table
    assert (many.sex == "female").mean() > (kit.rows(n=4000, seed=1).table.sex == "female").mean() + 0.1
    assert kit.rows({"sex": "male"}, n=5, seed=9).table.equals(kit.rows({"sex": "male"}, n=5, seed=9).table)
    with pytest.raises(Mistake, match="divides a bin"):
        kit.rows({"age": (62, None)})
    with pytest.raises(Mistake, match="no such rows where"):
        kit.rows({"age": (0, 9), "work": "retired"})


def test_blanks_are_filled_and_nothing_else_changes(kit: Kit, real: pd.DataFrame) -> None:
    table = real.drop(columns=["record", "visit"]).head(120).copy()
    holes = np.random.default_rng(4).random(table.shape) < 0.3
    blank = table.mask(holes)
    filled = kit.impute(blank, seed=1)
    known = ~holes & table.notna().to_numpy()
    same = filled.table[table.columns].astype(object).where(known, 0)
    assert (same == table.astype(object).where(known, 0)).to_numpy().all()
    assert filled.table["visit"].notna().sum() >= 100 and "blanks filled in 120 rows" in filled.sentence
    assert filled.table[table.columns].isna().to_numpy().sum() <= 0.1 * holes.sum()


def test_blanks_of_a_file_are_filled_and_its_texts_are_kept(kit: Kit, real: pd.DataFrame) -> None:
    texts = real.drop(columns="record").head(60).astype("string")
    texts.loc[:, ["age", "visit"]] = pd.NA
    texts.loc[:9, "age"], texts.loc[:9, "visit"] = "999", "soon"  # of no use, but kept
    known = texts.notna()
    read = read_table(texts.to_csv(index=False).encode(), delimiter=",")
    filled = kit.impute(read).table.iloc[10:].dropna(subset="age")
    assert len(filled) >= 40  # noise can exclude rare combinations: 0 to 9 of 3,000 rows
    assert (kit.impute(read).table[known] == texts[known]).fillna(True).to_numpy().all()
    assert filled["age"].astype(float).between(0, 99).all() and pd.to_datetime(filled["visit"]).notna().all()
    retired = filled["work"] == "retired"
    assert retired.sum() >= 5 and filled.loc[retired, "age"].astype(int).min() >= 50
    for wrong in (b"", b"a,b\n\xff,1\n", b"a\n1,2,3\n1\n1,2,3,4\n"):
        with pytest.raises(Mistake, match="not a CSV file"):
            read_table(wrong, delimiter=",")
