from __future__ import annotations

from dataclasses import replace

from synth.bench.privacy.gate_verdict import Gate
from synth.bench.report.summary import as_markdown, as_text, papers, verdicts
from synth.bench.trials.results import FAILED, Record

ONE = Record(table="adult", method="aim", epsilon=1.0, delta=1e-9, run=0, figure="tvd2", value=0.04)
RUNS = [
    ONE,
    replace(ONE, run=1, value=0.06),
    replace(ONE, figure="seconds", value=1.0),
    replace(ONE, run=1, figure="seconds", value=2.0),
    replace(ONE, method="product", part="reference", epsilon=None, delta=None, value=0.077),
]
LIBRARY = [
    replace(ONE, method="mbi-mst", part="peer", value=0.08),
    replace(ONE, method="mbi-mst", part="peer", figure="seconds", value=90.0),
]


def test_the_table_gives_means_and_spread_over_runs() -> None:
    header, aim, product = as_text(RUNS).splitlines()
    assert header.split() == ["table", "task", "method", "epsilon", "runs", "TVD2", "seconds"]
    assert "0.0500 (0.0141)" in aim and "1.50" in aim and aim.split()[4] == "2"
    assert product.split()[2:4] == ["product", "-"] and "0.0770" in product and "(" not in product


def test_a_failure_stands_in_the_table_with_its_reason() -> None:
    failed = replace(ONE, method="dpmm-aim", part="peer", figure=FAILED, value=1.0, note="out of memory")
    assert "failed 1: out of memory" in as_text([*RUNS, failed])


def test_the_block_for_the_readme_has_machine_table_and_sentences() -> None:
    session = {
        "started": "2026-11-21 04:00 UTC",
        "machine": "x86_64 Chip",
        "cores": "1",
        "command": "bench --preset quick",
    }
    told = as_markdown([*RUNS, *LIBRARY], {"sessions": [session]})
    assert "2026-11-21" in told and "`bench --preset quick`" in told and "x86_64 Chip" in told
    assert "| adult | `aim` | 1 | 2 | 0.0500 (0.0141) | - | 1.50 | - |" in told
    assert "| adult | product (not private) | - | 1 | 0.0770 |" in told
    assert "times as fast as mbi-mst" in told and "Where we lose" not in told


def test_verdicts_mark_what_was_lost() -> None:
    better = [replace(r, value=r.value / 100) for r in LIBRARY]
    assert any(line.startswith("Lost. adult, epsilon 1: mbi-mst") for line in verdicts([*RUNS, *better]))
    assert not any(line.startswith("Lost.") for line in verdicts([*RUNS, *LIBRARY]))


def test_what_does_not_pass_the_gate_is_compared_nowhere_and_its_line_says_so() -> None:
    session = {"started": "2026-11-21 04:00 UTC", "machine": "m", "cores": "1", "command": "c"}
    told = as_markdown([*RUNS, *LIBRARY], {"sessions": [session]}, Gate([]))
    assert "`mbi-mst` (not counted: not judged)" in told and "times as fast as" not in told
    measured = replace(ONE, table="bank-split", delta=1e-5, figure="fidelity_apart", value=0.0001)
    assert "beaten" in papers([measured])[0]
    assert "beaten" not in papers([measured], Gate([]))[0] and "not judged" in papers([measured], Gate([]))[0]
