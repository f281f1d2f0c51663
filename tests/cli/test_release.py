"""The contract line and everything it promises."""

import csv
import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest

from synth.app.jobs.store import Job, State, Status, now
from synth.cli import main
from synth.cli.parser import parse
from synth.cli.release import spec_of
from synth.core.accounting import limit_for
from synth.core.errors import Mistake
from synth.core.schema import ProtectedChange
from synth.private.ledger import Ledger
from tests.ledgers import halfway

LINE = [
    *("release", "--data", "t.csv", "--schema", "s.json", "--epsilon", "1", "--delta", "1e-9"),
    *("--lifetime-epsilon", "10", "--most-unfit", "1", "--method", "aim", "--out", "out", "--yes"),
]
"""The table misfits on purpose, so noise alone could stop a run; what is typed later wins."""
NEW_FILES = ("config/spec.json", "privacy/statement.json")
ONE = limit_for(1, 1e-9).gaussian_units


def objects(text):
    return [json.loads(line) for line in text.splitlines()]


def test_the_contract_line_writes_table_and_statement(workdir, marginalia, canary):
    done = marginalia(*LINE, "--rules", "r.json", "--rows", "400")
    assert done.returncode == 0, done.stderr
    assert "opens one with epsilon" in done.stderr
    rows = list(csv.DictReader((workdir / "out/data/synthetic.csv").read_text().splitlines()))
    assert len(rows) == 400
    assert list(rows[0]) == ["age", "income", "joined", "school", "status", "ward"]
    assert not [r for r in rows if r["age"] and int(r["age"]) <= 15 and r["status"] == "married"]
    stated = json.loads((workdir / "out/privacy/statement.json").read_text())
    assert (stated["epsilon"], stated["delta"], stated["unit"]["max_rows"]) == (1.0, 1e-9, 1)
    assert stated["neighbours"] == "add-or-remove-one-unit"
    assert stated["rho"] == pytest.approx(ONE * 1e-12)
    assert sum(part["units"] for part in stated["spend"]) == ONE
    assert marginalia("verify", "out").returncode == 0
    left_behind = [done.stdout.encode(), done.stderr.encode()]
    left_behind += [p.read_bytes() for p in workdir.parent.rglob("*") if p.is_file() and p.name != "t.csv"]
    assert not [text for text in left_behind if canary.encode() in text]


def test_machines_get_one_object_per_line(workdir, marginalia):
    done = marginalia(*LINE, "--json")
    assert done.returncode == 0, done.stderr
    found = objects(done.stdout)
    assert [o["event"] for o in found][:2] == ["quote", "started"]
    assert {"progress"} == {o["event"] for o in found[2:-1]}
    assert all(set(o) == {"event", "run", "at", "stage", "done", "fact"} for o in found[2:-1])
    end = found[-1]
    assert (end["event"], end["state"], end["exit_code"]) == ("result", "done", 0)
    assert end["out"] == str(workdir / "out")
    assert end["units_spent"] <= ONE == found[0]["units"]


def test_a_refusal_before_the_start_makes_no_job(workdir, tmp_path, capsys):
    Ledger(tmp_path / "ledger.sqlite").open_population(
        "survey-2024", units=ONE - 1, reason="too little", protects=ProtectedChange(max_rows=1)
    )
    assert main(LINE) == 3
    said = "epsilon 1 was requested at delta 1e-9, where at most epsilon 0.99 is left"
    assert said in capsys.readouterr().err
    assert not (tmp_path / "home" / "jobs").exists()


def test_no_line_is_opened_beyond_the_lifetime_that_was_typed(workdir, tmp_path, capsys):
    assert main([*LINE, "--epsilon", "8", "--lifetime-epsilon", "4"]) == 3
    assert "open the lifetime budget with a higher limit" in capsys.readouterr().err
    assert not (tmp_path / "ledger.sqlite").exists()


def test_a_release_opens_no_line_unless_it_is_told_to(workdir, tmp_path, capsys):
    typed = [word for word in LINE if word not in ("--lifetime-epsilon", "10")]
    assert main(typed) == 2
    err = capsys.readouterr().err
    assert "'survey-2024' has no lifetime budget" in err
    assert "marginalia ledger open survey-2024 --unit person --max-rows 1 --epsilon 10 --reason" in err
    assert not (tmp_path / "ledger.sqlite").exists()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (["--data", "no.csv"], "No table found at 'no.csv'"),
        (["--schema", "no.json"], "no schema at 'no.json'"),
        (["--rules", "no.json"], "no file of rules at 'no.json'"),
        (["--epsilon", "0"], "you gave 0.0"),
        (["--delta", "2"], "you gave 2.0"),
        (["--delta", "0.5"], "at most 0.001"),
        (["--rows", "-1"], "you gave -1"),
        (["--option", "rounds"], "'rounds' is not an option"),
        (["--method", "ami"], "'ami'"),
        (["--out", "."], "not an empty folder"),
        (["--out", "t.csv/out"], "t.csv/out' cannot be written to (Not a directory)"),
        (["--rehearsal", "1"], "declares public"),
        (["--resume", "nobody"], "no run 'nobody'"),
    ],
)
def test_a_mistake_is_one_sentence_and_spends_nothing(workdir, tmp_path, capsys, change, said):
    assert main([*LINE, *change]) == 2
    err = capsys.readouterr().err
    assert said in err
    assert err.startswith("marginalia: ")
    assert len(err.splitlines()) == 1
    assert err.endswith(" No budget was spent.\n") == ("--resume" not in change)
    assert not (tmp_path / "ledger.sqlite").exists()


def test_nobody_to_ask_means_no_release(workdir, marginalia, tmp_path):
    done = marginalia(*LINE[:-1])
    assert done.returncode == 2
    assert "Add --yes" in done.stderr
    assert not (tmp_path / "ledger.sqlite").exists()


@pytest.mark.parametrize(("typed", "code"), [("survey", 0), ("yes", 5)])
def test_the_last_sheet_asks_for_the_schemas_name(workdir, typed, code):
    server, terminal = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "synth", *LINE[:-1]],
        stdin=terminal,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as asking:
        os.write(server, f"{typed}\n".encode())
        _, sheet = asking.communicate(timeout=600)
    os.close(server)
    os.close(terminal)
    assert asking.returncode == code
    for part in ("one person", "survey-2024", "epsilon 1 at delta 1e-9", "now,", "cannot be undone"):
        assert part in sheet
    assert (workdir / "out").exists() is (code == 0)


@pytest.fixture
def ctrl_c():
    """A command started now listens to Ctrl-C, also where the tests run in the background: a shell without
    job control has such processes ignore it, and what is ignored stays so in their children."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield signal.SIGINT
    signal.signal(signal.SIGINT, before)


@pytest.mark.long
def test_ctrl_c_stops_politely_and_says_how_to_go_on(workdir, marginalia, tmp_path, ctrl_c):
    slow = ["--option", "rounds=10000", "--epsilon", "9"]
    with subprocess.Popen(
        [sys.executable, "-m", "synth", *LINE, *slow], stderr=subprocess.PIPE, text=True
    ) as running:
        with halfway(tmp_path / "ledger.sqlite", 5):  # the worker cannot end before it is stopped
            running.send_signal(ctrl_c)
            while not list(tmp_path.rglob("cancel")):
                assert running.poll() is None
                time.sleep(0.01)
        _, err = running.communicate(timeout=600)
    ledger = Ledger(tmp_path / "ledger.sqlite")
    assert running.returncode == 5, err
    (run,) = ledger.runs()
    assert "stays spent" in err
    assert f"release --resume {run.run}" in err
    assert 0 < run.spent < run.units
    before = {(a.part, a.step): a.blob for a in ledger.answers(run.run)}
    done = marginalia("release", "--resume", run.run, "--json")
    assert done.returncode == 0, done.stderr
    assert before.items() <= {(a.part, a.step): a.blob for a in ledger.answers(run.run)}.items()
    assert (workdir / "out/data/synthetic.csv").exists()


def test_a_resumed_run_puts_its_bundle_where_it_is_told_to(workdir, marginalia):
    job = Job.create(spec_of(parse([*LINE, "--method", "independent", "--out", "t.csv/out"])))
    job.write_status(Status(state=State.FAILED, at=now()))
    for typed in ([], ["--out", "t.csv/new"]):
        refused = marginalia("release", "--resume", job.run, *typed)
        assert refused.returncode == 2 and "cannot be written to (Not a directory)" in refused.stderr
    done = marginalia("release", "--resume", job.run, "--out", "new")
    assert done.returncode == 0 and f"Released to {workdir / 'new'}" in done.stdout, done.stderr
    assert marginalia("verify", "new").returncode == 0


def test_a_rehearsal_is_marked_and_spends_no_budget(workdir, marginalia, tmp_path):
    schema = json.loads((workdir / "s.json").read_text()) | {"file_is_public": True}
    (workdir / "public.json").write_text(json.dumps(schema))
    for out, seed in (("one", 4), ("two", 4), ("three", 5)):
        given = ["--schema", "public.json", "--method", "independent", "--rehearsal", seed, "--out", out]
        done = marginalia(*LINE, *given)
        assert done.returncode == 0, done.stderr
    assert (workdir / "one/data/REHEARSAL-synthetic.csv").exists()
    assert not (tmp_path / "ledger.sqlite").exists()
    noisy = [
        (workdir / out / "measurements/REHEARSAL-marginals.parquet").read_bytes()
        for out in ("one", "two", "three")
    ]
    assert noisy[0] == noisy[1] != noisy[2]


def test_the_next_release_copies_the_settings_of_a_run(workdir, marginalia):
    from synth.cli.parser import parse
    from synth.cli.release import spec_of

    means = ("--means", "income ~ age", "--means", "age by school", "--means-share", "0.1")
    assert marginalia(*LINE, "--rules", "r.json", "--verdict", "0.2", *means).returncode == 0
    first = json.loads((workdir / "out/config/spec.json").read_text())
    (zipped,) = (workdir / "out").glob("release-*.zip")
    (job,) = Job.all()
    for earlier in ("out", str(zipped), "out/config/spec.json", job.run):
        spec = spec_of(parse(["release", "--again", earlier, "--data", "t.csv"]))
        assert (spec.epsilon, spec.delta, spec.method, spec.verdict) == (1.0, 1e-9, "aim", 0.2)
        assert (spec.means, spec.means_share) == (("income ~ age", "age by school"), 0.1)
        assert spec.schema == first["schema"] and spec.rules["rules"] == first["rules"]
        assert spec.options in ({}, first["options"]) and spec.rows is None
        beside = zipped.with_suffix("") if "zip" in earlier else workdir / "out"
        assert spec.out == f"{beside}-2"
    typed = ("--epsilon", "0.5", "--verdict", "0", "--method", "mst", "--rows", "7", "--out", "next")
    spec = spec_of(parse(["release", "--again", job.run, "--data", "t.csv", *typed]))
    assert (spec.epsilon, spec.verdict, spec.method, spec.rows) == (0.5, 0.0, "mst", 7)
    assert spec.options == {} and spec.out == str(workdir / "next")


def test_the_settings_come_from_a_finished_release_and_nothing_else(workdir, capsys):
    (workdir / "other.json").write_text('{"format": "marginalia-spec/0"}')
    for typed, said in (
        (["--again", "s.json"], "not the number of a run"),
        (["--again", "other.json"], "another version"),
        (["--again", "none.json"], "no spec at 'none.json'"),
        (["--again", "20260101-00000000"], "no run"),
        (["--shift-dates", "1m"], "Name the earlier release with --again"),
    ):
        assert main(["release", "--data", "t.csv", "--out", "again", "--yes", *typed]) == 2
        assert said in capsys.readouterr().err


def test_the_next_release_may_have_another_schema_rules_and_dates(workdir, marginalia):
    from synth.cli.again import changes_to, unchecked
    from synth.cli.checked import remember
    from synth.cli.parser import parse
    from synth.cli.release import spec_of
    from synth.core.system.address import address_of

    assert marginalia(*LINE, "--rules", "r.json").returncode == 0
    schema = json.loads((workdir / "s.json").read_text())
    day = {"name": "day", "kind": "date", "min": "2024-06-01", "max": "2024-06-30", "cuts": ["2024-06-15"]}
    (workdir / "s2.json").write_text(json.dumps({**schema, "columns": [*schema["columns"], day]}))
    (workdir / "r2.json").write_text('["if age is below 12 then income is blank"]')
    typed = ("--again", "out", "--data", "t.csv", "--schema", "s2.json", "--rules", "r2.json")
    args = parse(["release", *typed, "--shift-dates", "1m"])
    spec = spec_of(args)
    moved = {"min": "2024-07-01", "max": "2024-07-31", "cuts": ["2024-07-15"]}
    assert spec.schema["columns"][-1].items() >= {**day, **moved}.items()
    said = changes_to(args, spec)
    assert "Column 'day' was added." in said and any("income is blank" in line for line in said[2:])
    with pytest.raises(Mistake, match="'1x' is not a shift of dates"):
        spec_of(parse(["release", "--again", "out", "--data", "t.csv", "--shift-dates", "1x"]))
    (advice,) = unchecked(args, spec)
    assert advice.endswith(f"marginalia check --data {spec.data} --schema s2.json")
    remember(address_of(spec.data))
    assert unchecked(args, spec) == []


def test_a_run_whose_table_does_not_fit_ends_with_seven_and_continues_on_request(workdir, marginalia):
    lines = (workdir / "t.csv").read_text().splitlines()
    (workdir / "bad.csv").write_text("\n".join([lines[0], *(["1999," + lines[1].split(",", 1)[1]] * 2000)]))
    ended = marginalia(*(word if word != "t.csv" else "bad.csv" for word in LINE), "--most-unfit", "0.05")
    assert ended.returncode == 7 and "does not fit its declaration" in ended.stderr
    (job,) = Job.all()
    spent = job.status().spent
    assert 0 < spent < job.status().reserved
    assert marginalia("release", "--resume", job.run).returncode == 2, "it would stop again"
    assert marginalia("release", "--resume", job.run, "--continue-unfit").returncode == 0
    assert job.status().spent <= job.status().reserved and (workdir / "out").is_dir()


@pytest.mark.long
def test_who_is_in_the_next_table_is_declared(workdir, marginalia, capsys):
    """New people have a lifetime budget of their own; the same people add to that of their population."""
    assert marginalia(*LINE).returncode == 0
    (first,) = Job.all()
    again = ("release", "--again", "out", "--yes", "--data")
    refused = marginalia(*again, "t.csv", "--new-people", "next wave")
    assert refused.returncode == 2 and "The same file was released before" in refused.stderr
    (workdir / "u.csv").write_text((workdir / "t.csv").read_text() + "3,4.0,2011-05-01,none,single,1,x\n")
    done = marginalia(*again, "u.csv", "--new-people", "third wave", "--out", "new")
    assert done.returncode == 0, done.stderr
    assert "no person of this table is in a release of 'survey-2024'" in done.stderr
    spec, statement = (json.loads((workdir / "new" / p).read_text()) for p in NEW_FILES)
    assert (spec["people"], spec["new_to"]) == ("new", ["survey-2024"])
    assert any("is in a release of 'survey-2024'" in line for line in statement["outside_the_guarantee"])
    before = json.loads((workdir / "out" / NEW_FILES[1]).read_text())["history"]
    assert statement["history"]["lifetime"] == before["lifetime"]
    assert statement["history"]["spent_before_units"] == 0
    assert marginalia("verify", "new", "--earlier", "out").returncode == 0
    assert statement["changes"]["columns"][1] == 6 and len(statement["changes"]["tables"]) > 5
    report = (workdir / "new/report/privacy_report.md").read_text()
    assert f"Changes since release {statement['changes']['release']}" in report
    twice = marginalia(*again, "u.csv", "--new-people", "third wave", "--out", "newer")
    assert twice.returncode == 2 and "has a release already" in twice.stderr
    chained = spec_of(parse(["release", "--again", "new", "--data", "u.csv", "--new-people", "wave 4"]))
    assert chained.new_to == ("survey-2024", "third wave") and chained.population == "wave 4"
    same = spec_of(parse(["release", "--again", "out", "--data", "u.csv", "--people", "same", "--start"]))
    assert (same.people, same.new_to, same.population) == ("same", (), first.spec().population)
    assert same.start == str(workdir / "out") and same.started().digest == same.start_digest
    for typed, said in (
        (["--data", "t.csv", "--people", "same"], "Name the earlier release with --again"),
        (
            ["--again", "out", "--data", "t.csv", "--new-people", "Survey-2024"],
            "needs another population name",
        ),
    ):
        assert main(["release", "--yes", *typed]) == 2
        assert said in capsys.readouterr().err


@pytest.mark.long
def test_a_release_starts_from_an_earlier_one_but_not_from_a_private_file(workdir, marginalia):
    """A start that changed between the order and the run is refused."""
    assert marginalia(*LINE).returncode == 0
    (first,) = Job.all()
    again = ("release", "--again", first.run, "--data", "t.csv", "--yes")
    refused = marginalia(*again, "--start", "t.csv", "--start-source", "a survey")
    assert refused.returncode == 2 and "private table of a release" in refused.stderr
    refused = marginalia(*again, "--start", "out")
    assert refused.returncode == 2 and "cannot start from a public table" in refused.stderr
    (workdir / "next.csv").write_text((workdir / "t.csv").read_text().replace("school", "grade", 1))
    refused = marginalia("release", "--again", first.run, "--data", "next.csv", "--yes")
    assert refused.returncode == 4 and "no longer fits this table" in refused.stderr
    assert len(Ledger(workdir.parent / "ledger.sqlite").runs()) == 1, "nothing is reserved"
    assert not (workdir / "out-2").exists()
    assert marginalia(*again, "--method", "blend", "--epsilon", "0.5", "--start", first.run).returncode == 0
    assert marginalia("verify", "out-2").returncode == 0
    described = json.loads((workdir / "out-2/measurements/measurements.json").read_text())
    assert described["start"]["source"].startswith("release ") and described["start"]["rows"] > 100
    spec = next(job.spec() for job in Job.all() if job.spec().start)
    assert spec.started().digest == spec.start_digest
    with pytest.raises(Mistake, match="has changed since it was chosen"):
        replace(spec, start_digest="0" * 64).started()


@pytest.fixture
def buying(workdir):
    """The schema with a column whose values are bought; a call makes a release of it."""
    schema = json.loads((workdir / "s.json").read_text())
    schema["columns"][3] = {"name": "school", "kind": "category", "buy": True}
    (workdir / "b.json").write_text(json.dumps(schema))

    def requested(out, **change):
        given = {"epsilon": "1", "delta": "1e-9", "lifetime-epsilon": "10", **change}
        options = [word for name, value in given.items() for word in (f"--{name}", value)]
        return main(["release", "--data", "t.csv", "--schema", "b.json", *options, "--out", out, "--yes"])

    return requested


@pytest.mark.parametrize(
    ("opened", "missing"),
    [
        (("2", "1e-12"), "requested delta"),
        (("0.5", "1e-9"), "epsilon 1 was requested"),
        (("0.5", "1e-12"), "epsilon 1 was requested"),
    ],
)
def test_the_advised_raise_lets_a_value_list_through(workdir, buying, tmp_path, capsys, opened, missing):
    epsilon, delta = opened
    promise = ["--epsilon", epsilon, "--delta", delta, "--unit", "person", "--max-rows", "1"]
    assert main(["ledger", "open", "survey-2024", *promise, "--reason", "a line"]) == 0
    assert buying("out") == 3
    said = capsys.readouterr().err
    assert missing in said and not (tmp_path / "home" / "jobs").exists()
    advised = re.search(r'ledger raise "survey-2024" (--epsilon \S+ --delta \S+)', said).group(1)
    assert main(["ledger", "raise", "survey-2024", *advised.split(), "--reason", "as advised"]) == 0
    assert buying("out") == 0
    assert Ledger(tmp_path / "ledger.sqlite").verify()
