"""Every variable moves what it says it moves, in the list and in a real release by a detached worker."""

import json
import os
import subprocess
import sys

import pytest

from synth.cli import main
from synth.cli.where import NETWORK, UNKNOWN
from synth.core.system import disks

ONE = ("--unit", "person", "--max-rows", "1")
LINE = [
    *("release", "--data", "t.csv", "--schema", "s.json", "--epsilon", "1", "--delta", "1e-9"),
    *("--lifetime-epsilon", "10", "--method", "independent", "--out", "out", "--yes", "--json"),
]
VARIABLES = ("MARGINALIA_HOME", "MARGINALIA_LEDGER", "MARGINALIA_FOLDER", "XDG_DATA_HOME")


@pytest.fixture
def run_bare(workdir, tmp_path):
    """Run a command with nothing in the environment but a path and what is given; the objects it prints."""

    def run(*arguments, code=0, **variables):
        bare = {"PATH": os.environ["PATH"], "HOME": str(tmp_path / "user"), **variables}
        done = subprocess.run(
            [sys.executable, "-m", "synth", *arguments],
            env={name: value for name, value in bare.items() if value is not None},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        assert done.returncode == code, done.stderr + done.stdout
        return [json.loads(line) for line in done.stdout.splitlines()]

    return run


@pytest.mark.long
@pytest.mark.parametrize(
    ("variables", "home", "ledger"),
    [
        ({}, "user/.local/share/marginalia", None),
        (
            {"MARGINALIA_LEDGER": "~/books/l.sqlite", "XDG_DATA_HOME": "{at}/data"},
            "data/marginalia",
            "user/books/l.sqlite",
        ),
        (
            {
                "MARGINALIA_HOME": "{at}/my place/Größe/",
                "LC_ALL": "C",
                "TMPDIR": "{at}/none",
                "HOME": None,
                "PYTHONPATH": "lib",
                "PYTHONUTF8": "0",
                "PYTHONWARNINGS": "error",
            },
            "my place/Größe",
            None,
        ),
    ],
    ids=["none", "ledger apart", "odd places"],
)
def test_a_release_finds_everything_where_it_is_told(run_bare, tmp_path, variables, home, ledger):
    given = {name: value and value.format(at=tmp_path) for name, value in variables.items()}
    home = tmp_path / (home or "user/.local/share/marginalia")
    ledger = tmp_path / ledger if ledger else home / "ledger.sqlite"
    before = {place["name"]: place for place in run_bare("where", "--json", **given)}
    assert (before["home"]["path"], before["ledger"]["path"]) == (str(home), str(ledger))
    assert not before["ledger"]["exists"] and not home.exists()
    run = run_bare(*LINE, "--detach", **given)[-1]["run"]
    end = run_bare("jobs", "follow", run, "--json", **given)[-1]
    assert (end["event"], end["state"]) == ("result", "done")
    assert ledger.is_file() and (home / "jobs" / run / "spec.json").is_file()
    assert [one.name for one in tmp_path.rglob("*.sqlite")] == [ledger.name]
    after = {place["name"]: place["exists"] for place in run_bare("where", "--json", **given)}
    assert after["home"] and after["ledger"] and after["jobs"] and after["known files"]


@pytest.mark.parametrize("variable", VARIABLES[:3])
def test_a_relative_place_is_refused_before_anything_is_made(run_bare, tmp_path, variable):
    before = sorted(tmp_path.rglob("*"))
    for command in (["where"], ["app", "--no-browser"], *([LINE] if variable != VARIABLES[2] else [])):
        (error,) = run_bare(
            *command, *([] if "--json" in command else ["--json"]), code=2, **{variable: "here"}
        )
        assert f"{variable} is 'here'" in error["sentence"]
    assert sorted(tmp_path.rglob("*")) == before


def test_a_named_home_says_where_its_ledger_is(run_bare, tmp_path):
    run_bare("ledger", "open", "survey-2024", *ONE, "--epsilon", "5", "--reason", "test", "--json")
    old, new = tmp_path / "user/.local/share/marginalia/ledger.sqlite", tmp_path / "new"
    listed = run_bare("where", "--json", MARGINALIA_HOME=str(new))
    assert [place["path"] for place in listed if place["name"] == "ledger"] == [str(new / "ledger.sqlite")]
    end = run_bare(*LINE, MARGINALIA_HOME=str(new), MARGINALIA_LEDGER=str(old))[-1]
    assert end["state"] == "done" and not (new / "ledger.sqlite").exists()


def test_a_place_that_cannot_be_written_is_a_sentence(run_bare, tmp_path):
    (tmp_path / "file").write_text("no folder")
    run_bare("where", "--json", MARGINALIA_HOME=str(tmp_path / "file"))
    error = run_bare(*LINE, code=2, MARGINALIA_HOME=str(tmp_path / "file"))[-1]
    assert str(tmp_path / "file") in error["sentence"] and "MARGINALIA_HOME" in error["sentence"]


@pytest.mark.parametrize(("disk", "warning"), [("nfs4", NETWORK), ("9p", UNKNOWN), ("ext4", "")])
def test_a_ledger_on_a_network_disk_is_refused(workdir, tmp_path, monkeypatch, capsys, disk, warning):
    mounts = tmp_path / "mountinfo"
    mounts.write_text(f"30 22 0:40 / {tmp_path} rw - {disk} server:/export rw\n")
    monkeypatch.setattr(disks, "MOUNTS", mounts)
    assert main(["where", "--json"]) == 0
    listed = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    ledger = next(place for place in listed if place["name"] == "ledger")
    assert (ledger["disk"], ledger["warning"]) == (disk, warning)
    opened = main(["ledger", "open", "p", *ONE, "--epsilon", "1", "--reason", "test"])
    said = capsys.readouterr().err
    if disk == "nfs4":
        assert opened == 2 and "network disk (nfs4)" in said and "MARGINALIA_LEDGER" in said
        assert not (tmp_path / "ledger.sqlite").exists()
    else:
        assert opened == 0
        assert main(LINE[:-2]) == 2  # nobody agrees
        assert (bool(warning), f"disk of type {disk}" in capsys.readouterr().err) in (
            (True, True),
            (False, False),
        )
