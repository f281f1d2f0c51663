"""The questions of the benchmark of intervals, and what rows say about them."""

from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from synth.analyst.kit import Kit
from synth.analyst.measured import Measured
from synth.bench import answers
from synth.core.accounting import GAUSSIAN
from synth.core.axis import domain_of
from synth.core.codebook import Codebook
from synth.core.discretisation import resolve_axes
from synth.core.evidence import Evidence
from synth.core.measurements.noisy import Measurement
from synth.rules import parse_rules

AXES = resolve_axes(answers.schema(), parse_rules([], answers.schema()))


def test_rows_answer_in_the_values() -> None:
    table = answers.drawn(20_000, np.random.default_rng(1))
    rows, low = answers.Rows.of(table, AXES), range(8)  # eight bins of two values
    group = table[table.c <= 15]
    ask = answers.Question
    share = ask(kind="share of a group", where={"a": [0]}, of={"c": low}).plain(rows, scale=5_000)
    count = ask(kind="one value", where={"a": [0]}).plain(rows, scale=5_000)
    gap = ask(kind="", column="e", where={"a": [0]}, of={"a": [1]}, minus=True).plain(rows, scale=5_000)
    less = ask(kind="", where={"c": low}, of={"a": [0]}, minus=True).plain(rows, scale=20_000)
    middle = ask(kind="quantile", column="e", at=0.9).plain(rows, scale=5_000)
    assert share is not None and share[0] == pytest.approx((group.a == 0).mean())
    assert count is not None and count[0] == pytest.approx(5_000 * (table.a == 0).mean())
    means = table.groupby("a").e
    error = np.sqrt((means.var(ddof=0) / means.count()).sum())
    assert gap is not None and gap[0] == pytest.approx(means.mean()[0] - means.mean()[1])
    assert gap[2] - gap[0] == pytest.approx(1.96 * error, rel=1e-3)
    assert less is not None and less[0] == pytest.approx(len(group) - (table.a == 0).sum())
    assert middle is not None and middle[0] == np.quantile(table.e, 0.9, method="inverted_cdf")


def test_a_question_means_the_same_codes_to_the_kit_and_to_rows() -> None:
    """All pairs are measured without noise, so both have the same figures."""
    table = answers.drawn(2_000, np.random.default_rng(2))
    rows, domain = answers.Rows.of(table, AXES), domain_of(AXES)
    measured = []
    for pair in combinations(domain.names, 2):
        counts = np.zeros(domain.shape(pair), dtype=np.int64)
        np.add.at(counts, tuple(rows.codes[name] for name in pair), 1)
        measured.append(
            Measurement(clique=pair, counts=counts, variance=Fraction(1, 10**9), units=1, law=GAUSSIAN)
        )
    codebook = Codebook(schema=answers.schema(), axes=AXES)
    evidence = Evidence(codebook=codebook, answers=tuple(measured), total=2_000.0)
    given: dict[str, Any] = {"spec": {}, "generator": "", "checks": {"bounds": ()}}
    given["rows"] = lambda: table
    kit, kinds = Kit(Measured(evidence=evidence, **given)), set()
    for question in answers.questions(AXES):
        found, want = question.ask(kit), question.plain(rows, scale=2_000)
        assert found.interval is not None and want is not None
        if question.at or "bins" in question.kind:
            assert found.interval[0] <= want[0] <= found.interval[1], question
        else:
            assert found.estimate == pytest.approx(want[0], rel=1e-6, abs=1e-3), question
        kinds.add(question.kind)
    assert len(kinds) == 12
