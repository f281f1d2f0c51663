"""The shares of cells that do not fit, and the stop of a run: from noisy counts only, charged once."""

import math
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import synth
from synth.core.codebook import Codebook
from synth.core.columns.unfit import COUNTED, WHOLE, Unfit, exclusions
from synth.core.discretisation import declared_axes
from synth.core.errors import Mistake
from synth.core.errors import Unfit as Stopped
from synth.core.evidence import Evidence
from synth.core.measurements.noisy import Measurement
from synth.pipeline import release
from synth.private.ledger import Ledger
from synth.release.checks.unfit import excesses, sentences, unfit_shares
from synth.release.plan import Plan
from synth.release.verify import verify
from synth.rules import parse_rules

SCHEMA: dict[str, Any] = {
    "name": "t",
    "population": "p",
    "unit": {"max_rows": 1},
    "columns": [
        {"name": "visit", "kind": "date", "min": "2024-06-01", "max": "2024-06-30", "bins": 6},
        {"name": "age", "kind": "integer", "min": 0, "max": 99, "bins": 10, "blank": False},
        {"name": "sex", "kind": "category", "values": ["f", "m"]},
    ],
}
ROWS = 3000
SIGMA = 30.0


@cache
def codebook() -> Codebook:
    schema = synth.load_schema(SCHEMA)
    return Codebook(schema=schema, axes=declared_axes(schema, parse_rules([], schema)))


def noisy(rng: np.random.Generator, share_above: float) -> list[Measurement]:
    """One measurement per column of 3,000 rows, in which this share of visits is above the range."""
    found = []
    for axis in codebook().axes:
        counts = np.full(axis.size, ROWS / axis.size) + rng.normal(0, SIGMA, axis.size)
        unfit = []
        for e in exclusions(axis):
            weight = WHOLE if e.code == -1 else COUNTED
            cells = share_above * ROWS if (axis.name, str(e.reason)) == ("visit", "above") else 0.0
            count = round(weight * cells + rng.normal(0, WHOLE * SIGMA))
            variance = Fraction(round((WHOLE * SIGMA) ** 2))
            unfit.append(Unfit(reason=str(e.reason), count=count, weight=weight, variance=variance))
        found.append(
            Measurement(
                clique=(axis.name,),
                counts=np.rint(counts).astype(np.int64),
                variance=Fraction(int(SIGMA**2)),
                units=1,
                unfit=tuple(unfit),
            )
        )
    return found


def test_intervals_hold_and_noise_alone_neither_warns_nor_stops() -> None:
    rng, book = np.random.default_rng(0), codebook()
    held = warned = stopped = found_out = 0
    for _ in range(200):
        evidence = Evidence(codebook=book, answers=tuple(noisy(rng, 0.08)), total=float(ROWS))
        shares = {(one.column, one.reason): one for one in unfit_shares(evidence)}
        held += shares["visit", "above"].low <= 0.08 <= shares["visit", "above"].high
        warned += any(one.seen for key, one in shares.items() if key != ("visit", "above"))
        stopped += bool(excesses(noisy(rng, 0.05), book, most=0.05))
        found_out += bool(excesses(noisy(rng, 0.25), book, most=0.05))
    sd = math.sqrt(0.95 * 0.05 * 200)
    assert abs(held - 190) < 4 * sd  # 95% of 200, within four standard deviations
    assert warned < 10 + 4 * sd  # at most 5% false alarms
    assert stopped == 0  # at most 1 in 10,000
    assert found_out > 197  # 20% of the rows is 12 standard deviations


def test_sentences_state_whether_a_domain_was_declared_or_estimated() -> None:
    visits = {**SCHEMA["columns"][0], "provenance": "estimated with budget"}
    estimated = synth.load_schema({**SCHEMA, "columns": [visits, *SCHEMA["columns"][1:]]})
    evidence = Evidence(
        codebook=codebook(), answers=tuple(noisy(np.random.default_rng(0), 0.5)), total=float(ROWS)
    )
    for schema, source in ((codebook().schema, "declared"), (estimated, "estimated")):
        book = Codebook(schema=schema, axes=declared_axes(schema, parse_rules([], schema)))
        (line,) = sentences(unfit_shares(evidence), book)
        assert f"of visit were above the {source} range and are shown as" in line


def table(path: Path, *, july: float = 0.0, halves: float = 0.0) -> Path:
    """A month of visits, of which a share is in July, and a share of ages that are not whole."""
    rng = np.random.default_rng(1)
    days = [f"2024-07-{d:02}" if j < july else f"2024-06-{d:02}" for d, j in zip(
        rng.integers(1, 31, ROWS), rng.random(ROWS), strict=True)]  # fmt: skip
    ages = [f"{a}.5" if h < halves else f"{a}" for a, h in zip(
        rng.integers(0, 99, ROWS), rng.random(ROWS), strict=True)]  # fmt: skip
    sexes = rng.choice(["f", "m"], ROWS)
    lines = "".join(f"{d},{a},{s}\n" for d, a, s in zip(days, ages, sexes, strict=True))
    path.write_text("visit,age,sex\n" + lines)
    return path


def test_a_run_stops_after_its_columns_and_continues_without_a_second_charge(tmp_path: Path) -> None:
    schema = synth.load_schema(SCHEMA)
    ledger = Ledger(tmp_path / "ledger.sqlite")
    ledger.open_population("p", units=10**15, reason="test", protects=schema.protects)
    data = table(tmp_path / "t.csv", july=0.96)
    plans = [
        Plan(schema=schema, rules=parse_rules([], schema), epsilon=1, delta=1e-9, seed=3, most_unfit=most)
        for most in (0.05, 1.0)
    ]
    with pytest.raises(Stopped, match="of 'visit' is outside 2024-06-01 to 2024-06-30") as stopped:
        release(plans[0], data=data, ledger=ledger, run="r")
    before = ledger.answers("r")
    spent = sum(entry.units for entry in before)
    assert stopped.value.kept == pytest.approx(1 - spent / plans[0].units)
    assert 0 < spent < plans[0].units / 2, "a stop keeps most of the budget"
    made = release(plans[1], data=data, ledger=ledger, run="r")
    after = ledger.answers("r")
    assert [(e.step, e.units) for e in after[: len(before)]] == [(e.step, e.units) for e in before]
    assert sum(entry.units for entry in after) <= plans[1].units
    share = next(one for one in made.checks.unfit if (one.column, one.reason) == ("visit", "above"))
    assert share.seen and share.low <= 0.96 <= share.high
    assert sentences(made.checks.unfit, made.evidence.codebook)[0].endswith("2024-06-26 to 2024-06-30.")
    synth.write_bundle(made, tmp_path / "out")
    assert verify(tmp_path / "out").problems == ()
    kit = synth.open(tmp_path / "out")
    assert kit.unfit() == tuple(made.checks.unfit)


def test_a_small_share_is_stated_and_a_method_without_columns_counts_first(tmp_path: Path) -> None:
    facts: dict[str, Any] = {"epsilon": 50, "delta": 1e-9, "ledger": tmp_path / "ledger.sqlite"}
    schema = synth.load_schema(SCHEMA)
    synth.open_budget(schema, epsilon=300, delta=1e-9, reason="a test", ledger=facts["ledger"])
    data = table(tmp_path / "t.csv", halves=0.03)
    made = synth.synthesize(data, schema, **facts, method="independent")
    (line,) = sentences(made.checks.unfit, made.evidence.codebook)
    assert line.startswith("3% (") and line.endswith("of age were not whole numbers and are rounded down.")
    assert [flag.code for flag in made.checks.flags if flag.code == "unfit"]
    with pytest.raises(Stopped, match="not a whole number") as stopped:
        synth.synthesize(table(tmp_path / "u.csv", halves=0.5), schema, **facts, **WITHOUT_COLUMNS)
    assert stopped.value.kept > 0.99 and "most_unfit=1" in " ".join(stopped.value.__notes__)
    with pytest.raises(Mistake, match="above 0 and at most 1"):
        synth.synthesize(data, schema, **facts, most_unfit=0.0)


WITHOUT_COLUMNS: dict[str, Any] = {"method": "merf", "options": {"label": "sex", "frequencies": 20}}


@pytest.mark.long
def test_the_first_counts_of_a_method_without_columns_are_published(tmp_path: Path) -> None:
    facts: dict[str, Any] = {"epsilon": 50, "delta": 1e-9, "ledger": tmp_path / "ledger.sqlite"}
    schema = synth.load_schema(SCHEMA)
    synth.open_budget(schema, epsilon=300, delta=1e-9, reason="a test", ledger=facts["ledger"])
    data = table(tmp_path / "t.csv", halves=0.03)
    made = synth.synthesize(data, schema, **facts, **WITHOUT_COLUMNS, generator_options={"steps": 5})
    (line,) = sentences(made.checks.unfit, made.evidence.codebook)
    assert "of age were not whole numbers" in line
    (changed,) = [one for one in made.checks.unfit if one.reason == "changed"]
    whole = [text.split(",")[1].isdigit() for text in data.read_text().splitlines()[1:]]
    assert abs(changed.share - (1 - sum(whole) / ROWS)) < 4 * (changed.high - changed.low) / 3.92
    counted = made.evidence.fit
    assert {m.clique[0] for m in counted} == {"visit", "age", "sex"}
    assert 0.004 < sum(m.units for m in counted) / made.privacy.units <= 0.005
    synth.write_bundle(made, tmp_path / "out")
    assert verify(tmp_path / "out").problems == ()
