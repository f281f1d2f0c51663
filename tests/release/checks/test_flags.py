from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from synth.core.axis import Axis, domain_of
from synth.core.codebook import Codebook
from synth.core.measurements.noisy import Measurement
from synth.core.numbers import TIMES
from synth.core.schema import Column, Kind, Schema, Unit
from synth.core.table import CodeTable
from synth.core.zeros import Zero
from synth.estimates.effects import Pool
from synth.release.checks.flags import (
    blank_flags,
    centre_flags,
    column_flags,
    contradiction_flags,
    empty_flags,
    fit_flags,
    residual_flags,
    rule_flags,
)
from synth.release.checks.residuals import Residual
from tests.models.examples import measurement

WARD = Axis(column=Column(name="ward", kind=Kind.CATEGORY, values=("n", "s", "e")), labels=("n", "s", "e"))
AGE = Axis(column=Column(name="age", kind=Kind.INTEGER, min=0, max=99), edges=tuple(range(0, 101, 10)))
DOMAIN = domain_of([WARD, AGE])
TITLES = {"ward": "Ward of the town", "age": "Age (years)"}


def pool(ward: list[int], *, sigma: int = 5) -> Pool:
    m = measurement(("ward",), ward, Fraction(sigma) ** 2)
    return Pool(DOMAIN, [m])


def table(wards: list[int], rows: int = 1000) -> CodeTable:
    return CodeTable(DOMAIN, np.stack([np.resize(wards, rows), np.arange(rows) % 11], axis=1))


def codebook(*axes: Axis, **more: object) -> Codebook:
    schema = Schema(
        name="town", population="p", unit=Unit(max_rows=1), columns=tuple(axis.column for axis in axes)
    )
    return Codebook(schema=schema, axes=axes, **more)  # type: ignore[arg-type]


def flags_of(synthetic: CodeTable, answers: Pool, **kwargs: object) -> list[tuple[str, bool]]:
    found = column_flags(synthetic, answers, codebook(WARD, AGE, **kwargs), total=1000.0)
    return [(f.code, f.blocks) for f in found]


def test_a_value_that_is_there_by_the_noisy_answers_must_be_produced() -> None:
    assert flags_of(table([0, 1]), pool([450, 450, 100, 0])) == [("value_unused", True)]
    (flag,) = column_flags(table([0, 1]), pool([450, 450, 100, 0]), codebook(WARD), total=1000.0)
    assert "'e'" in flag.sentence and flag.columns == ("ward",)


def test_of_values_that_are_missed_five_are_named() -> None:
    ages = measurement(("age",), [100] * 11)
    rows = CodeTable(DOMAIN, np.stack([np.arange(1000) % 3, np.arange(1000) % 2], axis=1))
    (flag,) = column_flags(rows, Pool(DOMAIN, [ages]), codebook(WARD, AGE), total=1000.0)
    assert "'Age (years)'" not in flag.sentence and "value 20 to 29, 30 to 39, 40 to 49," in flag.sentence
    assert "60 to 69 and 4 more, although the measurements show them." in flag.sentence


@pytest.mark.parametrize("count, sigma", [(29, 5), (19, 1)])
def test_noise_and_handfuls_are_no_reason_to_block(count: int, sigma: int) -> None:
    assert flags_of(table([0, 1]), pool([450, 450, count, 0], sigma=sigma)) == []


def test_a_value_that_a_rule_forbids_is_not_missed() -> None:
    zero = Zero(("ward",), np.array([False, False, True, False]))
    assert flags_of(table([0, 1]), pool([450, 450, 100, 0]), zeros=(zero,)) == []


def test_a_constant_column_blocks_only_where_the_noisy_answers_disagree() -> None:
    assert flags_of(table([0]), pool([500, 500, 0, 0])) == [("constant_column", True)]
    assert flags_of(table([0]), pool([1000, 3, -8, 0])) == [("constant_column", False)]


def test_decoding_to_the_middle_of_bins_is_seen_for_integers_decimals_and_dates() -> None:
    rng = np.random.default_rng(0)
    decimal = Axis(column=Column(name="x", kind=Kind.DECIMAL, min=0, max=1), edges=(0.0, 0.25, 0.5, 1.0))
    date = Axis(
        column=Column(name="d", kind=Kind.DATE, min="2020-01-01", max="2020-03-31"),
        edges=(18262.0, 18300.0, 18353.0),
    )
    low = np.datetime64("2020-01-01")
    bad = pd.DataFrame(
        {
            "age": rng.integers(0, 10, 200) * 10 + 4,
            "x": rng.choice([0.125, 0.375, 0.75], 200),
            "d": rng.choice([low + 18, low + 64], 200).astype("datetime64[s]"),
        }
    )
    good = pd.DataFrame(
        {
            "age": rng.integers(0, 100, 200),
            "x": rng.random(200),
            "d": [str(low + int(i)) for i in rng.integers(0, 91, 200)],
        }
    )
    axes = [AGE, decimal, date]
    assert [f.columns for f in centre_flags(bad, axes)] == [("age",), ("x",), ("d",)]
    assert centre_flags(good, axes) == []
    assert all(f.blocks for f in centre_flags(bad, axes))
    fives = replace(AGE, column=replace(AGE.column, multiple=5))
    assert centre_flags(bad, [fives]) == []


def test_broken_rules_and_an_unfinished_fit_block() -> None:
    assert fit_flags(True) == [] and fit_flags(False)[0].blocks
    (flag,) = rule_flags({"if a then b": 3, "never c": 0})
    assert flag.blocks and flag.sentence == "3 synthetic rows break the rule: if a then b."
    assert rule_flags({"never c": 1})[0].sentence == "1 synthetic row breaks the rule: never c."


def test_a_rule_that_the_file_breaks_is_doubted_but_not_blocked() -> None:
    zero = Zero(("ward",), np.array([False, False, True, False]))
    (flag,) = contradiction_flags(pool([500, 400, 100, 0]), [zero], TITLES)
    assert flag.code == "rule_doubted" and not flag.blocks
    assert contradiction_flags(pool([500, 400, 12, 0]), [zero], TITLES) == []


@pytest.mark.parametrize(
    ("counts", "is_said"),
    [([2, 10, -5, 9990], True), ([20, 20, 20, 940], False), ([250, 250, 250, 250], False)],
)
def test_a_column_that_is_nearly_empty_is_named(counts: list[int], is_said: bool) -> None:
    """Noise of sigma 5 in three other cells is multiplied by nine: nothing is sure of 1,000 rows."""
    flags = empty_flags(pool(counts), [WARD, AGE])
    assert [(f.code, f.columns, f.blocks) for f in flags] == [("nearly_empty", ("ward",), False)] * is_said


STRICT = Axis(column=Column(name="born", kind=Kind.DATE, min=0, max=99, blank=False), edges=(0, 50, 100))


def alone(name: str, counts: list[int], sigma: int = 5) -> Measurement:
    return measurement((name,), counts, Fraction(sigma) ** 2)


def test_cells_that_a_column_without_blanks_has_no_place_for_are_told() -> None:
    """Two cells of sigma 5 against four: by noise the sums differ up to six times the root of 150."""
    whole = alone("ward", [500, 300, 150, 50])
    (flag,) = blank_flags([whole, alone("born", [4, -9])], [WARD, STRICT])
    assert (flag.code, flag.blocks, flag.columns) == ("blanks_lost", False, ("born",))
    assert "about 0 records" in flag.sentence and "about 1,000" in flag.sentence
    assert blank_flags([whole, alone("born", [500, 427])], [WARD, STRICT]) == []
    assert [f.columns for f in blank_flags([whole, alone("born", [500, 426])], [WARD, STRICT])] == [("born",)]


def test_the_others_together_tell_what_none_of_them_does() -> None:
    """Sums of variance 800 each: six times their difference's sigma is 240, with the mean of nine 179."""
    others = [alone(f"c{i}", [500, 500], sigma=20) for i in range(9)]
    stated = [*others, alone("born", [400, 400], sigma=20)]
    (flag,) = blank_flags(stated, [WARD, STRICT])
    assert "those of the others on average to about 1,000" in flag.sentence
    assert blank_flags([*others, alone("born", [411, 411], sigma=20)], [WARD, STRICT]) == []
    assert blank_flags([*stated, alone("born", [600, 600], sigma=20)], [WARD, STRICT]) == [], "asked twice"


def test_one_forbidden_cell_beyond_doubt_is_enough_among_many() -> None:
    """Thirty cells of sigma 5: one of 31 is beyond six sigmas of its own, not of the sum."""
    counts = np.zeros((4, 11), dtype=np.int64)
    counts[0, 0] = 31
    answer = measurement(("ward", "age"), counts, 25)
    forbidden = np.zeros((4, 11), dtype=np.bool_)
    forbidden[:3, :10] = True
    (flag,) = contradiction_flags(Pool(DOMAIN, [answer]), [Zero(("ward", "age"), forbidden)], TITLES)
    assert flag.code == "rule_doubted"
    assert f"cells of Ward of the town{TIMES}Age (years) that" in flag.sentence


def residual(beyond: float, cells: int = 100) -> Residual:
    return Residual(
        clique=("age",), part="m", step=0, sigma=1.0, cells=cells, mean_square=1.0, largest=4.0, beyond=beyond
    )


def test_too_many_residuals_beyond_three_are_told() -> None:
    assert residual_flags([residual(0.03)], TITLES) == []
    assert residual_flags([residual(0.25, cells=4)], TITLES) == []
    (flag,) = residual_flags([residual(0.2)], TITLES)
    assert flag.code == "strained" and not flag.blocks and "age" not in flag.sentence
    assert "Age (years): 20% of its 100 noisy counts" in flag.sentence
    (worst,) = residual_flags([residual(0.2), residual(0.4), residual(0.3)], TITLES)
    assert "40%" in worst.sentence, "a table that was measured three times is told of once"


def test_tables_that_a_generator_of_single_columns_misses_are_told_of_once_and_not_as_misfits() -> None:
    """Its columns are judged as ever; of tables of several columns the one that is missed most has a name."""
    wide = replace(residual(0.2), clique=("age", "ward"))
    other = replace(residual(0.4), clique=("ward", "age"))
    assert [f.code for f in residual_flags([wide, residual(0.2)], TITLES)] == ["strained"] * 2
    flag, alone = residual_flags([wide, other, residual(0.3)], TITLES, relates=False)
    assert (flag.code, flag.blocks, set(flag.columns)) == ("unrelated", False, {"age", "ward"})
    assert f"Ward of the town{TIMES}Age (years) and of 1 more table." in flag.sentence
    assert "its generator uses none" in flag.sentence
    assert alone.code == "strained" and alone.columns == ("age",)
    (single,) = residual_flags([wide], TITLES, relates=False)
    assert single.sentence.endswith(f"Age (years){TIMES}Ward of the town.")
    assert residual_flags([replace(wide, beyond=0.03)], TITLES, relates=False) == []
