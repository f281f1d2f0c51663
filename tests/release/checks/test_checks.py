import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from synth.core.axis import Axis
from synth.core.codebook import Codebook
from synth.core.errors import Mistake
from synth.core.evidence import Evidence
from synth.core.schema import Column, Kind, Schema, Unit
from synth.core.table import CodeTable
from synth.release.checks.checks import Checks, checks_of
from synth.release.verdict.figures import Figure, Judged, Verdict
from tests.models.examples import measurement

AXES = [
    Axis(column=Column(name=n, kind=Kind.CATEGORY, values=("x", "y")), labels=("x", "y")) for n in ("a", "b")
]
SCHEMA = Schema(name="t", population="p", unit=Unit(max_rows=1), columns=tuple(axis.column for axis in AXES))
CODEBOOK = Codebook(schema=SCHEMA, axes=tuple(AXES))


def run_checks(
    evidence: Evidence,
    codes: np.ndarray,
    *,
    converged: bool,
    beta: float = 0.05,
    verdict: Verdict | None = None,
) -> Checks:
    """All checks of a table by one rule."""
    frame = pd.DataFrame({n: np.array(["x", "y", "z"])[codes[:, i]] for i, n in enumerate(("a", "b"))})
    return checks_of(
        evidence,
        candidates=[("a",), ("b",), ("a", "b")],
        synthetic=CodeTable(evidence.domain, codes),
        frame=frame,
        violations={"a and b are never both x": int(((frame["a"] == "x") & (frame["b"] == "x")).sum())},
        found=(),
        converged=converged,
        beta=beta,
        verdict=verdict,
    )


def checked(codes: np.ndarray, *, converged: bool = True, verdict: Verdict | None = None) -> Checks:
    measurements = [measurement((n,), [50, 50, 1], 4, step=i) for i, n in enumerate(("a", "b"))]
    evidence = Evidence(codebook=CODEBOOK, answers=tuple(measurements), total=100.0)
    return run_checks(evidence, codes, converged=converged, beta=0.1, verdict=verdict)


GOOD = np.array([[0, 1], [1, 0]] * 50)


def test_a_sound_table_passes_and_has_a_bound_per_candidate() -> None:
    checks = checked(GOOD)
    assert checks.flags == () and not checks.blocked
    assert [b.clique for b in checks.bounds] == [("a",), ("b",), ("a", "b")]
    assert [b.kind for b in checks.bounds] == ["measured", "measured", "none"]
    assert len(checks.residuals) == 2 and checks.violations == {"a and b are never both x": 0}


def test_nothing_is_claimed_of_a_column_that_lost_records_nor_of_its_pairs() -> None:
    strict = Column(name="b", kind=Kind.CATEGORY, values=("x", "y"), blank=False)
    axes = (AXES[0], Axis(column=strict, labels=("x", "y")))
    schema = replace(SCHEMA, columns=tuple(axis.column for axis in axes))
    counts = {"a": [500, 500, 1], "b": [500, 1], ("a", "b"): [[250, 1]] * 2 + [[0, 0]]}
    answers = tuple(
        measurement(tuple(clique), stated, 4, step=step)
        for step, (clique, stated) in enumerate(counts.items())
    )
    checks = run_checks(
        Evidence(codebook=Codebook(schema=schema, axes=axes), answers=answers, total=1001.0),
        np.array([[0, 0], [1, 0]] * 50),
        converged=True,
    )
    assert checks.incomplete == {"b"}
    assert [b.kind for b in checks.bounds] == ["measured", "none", "none"]
    assert [b.tvd is None for b in checks.bounds] == [False, True, True]
    assert Checks.from_json(checks.to_json()).incomplete == {"b"}


def test_each_kind_of_trouble_arrives_and_blocks() -> None:
    assert {f.code for f in checked(np.zeros((100, 2), dtype=int)).flags} == {
        "rule_broken",
        "constant_column",
        "strained",
    }
    assert checked(np.zeros((100, 2), dtype=int)).blocked
    assert checked(GOOD, converged=False).blocked


def test_the_json_is_plain_and_says_what_was_not_claimed() -> None:
    text = json.dumps(checked(GOOD).to_json(), allow_nan=False)
    back = json.loads(text)
    assert back["confidence"] == 0.9 and back["blocked"] is False
    assert back["bounds"][2] == {
        "clique": ["a", "b"],
        "kind": "none",
        "l1_counts": None,
        "tvd": None,
        "beta": 0.1,
        "step": None,
    }


def test_what_was_written_down_can_be_read_again() -> None:
    for made in (checked(GOOD), checked(GOOD[:1].repeat(100, axis=0) * 0, converged=False)):
        stated = made.to_json()
        again = Checks.from_json(json.loads(json.dumps(stated)))
        assert again.to_json() == stated
        assert [type(b.kind) for b in again.bounds] == [type(b.kind) for b in made.bounds]
        assert again.flags == made.flags and again.blocked == made.blocked


def test_damaged_checks_are_a_mistake() -> None:
    stated = checked(GOOD).to_json()
    for broken in ({**stated, "bounds": [{"clique": ["a"]}]}, {**stated, "flags": 3}, {}):
        with pytest.raises(Mistake, match="checks"):
            Checks.from_json(broken)


def test_a_table_that_the_verdict_did_not_judge_keeps_its_whole_confidence() -> None:
    one = Judged(clique=("a",), error=Figure(estimate=0.2, sd=10.0))
    verdict = Verdict(tables=(one,), means={})
    plain, with_verdict = checked(GOOD), checked(GOOD, verdict=verdict)
    assert with_verdict.bounds[1] == plain.bounds[1]
    assert {b.beta for b in with_verdict.bounds} == {0.1}
    assert (plain.bounds[0].tvd or 0) < (with_verdict.bounds[0].tvd or 0) < 1
