"""Every sentence, entry and picture of the published papers is true of the run it is about.

The report (as a page and as Markdown), the sentences of the statement and the README are cut apart. Each must
be known to `fixed.txt`, which says of which runs it is true, or to `patterns.txt`, whose checks here work out
anew what it claims, from the declarations, the ledger and the tables (`conftest.Run`). What neither knows
fails, so nobody can add a sentence without saying how it is checked. A warning is a sentence of the checks
(`checks.json`), whose figures are tested where they are made (`tests/release/checks`).
"""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from synth import __version__
from synth.models.registry import GENERATORS
from synth.release.documents.report import BIASES
from synth.release.opened import Bundle
from tests.release.sentences.accuracy import reads_columns_alone
from tests.release.sentences.catalogue import FIXED, faults, is_true, split
from tests.release.sentences.guarantee import leans
from tests.release.sentences.misfits import exact_misfits, misfits_far_off
from tests.release.sentences.statement import SENTENCES, entries

Run = Any
"""`conftest.Run`; pytest does not let tests import from there."""
Check = Callable[..., object]


def test_every_sentence_is_known_and_true(runs: list[Run], cut: Callable[[Bundle], list[str]]) -> None:
    found = {run.name: faults(run, cut(run.opened)) for run in runs}
    assert {name: sentences for name, sentences in found.items() if sentences} == {}


def test_runs_of_every_kind_of_records_are_among_them(runs: list[Run]) -> None:
    assert {leans(run) for run in runs} == {"counts", "trained", "network", "votes"}
    assert set(BIASES) == {
        name for name, kind in GENERATORS.items() if kind.trains or kind.votes or name == "network"
    }


def test_what_a_generator_does_not_read_is_said_and_is_no_misfit(runs: list[Run]) -> None:
    said, _ = (sentence for sentence, check in FIXED.items() if check is reads_columns_alone)
    for run in runs:
        report = " ".join(run.opened.files[run.opened.layout.plain_report].decode().split())
        assert (said in report) == reads_columns_alone(run), run.name
    alone = next(run for run in runs if run.name == "alone")
    stated = {flag["code"]: flag for flag in alone.checks["flags"]}
    assert reads_columns_alone(alone) and "unrelated" in stated
    assert not any(len(f["columns"]) > 1 for code, f in stated.items() if code == "strained")


def test_the_third_section_tells_of_a_cap_where_there_was_one(runs: list[Run]) -> None:
    for run in runs:
        report = " ".join(run.opened.files[run.opened.layout.plain_report].decode().split())
        third = report[report.index("3. Accuracy") : report.index("4. Trust")]
        is_stated = ("in which each" in third, "units with many rows count less" in third)
        assert is_stated == (run.plan.schema.unit.id_column is not None,) * 2, run.name


def test_every_entry_of_the_statement_is_as_it_was(runs: list[Run]) -> None:
    for run in runs:
        stated = json.loads(json.dumps(run.opened.statement))
        unit, method, software = stated.pop("unit"), stated.pop("method"), stated.pop("software")
        assert bool(stated.pop("accuracy", [])) == ("verdict" in run.checks)  # `test_every_sentence` reads it
        expected = json.loads(json.dumps(entries(run)))
        assert method["parameters"] == expected.pop("parameters"), run.name
        assert (unit["name"], unit["max_rows"]) == (run.unit, run.plan.schema.unit.max_rows)
        assert software["marginalia"] == __version__
        assert {name: stated[name] for name in stated if name not in SENTENCES} == expected, run.name
        assert run.receipt["date"] in run.days


def test_shares_of_cells_that_do_not_fit_are_near_the_exact_ones(runs: list[Run]) -> None:
    assert {run.name: far for run in runs if (far := misfits_far_off(run))} == {}
    few = next(run for run in runs if run.name == "few")
    assert min(exact_misfits(few)[name, "unlisted"] for name in ("town", "job")) > 0.05, "a share to be found"


def test_a_missing_code_is_drawn_only_where_a_blank_is_allowed(runs: list[Run]) -> None:
    drawn = set()
    for run in runs:
        page = run.opened.files[run.opened.layout.report].decode()
        columns = run.plan.schema.modelled
        figures = re.findall(r'<figure class="panel">.*?</figure>', page, re.S)
        assert len(figures) == len(columns)
        for figure, column in zip(figures, columns, strict=True):
            grey = figure.count('class="bar blank"')
            # of a long list only the most frequent values are drawn, and missing may not be among them
            assert grey == column.blank or (column.blank and "more values" in figure and grey == 0)
            assert ("∅" in figure or "missing" in figure) <= column.blank
            drawn.add((column.kind.value, column.blank))
    assert {("date", False), ("ordered", False), ("category", True), ("integer", True)} <= drawn


def test_no_mark_of_another_language_is_left_in_the_page(runs: list[Run]) -> None:
    for run in runs:
        page = run.opened.files[run.opened.layout.report].decode()
        assert not re.search(r"\*\*|`|\{\w*\}|&amp;(amp|lt|times)", page), run.name


@pytest.mark.long
def test_a_wrong_figure_or_word_is_noticed(runs: list[Run], cut: Callable[[Bundle], list[str]]) -> None:
    unnoticed = []
    for run in runs:
        for line in cut(run.opened):
            for sentence in [line] if is_true(run, line) else split(line):
                unnoticed += [wrong for wrong in wrongs(sentence) if is_true(run, wrong)]
    assert unnoticed == []


def wrongs(sentence: str) -> Iterator[str]:
    """A sentence with one of its whole numbers changed, or *not* put before one of its words."""
    for figure in re.finditer(r"\d+", sentence):
        yield f"{sentence[: figure.start()]}{int(figure[0]) + 1}{sentence[figure.end() :]}"
    for space in list(re.finditer(" ", sentence))[:-1:4]:
        yield f"{sentence[: space.start()]} not{sentence[space.start() :]}"
