import json
from dataclasses import replace

import pytest

from synth.app.jobs.spec import RunSpec
from synth.app.jobs.store import Job, State, Status
from synth.cli.console import Console
from synth.cli.follow import report_end
from synth.core.errors import SENTENCES, Code, NothingFound


@pytest.fixture
def job(tmp_path):
    return Job.create(
        RunSpec(
            run="r", data="/t.csv", schema={}, population="p", epsilon=1.0, delta=1e-9, seed=1,
            out=str(tmp_path / "o"), ledger="/l",
        )
    )  # fmt: skip


def test_an_early_end_says_what_stays_spent_and_how_to_go_on(job, capsys):
    end = Status(state=State.LOST, sentence="The worker died.", exit_code=6, spent=2 * 10**9, reserved=10**10)
    report_end(job, end, Console())
    err = capsys.readouterr().err
    for part in ("The worker died.", "rho 0.002 of 0.01 reserved", "--resume r", "ledger discard r"):
        assert part in err


def test_where_nothing_was_spent_nothing_stays_spent(job, capsys):
    end = Status(state=State.FAILED, sentence=SENTENCES[Code.HEADER_MISMATCH], spent=0, reserved=10**10)
    report_end(job, end, Console())
    err = capsys.readouterr().err
    assert "rho 0 of 0.01 reserved; nothing was spent" in err and "stays spent" not in err
    for cause in ("duplicate column name", "delimiter", "an empty file"):
        assert cause in err


def test_a_run_that_would_end_as_before_is_not_advised_to_resume(job, capsys):
    end = Status(state=State.FAILED, code=NothingFound.code, sentence="None.", spent=10**9, reserved=10**10)
    report_end(job, end, Console())
    err = capsys.readouterr().err
    assert "ledger discard r" in err and "--resume" not in err


def test_nothing_reserved_means_nothing_to_go_on_with(job, capsys):
    end = Status(state=State.FAILED, sentence="You typed 3.", exit_code=2, spent=0, reserved=0)
    report_end(job, end, Console())
    assert capsys.readouterr().err == "marginalia: You typed 3.\n"


def test_a_paused_run_says_how_to_go_on_also_before_it_reserved(job, capsys):
    end = Status(state=State.PAUSED, sentence="The ledger was busy.", exit_code=5, spent=0, reserved=0)
    report_end(job, end, Console())
    assert "marginalia release --resume r" in capsys.readouterr().err


def test_a_reference_is_passed_on(job, capsys):
    end = Status(state=State.FAILED, sentence="Stopped.", reference="0badcafe", exit_code=1)
    report_end(job, replace(end, spent=0), Console(as_json=True))
    shown = capsys.readouterr()
    assert "(reference 0badcafe)" in shown.err
    assert '"reference": "0badcafe"' in shown.out
    known = {"reference": "0badcafe", "kind": "KeyError", "where": ["synth/a.py:1", "synth/b.py:2"]}
    job.keep("fault.json", json.dumps(known))
    report_end(job, replace(end, spent=0), Console())
    assert "(KeyError at synth/b.py:2, reference 0badcafe)" in capsys.readouterr().err
