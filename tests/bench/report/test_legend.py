from __future__ import annotations

from synth.bench.metrics import BY_NAME, METRICS
from synth.bench.report.legend import legend, sentence_of


def test_every_column_that_there_may_be_has_a_sentence() -> None:
    told = {metric.name: sentence_of(metric) for metric in METRICS}
    assert all(sentence.endswith(".") and len(sentence) > 20 for sentence in told.values())


def test_only_columns_of_the_page_are_told() -> None:
    told = legend([BY_NAME["covered"]], gate=False)
    assert list(told) == ["runs", "epsilon", "covered"]
    assert "gate" in legend([], gate=True)
