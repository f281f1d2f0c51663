import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from synth.bench.tables import tables
from synth.bench.tables.gauss import Equicorrelated
from synth.bench.trials.runs import coverage, measure
from synth.bench.trials.trial import Part, Trial
from synth.core.domain import Domain
from synth.core.errors import Mistake
from synth.core.table import CodeTable
from synth.release.checks.bounds import Bound, Support

CELL: dict[str, Any] = {"part": Part.MECHANISM, "table": "nltcs", "method": "aim", "repeats": 1}
CELL |= {"epsilon": 1.0, "delta": 1e-9}


def small_nltcs(at: Path) -> Path:
    """Five binary columns in a chain, 3000 people."""
    rng = np.random.default_rng(0)
    columns = [rng.integers(0, 2, 3000)]
    for _ in range(4):
        columns.append(np.where(rng.random(3000) < 0.85, columns[-1], 1 - columns[-1]))
    names = [f"x{i}" for i in range(5)]
    (at / "nltcs").mkdir(parents=True)
    place, rows = at / "nltcs" / "nltcs.csv", np.stack(columns, axis=1)
    np.savetxt(place, rows, fmt="%d", delimiter=",", header=",".join(names), comments="")
    (at / "nltcs" / "nltcs-domain.json").write_text(json.dumps(dict.fromkeys(names, 2)))
    return at


def test_a_cell_gives_one_set_of_figures_per_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MARGINALIA_DATA", str(small_nltcs(tmp_path)))
    first, second = measure(Trial(**CELL | {"epsilon": 5.0, "repeats": 2}))
    for figures in (first, second):
        found = {name: value for name, value in figures.items() if value is not None}
        assert 0.0 < found["tvd2"] < 0.05 and found["seconds"] > 0.0 and found["cpu_seconds"] > 0.0
        assert found["covered"] >= 0.8 and found["peak_mb"] > 20
        assert 2900 < found["rows"] < 3100 and found["measurements"] > 5
        assert found["workload_error"] == pytest.approx(2 * found["tvd2"], abs=0.01)
        assert figures["decode_seconds"] is None and "fidelity" not in figures and "tvd4" not in figures
    assert first["tvd2"] != second["tvd2"]  # fresh noise each time


@pytest.mark.parametrize(
    "change, stated",
    [
        ({"method": "magic"}, "no method 'magic'"),
        ({"options": {"speed": 3}}, "has no option 'speed'"),
        ({"rules": True}, "has no rules"),
        ({"metrics": "some"}, "none, usual, all"),
    ],
)
def test_wrong_trials(
    change: dict[str, Any], stated: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MARGINALIA_DATA", str(small_nltcs(tmp_path)))
    with pytest.raises(Mistake, match=stated):
        measure(Trial(**CELL | change))


def test_options_reach_the_method_and_rows_decode(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables.places, "cache", lambda: tmp_path)
    monkeypatch.setitem(tables.GAUSSIANS, "gauss10", Equicorrelated(rows=2000, columns=4))
    cell = CELL | {"table": "gauss10", "method": "grove", "epsilon": 10.0, "delta": 1e-5}
    (wide,) = measure(Trial(**cell))
    (narrow,) = measure(Trial(**cell, options={"clique_cells": 1000}))
    (timed,) = measure(Trial(**cell, metrics="none"))
    assert "tvd2" not in timed and timed["seconds"] > 0.0 and timed["peak_mb"] > 20.0  # type: ignore[operator]
    assert narrow["model_cells"] < wide["model_cells"]  # type: ignore[operator]
    for figures in (wide, narrow):
        assert 0.0 < figures["fidelity"] < 0.9 and figures["decode_seconds"] > 0.0  # type: ignore[operator]


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
