import re
from dataclasses import replace
from typing import Any

from synth.bench.privacy.gate_verdict import Gate, Verdict
from synth.bench.report.report import as_text, html
from synth.bench.trials.results import FAILED, Record

ONE = Record(table="adult", method="grove", epsilon=1.0, delta=1e-9, run=0, figure="tvd2", value=0.04)
RUNS = [
    ONE,
    replace(ONE, figure="seconds", value=2.0),
    replace(ONE, method="dpmm-mst", part="peer", value=0.06),
    replace(ONE, method="dpmm-mst", part="peer", figure="seconds", value=90.0),
    replace(ONE, method="product", part="reference", epsilon=None, delta=None, value=0.077),
]
TOLD: dict[str, Any] = {
    "sessions": [{"started": "2026-11-21 04:00 UTC", "preset": "quick", "command": "bench", "numpy": "2.4"}],
    "peers": {"dpmm": {"numpy": "1.26.4"}},
}


def test_the_page_needs_no_other_file_and_names_what_was_run() -> None:
    page = html(RUNS, TOLD)
    assert page.count("<script>") == 1 and "<script " not in page and "url(" not in page
    assert not re.search(r'(src|href)="', page)
    assert "2026-11-21 04:00 UTC" in page and "<dt>numpy</dt><dd>2.4</dd>" in page
    assert (
        "dpmm==0.1.9" in page and "1.26.4" in page and "Mersenne" in page and "smartnoise-synth" not in page
    )
    assert "<small>not private" in page and "<small>library" in page and "0.0400" in page
    assert "TVD 2-way</th>" in page and "fidelity error</th>" not in page


def test_verdicts_of_the_gate_are_shown_for_the_version_that_was_run() -> None:
    library = Verdict(
        entry="dpmm-mst", versions="dpmm==0.1.9", command="gate dpmm-mst", epsilon=1.0, delta=1e-5,
        draws=3, declared=0.03, spent=0.03, findings=("It was seen to fail.",),
    )  # fmt: skip
    page = html(RUNS, TOLD, gate=Gate([library]))
    assert page.count('class="failed">does not pass') == 2 and "It was seen to fail." in page
    other = html(RUNS, TOLD, gate=Gate([replace(library, versions="dpmm==0.1.8")]))
    assert 'class="failed">not judged' in other


def test_a_failure_is_in_its_row_and_escaped() -> None:
    failed = replace(ONE, method="dpmm-aim", part="peer", figure=FAILED, value=1.0, note="stopped & <more>")
    assert "no table: stopped &amp; &lt;more&gt;" in html([*RUNS, failed], TOLD)
    assert "Failed. adult, all-2way, epsilon 1: dpmm-aim" in as_text([*RUNS, failed])


def test_the_text_has_a_row_for_every_outcome() -> None:
    header, *rows = as_text([*RUNS, replace(ONE, run=1, value=0.06)]).splitlines()
    assert header.split()[:4] == ["table", "task", "method", "epsilon"] and len(rows) == 3
    assert "0.0500 (0.0141)" in rows[0] and "grove" in rows[0]
