"""Every sentence of the published papers is true of the run it is about.

The report (as a page and as Markdown), the sentences of the statement and the README are cut apart. Each must
be known to `fixed.txt`, which says of which runs it is true, or to `patterns.txt`, whose checks here work out
anew what it claims, from the declarations, the ledger and the tables (`conftest.Run`). What neither knows
fails, so nobody can add a sentence without saying how it is checked. A warning is a sentence of the checks
(`checks.json`), whose figures are tested where they are made (`tests/release/checks`).
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from synth.models.registry import GENERATORS
from synth.release.documents.report import BIASES
from synth.release.opened import Bundle
from tests.release.sentences.accuracy import reads_columns_alone
from tests.release.sentences.catalogue import FIXED, faults, is_true, split
from tests.release.sentences.guarantee import leans

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
