import pytest

from synth.app.jobs.spec import RunSpec
from synth.app.jobs.store import Job, State, Status
from synth.cli.console import Console
from synth.cli.follow import report_end
from synth.core.errors import NothingFound


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


def test_a_run_that_would_end_as_before_is_not_advised_to_resume(job, capsys):
    end = Status(state=State.FAILED, code=NothingFound.code, sentence="None.", spent=10**9, reserved=10**10)
    report_end(job, end, Console())
    err = capsys.readouterr().err
    assert "ledger discard r" in err and "--resume" not in err


def test_a_paused_run_says_how_to_go_on_also_before_it_reserved(job, capsys):
    end = Status(state=State.PAUSED, sentence="The ledger was busy.", exit_code=5, spent=0, reserved=0)
    report_end(job, end, Console())
    assert "marginalia release --resume r" in capsys.readouterr().err
