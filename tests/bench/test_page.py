from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from synth.bench.page import html
from synth.bench.results import Record

ONE = Record(table="adult", method="grove", epsilon=1.0, delta=1e-9, run=0, figure="tvd2", value=0.04)
RUNS = [
    ONE,
    replace(ONE, figure="seconds", value=2.0),
    replace(ONE, method="dpmm-mst", part="peer", value=0.06),
    replace(ONE, method="dpmm-mst", part="peer", figure="seconds", value=90.0),
]
TOLD: dict[str, Any] = {
    "sessions": [{"started": "2026-11-21 04:00 UTC", "preset": "quick", "command": "bench", "numpy": "2.4"}],
    "peers": {"dpmm": {"numpy": "1.26.4"}},
}


def test_the_page_needs_nothing_but_itself() -> None:
    page = html(RUNS, TOLD)
    assert "<script" not in page and not re.search(r'(src|href)="', page) and "url(" not in page
    assert page.count("<svg") >= 3 and "prefers-color-scheme: dark" in page


def test_it_says_how_we_stand_and_where_we_lose_from_the_records() -> None:
    page = html(RUNS, TOLD)
    assert (
        "45.0 times" in page
        and "2.00 s against 90.00 s of dpmm-mst" in page
        and "In nothing that this benchmark measured." in page
    )
    lost = html([*RUNS, replace(ONE, method="dpmm-aim", part="peer", value=0.01)], TOLD)
    assert "dpmm-aim has a lower 2-way TVD" in lost and "In nothing" not in lost


def test_it_tells_what_is_known_of_a_library_that_was_run_and_of_no_other() -> None:
    page = html(RUNS, TOLD)
    assert "dpmm==0.1.9" in page and "numpy 1.26.4" in page and "Mersenne" in page
    assert "smartnoise" not in page


def test_it_tells_machine_and_command() -> None:
    page = html(RUNS, TOLD)
    assert "2026-11-21 04:00 UTC" in page and "<dt>numpy</dt><dd>2.4</dd>" in page
