import json

import pytest

from synth.app.jobs import runner
from synth.cli import main

LINE = [
    *("release", "--data", "t.csv", "--schema", "s.json", "--epsilon", "1", "--delta", "1e-9"),
    *("--lifetime-epsilon", "10", "--out", "out", "--yes", "--detach", "--json"),
]
SLOW = ["--method", "aim", "--option", "rounds=10000", "--epsilon", "9"]


def printed(capsys):
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_a_run_is_listed_cancelled_resumed_and_discarded(workdir, capsys):
    assert main([*LINE, *SLOW]) == 0
    run = printed(capsys)[-1]["run"]
    assert main(["jobs", "list", "--json"]) == 0
    (listed,) = printed(capsys)
    assert listed["run"] == run
    assert listed["state"] in ("queued", "running")
    assert main(["jobs", "cancel", run]) == 0
    assert "stopped" in capsys.readouterr().err
    assert main(["jobs", "status", run, "--json"]) == 0
    assert printed(capsys)[-1]["state"] == "cancelled"
    assert main(["jobs", "cancel", run]) == 2
    assert main(["jobs", "resume", run]) == 0
    assert (workdir / "out/data/synthetic.csv").exists()
    assert main(["jobs", "resume", run]) == 2
    assert main(["ledger", "discard", run]) == 2


def test_a_cancelled_run_can_be_given_back(workdir, capsys):
    main([*LINE, *SLOW])
    run = printed(capsys)[-1]["run"]
    assert main(["jobs", "cancel", run, "--force"]) == 0
    capsys.readouterr()
    assert main(["ledger", "discard", run, "--json"]) == 0
    (end,) = printed(capsys)
    from synth.app.jobs.store import Job

    assert end["units_spent"] == runner.status(Job.find(run)).spent
    assert main(["jobs", "status", run]) == 0
    assert f"spent      rho {end['units_spent'] / 1e12:.6g}\n" in capsys.readouterr().out


@pytest.mark.long
def test_one_file_under_two_populations_is_told_and_needs_a_word(workdir, capsys):
    quick = [part for part in LINE if part != "--detach"]
    assert main(quick) == 0
    printed(capsys)
    schema = json.loads((workdir / "s.json").read_text())
    (workdir / "s.json").write_text(json.dumps({**schema, "population": "elsewhere"}))
    assert main([part if part != "out" else "second" for part in quick]) == 2
    seen = capsys.readouterr()
    assert "If these are the same people" in seen.err + seen.out
    assert main(["jobs", "list", "--json"]) == 0
    run = printed(capsys)[-1]["run"]
    assert main(["jobs", "resume", run]) == 2
    assert f"marginalia jobs resume {run} --other-people" in capsys.readouterr().err
    assert not (workdir / "second").exists()
    assert main(["jobs", "resume", run, "--other-people"]) == 0
    assert (workdir / "second/data/synthetic.csv").exists()
