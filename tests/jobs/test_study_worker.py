"""The worker's own duties: an answer before the end, an end for every fault, and no word of its cause."""

import json
from dataclasses import asdict

import pytest

from synth.errors import Cancelled, Code, Mistake, Refusal
from synth.jobs import look, study_worker
from synth.jobs.locks import hold
from synth.jobs.store import State, Status
from synth.jobs.study import Kind, Order, Study
from synth.progress import Progress

CANARY = "canary-1d2e"


@pytest.fixture
def study(tmp_path):
    place = Study(tmp_path)
    place.keep("order.json", json.dumps(asdict(Order(kind=Kind.STEWARD, runs=("r",)))))
    place.write_status(Status(state=State.QUEUED))
    return place


def working(monkeypatch, work):
    monkeypatch.setattr(look, "look", work)


def test_an_answer_is_kept_and_progress_is_told(study, monkeypatch):
    def work(order, report):
        report(Progress(stage="read", done=0.5, fact="reading"))
        assert study.status().done == 0.5
        return {"runs": list(order.runs)}

    working(monkeypatch, work)
    assert study_worker.run(study) == 0
    assert study.status().state is State.DONE
    assert study.answer() == {"runs": ["r"]}


@pytest.mark.parametrize(
    ("error", "state", "code"),
    [
        (Mistake("You typed 3."), State.FAILED, "mistake"),
        (Refusal(Code.FILE_UNREADABLE), State.FAILED, "file_unreadable"),
        (Cancelled("stop"), State.CANCELLED, "cancelled"),
        (KeyError(CANARY), State.FAILED, "internal"),
    ],
)
def test_every_end_is_told_without_a_value(study, monkeypatch, error, state, code):
    def work(order, report):
        raise error

    working(monkeypatch, work)
    assert study_worker.run(study) != 0
    end = study.status()
    assert (end.state, end.code) == (state, code)
    assert end.sentence
    assert study.answer() is None
    assert not any(CANARY.encode() in p.read_bytes() for p in study.folder.iterdir())


def test_an_answer_that_is_no_number_is_no_answer(study, monkeypatch):
    working(monkeypatch, lambda order, report: {"x": float("nan")})
    study_worker.run(study)
    assert study.status().state is State.FAILED
    assert study.answer() is None


def test_a_study_in_other_hands_is_left_alone(study, monkeypatch):
    working(monkeypatch, lambda order, report: pytest.fail("ran twice"))
    with hold(study.lock):
        assert study_worker.run(study) == 0
    assert study.status().state is State.QUEUED
