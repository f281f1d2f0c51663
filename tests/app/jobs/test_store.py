import json
import os
import stat

from synth.app.jobs.process import Process
from synth.app.jobs.store import Event, Job, State, Status


def test_a_folder_and_its_files_are_for_the_owner_alone(spec):
    job = Job.create(spec)
    job.add_event(Event(at="", stage="s", done=0.5, fact="f"))
    job.ask_to_stop()
    job.write_process(Process.of(os.getpid()))
    assert stat.S_IMODE(job.folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(p.stat().st_mode) for p in job.folder.iterdir()} == {0o600}


def test_what_is_written_is_read_back_and_only_the_spec_names_the_file(spec):
    job = Job.create(spec)
    status = Status(state=State.FAILED, code="x", sentence="y", spent=3, missing=4)
    event = Event(at="now", stage="round", done=0.25, fact="a x b")
    job.write_status(status)
    job.add_event(event)
    assert Job.find("r-1").spec() == spec
    assert job.status() == status
    assert list(job.events()) == [event]
    naming = [p.name for p in job.folder.iterdir() if spec.data in p.read_text()]
    assert naming == ["spec.json"]


def test_half_a_line_is_left_for_later(spec):
    job = Job.create(spec)
    job.add_event(Event(at="1", stage="s", done=0.0, fact="one"))
    with (job.folder / "events.jsonl").open("a") as out:
        out.write('{"at": "2", "sta')
    assert [event.fact for event in job.events()] == ["one"]
    assert list(job.events(skip=1)) == []


def test_a_status_of_a_later_version_is_read():
    document = json.loads(Status(state=State.DONE).to_json()) | {"mood": "fine"}
    assert Status.from_json(json.dumps(document)) == Status(state=State.DONE)
