from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from synth import pipeline
from synth.core.errors import Mistake
from synth.models.registry import GENERATORS
from synth.release import bundle
from synth.release.opened import open_bundle, zip_of
from synth.release.synthesis import Synthesis
from synth.release.verify import verify


def test_folder_and_zip_are_the_same_bundle(written: Path) -> None:
    folder, archive = open_bundle(written), open_bundle(zip_of(written))
    assert {**archive.files, zip_of(written).name: zip_of(written).read_bytes()} == dict(folder.files)


def test_the_promise_comes_back_whole(synthesis: Synthesis, written: Path) -> None:
    privacy = open_bundle(written).privacy
    without = replace(synthesis.privacy, spends=())
    assert replace(privacy, spends=()) == without
    assert [(s.part, s.step, s.units, s.question) for s in privacy.spends] == [
        (s.part, s.step, s.units, s.question) for s in synthesis.privacy.spends
    ]


def test_the_plan_comes_back(synthesis: Synthesis, written: Path) -> None:
    plan = open_bundle(written).plan(seed=9)
    assert plan.schema == synthesis.schema and plan.rules == synthesis.rules
    assert (plan.epsilon, plan.delta, plan.method, plan.rows) == (2.0, 1e-9, "blend", len(synthesis.table))
    assert plan.mechanism() == replace(plan, seed=1).mechanism()
    assert open_bundle(written).plan(rows=5).rows == 5
    assert (plan.verdict, plan.preprocess_share) == (0.1, 0.1)


def test_another_table_from_a_bundle_is_a_bundle_too(written: Path, tmp_path: Path) -> None:
    opened = open_bundle(zip_of(written))
    again = pipeline.regenerate(
        opened.plan(generator="independent", rows=300, seed=5), opened.evidence, opened.privacy
    )
    out = bundle.write(again, tmp_path / "again")
    assert verify(out).problems == ()
    stated = open_bundle(out)
    assert len(stated.table.frame) == 300 and stated.statement["method"]["generator"] == "independent"
    assert stated.statement["spend"] == opened.statement["spend"]
    assert stated.statement["release"]["id"] != opened.statement["release"]["id"]


def test_what_is_no_bundle_is_said_to_be_none(tmp_path: Path) -> None:
    (tmp_path / "x.zip").write_bytes(b"PK nonsense")
    for place in (tmp_path, tmp_path / "x.zip", tmp_path / "nowhere"):
        with pytest.raises(Mistake):
            open_bundle(place)
    with pytest.raises(Mistake):
        zip_of(tmp_path / "nowhere")


def test_bought_domains_and_groupings_come_back(estimated: Synthesis, tmp_path: Path) -> None:
    out = bundle.write(estimated, tmp_path / "b")
    assert verify(out).problems == ()
    opened = open_bundle(out)
    codebook, own = opened.evidence.codebook, estimated.evidence.codebook
    assert own.groupings and codebook.groupings == own.groupings
    assert (codebook.axes, codebook.schema) == (own.axes, estimated.schema)
    stated = opened.statement
    assert [part["part"] for part in stated["spend"]][:2] == ["preprocess", "mechanism"]
    assert stated["budget"]["delta_for_bought_lists"] == estimated.privacy.delta_of_lists > 0
    for kind in ("value lists", "ranges", "trees"):
        assert kind in stated["accounting"]["bought"]


def test_a_bundle_tells_the_report_what_the_run_would(synthesis: Synthesis, written: Path) -> None:
    opened = open_bundle(written)
    assert np.array_equal(opened.codes, synthesis.codes)
    evidence, own = opened.evidence, synthesis.evidence
    assert evidence.total == own.total
    assert (opened.schema, evidence.codebook.axes, evidence.domain) == (
        synthesis.schema,
        own.codebook.axes,
        own.domain,
    )
    assert evidence.codebook.groupings == own.codebook.groupings
    assert [m.clique for m in evidence.measurements] == [m.clique for m in own.measurements]
    assert [r.sentence for r in opened.rules.rules if r.stated] == [
        "if age is 0 to 14 then marital is only 'never'"
    ]
    checks, mine = opened.checks, synthesis.checks
    assert [(b.clique, b.kind) for b in checks.bounds] == [(b.clique, b.kind) for b in mine.bounds]
    for one, other in zip(checks.bounds, mine.bounds, strict=True):
        assert one.tvd == (None if other.tvd is None else pytest.approx(other.tvd, rel=1e-5))
    assert (checks.flags, checks.violations) == (mine.flags, mine.violations)


def test_a_generator_fitted_to_a_bundle_is_the_one_of_the_run(synthesis: Synthesis, written: Path) -> None:
    """The default weighs its models by noisy scores too, so that a bundle without them would have another."""
    own, kept = (
        GENERATORS["blend"]().fit(evidence, seed=0).sample(200, np.random.default_rng(1))
        for evidence in (synthesis.evidence, open_bundle(written).evidence)
    )
    assert synthesis.evidence.scores and np.array_equal(own, kept)
