from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from synth.bench.runs import Cell, coverage, measure
from synth.check.bounds import Bound, Support
from synth.domain import Domain
from synth.errors import Mistake
from synth.table import CodeTable


def small_nltcs(at: Path) -> Path:
    """Five binary columns in a chain, 3000 people."""
    rng = np.random.default_rng(0)
    columns = [rng.integers(0, 2, 3000)]
    for _ in range(4):
        columns.append(np.where(rng.random(3000) < 0.85, columns[-1], 1 - columns[-1]))
    names = [f"x{i}" for i in range(5)]
    (at / "nltcs").mkdir(parents=True)
    np.savetxt(
        at / "nltcs" / "nltcs.csv",
        np.stack(columns, axis=1),
        fmt="%d",
        delimiter=",",
        header=",".join(names),
        comments="",
    )
    (at / "nltcs" / "nltcs-domain.json").write_text(json.dumps(dict.fromkeys(names, 2)))
    return at


def test_a_cell_gives_one_set_of_figures_per_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MARGINALIA_DATA", str(small_nltcs(tmp_path)))
    first, second = measure(Cell(table="nltcs", method="aim", epsilon=5.0, delta=1e-9, repeats=2))
    for figures in (first, second):
        assert 0.0 < figures.tvd2 < 0.05 and 0.0 < figures.seconds < 60.0
        assert figures.covered is not None and figures.covered >= 0.8
        assert 2900 < figures.rows < 3100 and figures.measurements > 5
    assert first.tvd2 != second.tvd2  # fresh noise each time


def test_every_figure_survives_the_way_through_a_process(tmp_path: Path) -> None:
    cell = Cell(table="nltcs", method="independent", epsilon=5.0, delta=1e-9, repeats=1)
    done = subprocess.run(
        [sys.executable, "-m", "synth.bench.runs", json.dumps(asdict(cell))],
        env={**os.environ, "MARGINALIA_DATA": str(small_nltcs(tmp_path))},
        capture_output=True,
        text=True,
        check=True,
    )
    (figures,) = json.loads(done.stdout)
    assert figures["tvd2"] > 0.05 and figures["covered_inferred"] is None


def test_an_unknown_method_is_a_mistake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MARGINALIA_DATA", str(small_nltcs(tmp_path)))
    with pytest.raises(Mistake, match="aim"):
        measure(Cell(table="nltcs", method="magic", epsilon=1.0, delta=1e-9, repeats=1))


def test_coverage_counts_a_bound_below_the_error_as_missed() -> None:
    domain = Domain(("a", "b"), (2, 2))
    real = CodeTable(domain, np.array([[0, 0]] * 10))
    synthetic = CodeTable(domain, np.array([[1, 0]] * 5))

    def bound(clique: tuple[str, ...], kind: Support, l1: float | None) -> Bound:
        return Bound(clique=clique, kind=kind, l1_counts=l1, tvd=None, beta=0.05)

    claims = (
        bound(("a",), Support.MEASURED, 30.0),  # true error 20
        bound(("a", "b"), Support.INFERRED, 19.0),  # 20
        bound(("b",), Support.NONE, None),
    )
    found = coverage(claims, real, synthetic, total=10.0)
    assert found["covered"] == 0.5
    assert (found["covered_measured"], found["covered_inferred"]) == (1.0, 0.0)
    assert found["loose_measured"] == pytest.approx(1.5) and found["loose_inferred"] == pytest.approx(0.95)
