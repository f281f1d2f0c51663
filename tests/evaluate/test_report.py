import json
from pathlib import Path

import numpy as np
import pytest

from synth.core.axis import Axis, domain_of
from synth.core.domain import Domain
from synth.core.errors import Mistake
from synth.core.schema import Column, FileFormat, Kind, Schema, Unit
from synth.core.table import CodeTable
from synth.evaluate.report import MARK, StewardReport, load_real, steward_report
from synth.release.checks.checks import Checks

DOMAIN = Domain(("a", "b", "c"), (4, 3, 2))


def random_table(seed: int, rows: int = 400) -> CodeTable:
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 4, rows)
    return CodeTable(DOMAIN, np.stack([a, a % 3, rng.integers(0, 2, rows)], axis=1))


def test_the_report_says_first_that_it_is_not_private() -> None:
    report = steward_report(random_table(0), random_table(1), queries=20)
    found = json.loads(json.dumps(report.to_json(), allow_nan=False))
    assert next(iter(found)) == "mark" and found["mark"] == MARK
    assert MARK.startswith("NOT PRIVATE")
    assert set(found["equivalent_subsample"]) == {"1-way", "2-way", "3-way"}
    assert found["tvd"]["2-way"] == pytest.approx(report.fidelity.mean2)


def test_a_sample_of_the_same_law_is_worth_about_its_own_size() -> None:
    report = steward_report(random_table(0, 5000), random_table(1, 5000), queries=20)
    assert 0.2 < report.subsample[2] < 1.2


def test_worst_comes_first() -> None:
    spoiled = random_table(1)
    spoiled = CodeTable(DOMAIN, np.stack([spoiled.codes[:, 0], spoiled.codes[:, 1], np.zeros(400, int)], 1))
    worst = steward_report(random_table(0), spoiled, queries=5).worst(limit=3)
    assert all("c" in clique for clique, _ in worst)
    assert worst[0][1] >= worst[1][1] >= worst[2][1]


def test_utility_needs_rows_that_were_not_released() -> None:
    with pytest.raises(Mistake, match="not released"):
        steward_report(random_table(0), random_table(1), targets=["a"], queries=5)
    report = steward_report(
        random_table(0), random_table(1), held_out=random_table(2), targets=["b"], queries=5
    )
    assert report.utility[0].synthetic["accuracy"] > 0.9


def test_it_is_no_kind_of_checks() -> None:
    assert not issubclass(StewardReport, Checks) and not issubclass(Checks, StewardReport)


def test_a_real_file_arrives_in_the_codes_of_the_release(tmp_path: Path) -> None:
    ward = Column(name="ward", kind=Kind.CATEGORY, values=("n", "s"))
    age = Column(name="age", kind=Kind.INTEGER, min=0, max=9, bins=5)
    schema = Schema(
        name="t",
        population="t",
        unit=Unit(max_rows=1, id_column="id"),
        columns=(Column(name="id", kind=Kind.DROP), age, Column(name="x", kind=Kind.DROP), ward),
        file=FileFormat(header=False, delimiter=";"),
    )
    axes = [Axis(column=age, edges=(0, 2, 4, 6, 8, 10)), Axis(column=ward, labels=("n", "s"))]
    (tmp_path / "real.csv").write_text("1;3;?;n\n2;9;?;s\n3;;?;s\n")
    real, excluded = load_real(tmp_path / "real.csv", schema, axes)
    assert real.domain == domain_of(axes) and excluded == 0
    assert sorted(real.codes.tolist()) == [[1, 0], [4, 1], [5, 1]]


def test_rows_with_a_blank_where_none_may_be_are_not_compared(tmp_path: Path) -> None:
    column = Column(name="ward", kind=Kind.CATEGORY, values=("n", "s"), blank=False)
    schema = Schema(name="town", population="p", unit=Unit(max_rows=1), columns=(column,))
    path = tmp_path / "real.csv"
    path.write_text("ward\n" + 999 * "n\n" + 2 * "elsewhere\n")
    real, excluded = load_real(path, schema, [Axis(column=column, labels=("n", "s"))])
    assert real.codes.tolist() == [[0]] * 999 and excluded == 0.002
    path.write_text("ward\nelsewhere\n")
    with pytest.raises(Mistake, match="declared never blank") as caught:
        load_real(path, schema, [Axis(column=column, labels=("n", "s"))])
    assert "elsewhere" not in str(caught.value) and "ward" not in str(caught.value)
