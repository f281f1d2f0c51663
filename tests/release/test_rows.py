"""A file of rows in blocks: it holds what was asked for, is read back, and its checks are of all of it."""

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from synth import pipeline
from synth.core import table
from synth.core.errors import Cancelled, Mistake
from synth.core.measurements.noisy import coarsened
from synth.core.model import Model
from synth.core.progress import Progress
from synth.core.table import CodeTable
from synth.release import csv_text, drawing, stream
from synth.release.checks import checks
from synth.release.checks.checks import Checks, checks_of
from synth.release.checks.shares import found_shares
from synth.release.checks.targets import measured_targets
from synth.release.opened import open_bundle
from synth.release.plan import Plan
from synth.release.rows import check_file, checks_beside, write_rows
from synth.release.synthesis import Synthesis
from tests.models.examples import measurement

ROWS = 2_345


@pytest.fixture
def plan(written: Path, monkeypatch: pytest.MonkeyPatch) -> Plan:
    """A plan of more rows than a block has."""
    whole = stream.Drawing.blocks
    monkeypatch.setattr(
        stream.Drawing, "blocks", lambda self, rows, use, **more: whole(self, rows, use, most=500, **more)
    )
    return open_bundle(written).plan(rows=ROWS, seed=8)


@pytest.fixture
def model(plan: Plan, synthesis: Synthesis) -> Model:
    return pipeline.refitted(plan, synthesis.evidence)


def test_parquet_and_csv_hold_the_same_rows(
    plan: Plan, synthesis: Synthesis, model: Model, tmp_path: Path
) -> None:
    for name in ("rows.parquet", "rows.csv"):
        stated = write_rows(plan, synthesis.evidence, model, tmp_path / name)
        assert stated.rows == ROWS and not stated.is_blocked
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "rows.csv",
        "rows.csv.checks.json",
        "rows.parquet",
        "rows.parquet.checks.json",
    ]
    file = pq.ParquetFile(tmp_path / "rows.parquet")
    assert (file.metadata.num_rows, file.num_row_groups) == (ROWS, 5)
    axes = synthesis.evidence.codebook.axes
    parsed = csv_text.read((tmp_path / "rows.csv").read_bytes().decode(), axes)
    assert len(parsed.frame) == ROWS and not any(parsed.outside.values())
    there = file.read().to_pandas(integer_object_nulls=True, date_as_object=True)
    for axis in axes:
        ours, theirs = parsed.frame[axis.name], there[axis.name]
        assert (ours.isna() == theirs.isna()).all()
        assert [str(v) for v in ours.dropna()] == [str(v) for v in theirs.dropna()]
    assert (tmp_path / "rows.csv.checks.json").read_bytes() == (
        tmp_path / "rows.parquet.checks.json"
    ).read_bytes()


def test_the_checks_are_those_of_all_rows_at_once(
    plan: Plan, synthesis: Synthesis, model: Model, tmp_path: Path
) -> None:
    evidence = synthesis.evidence
    write_rows(plan, evidence, model, tmp_path / "rows.parquet")
    stated = Checks.from_json(json.loads(checks_beside(tmp_path / "rows.parquet").read_text()))
    own = stream.drawing_of(plan, evidence, model)
    parts = [part for _, part in own.blocks(ROWS, lambda codes, frame: (codes, frame))]
    frame = pd.concat([frame for _, frame in parts], ignore_index=True)
    whole = checks_of(
        evidence,
        candidates=stream.workload_of(plan, evidence.codebook).candidates(),
        synthetic=CodeTable(evidence.domain, np.concatenate([codes for codes, _ in parts])),
        frame=frame,
        violations=plan.rules.violations(frame),
        found=found_shares(own.shares, plan.rules.shares_of(frame)),
        converged=model.converged,
        beta=1 - plan.confidence,
    )
    expected = Checks.from_json(json.loads(json.dumps(whole.to_json())))
    assert len(parts) == 5
    assert (stated.bounds, stated.residuals) == (expected.bounds, expected.residuals)
    assert (stated.violations, stated.shares) == (expected.violations, expected.shares)
    named = [[(f.code, f.columns, f.blocks) for f in checks.flags] for checks in (stated, expected)]
    assert named[0] == named[1], "a sentence on a mean is about the first block"


def test_shares_are_those_of_all_rows(steered: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    opened = open_bundle(steered)
    plan = opened.plan(rows=ROWS, seed=2)
    write_rows(plan, opened.evidence, pipeline.refitted(plan, opened.evidence), tmp_path / "rows.parquet")
    stated = json.loads(checks_beside(tmp_path / "rows.parquet").read_text())
    there = pq.read_table(tmp_path / "rows.parquet").to_pandas(integer_object_nulls=True, date_as_object=True)
    shares = measured_targets(
        plan.rules.coded_shares(opened.evidence.codebook), opened.evidence, confidence=plan.confidence
    )
    found = found_shares(shares, plan.rules.shares_of(there))
    assert [s["reached"] for s in stated["shares"]] == pytest.approx([f.reached for f in found], abs=1e-6)
    assert len(found) == 2 and all(f.is_met(ROWS) for f in found)


def test_a_pair_of_too_many_cells_is_bounded_in_the_groups_it_was_asked_in(
    written: Path, synthesis: Synthesis, model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if it had been counted in the codes of the columns: the rows are the same. No other pair was asked
    for, and whether noise makes a column look as if it had lost rows is not asked here."""
    monkeypatch.setattr(table, "KEPT_CELLS", 20)
    monkeypatch.setattr(checks, "withheld", lambda claims, columns: tuple(claims))
    evidence = synthesis.evidence
    a, b = evidence.domain.names[:2]
    groups = {name: tuple(min(i, 2) for i in range(evidence.domain.size((name,)))) for name in (a, b)}
    counts = coarsened(CodeTable(evidence.domain, synthesis.codes).project((a, b)), (a, b), groups)
    requested = measurement((a, b), counts.astype(np.int64), 9, step=99, groups=groups)
    others = [m for m in evidence.measurements if len(m.clique) == 1]
    plain = replace(evidence, answers=(*others, requested))
    plan, stated = open_bundle(written).plan(rows=ROWS, seed=8), []
    for most in (1 << 24, 20):
        monkeypatch.setattr(stream, "MOST_CELLS", most)
        out = tmp_path / f"rows-{most}.parquet"
        write_rows(plan, plain, model, out)
        found = Checks.from_json(json.loads(checks_beside(out).read_text()))
        stated.append(
            (
                next(bound for bound in found.bounds if bound.clique == (a, b)),
                next(residual for residual in found.residuals if residual.clique == (a, b)),
            )
        )
    assert evidence.domain.size((a, b)) > 20
    assert stated[0] == stated[1] and stated[0][0].coarse_kind == "measured"


def test_who_stops_leaves_nothing(plan: Plan, synthesis: Synthesis, model: Model, tmp_path: Path) -> None:
    def stop(progress: Progress) -> None:
        if progress.done > 0.5:
            raise Cancelled("stopped")

    for name in ("rows.csv", "rows.parquet"):
        with pytest.raises(Cancelled):
            write_rows(plan, synthesis.evidence, model, tmp_path / name, report=stop)
    assert list(tmp_path.iterdir()) == []


def test_a_name_without_a_form_and_a_place_that_is_taken_are_refused(tmp_path: Path) -> None:
    with pytest.raises(Mistake, match=r"neither \.parquet nor \.csv"):
        check_file(tmp_path / "rows.txt")
    (tmp_path / "rows.csv").touch()
    with pytest.raises(Mistake, match="already"):
        check_file(tmp_path / "rows.csv")
    checks_beside(tmp_path / "rows.parquet").touch()
    with pytest.raises(Mistake, match="already"):
        check_file(tmp_path / "rows.parquet")
    assert drawing.ROWS_OF_A_BLOCK >= 250_000, "a share is met to within half a record of each block"


def test_disks_keep_room(
    plan: Plan, synthesis: Synthesis, model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others write to the same disk meanwhile: it runs out after two blocks."""
    left = iter([3000, 2000, 999])
    monkeypatch.setattr(
        "synth.release.rows.shutil.disk_usage", lambda folder: SimpleNamespace(free=next(left))
    )
    with pytest.raises(Mistake, match="unfinished file was deleted"):
        write_rows(plan, synthesis.evidence, model, tmp_path / "rows.parquet", left_free=1000)
    assert list(tmp_path.iterdir()) == [] and list(left) == []
