import json
import os
import re
import signal
import subprocess
import sys

from synth.app.jobs.hardening import fault, fresh_reference
from synth.app.jobs.locks import hold, is_held
from synth.app.jobs.process import Process


def sleeper():
    return subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], start_new_session=True)


def test_a_killed_process_is_dead_even_before_its_parent_looks():
    with sleeper() as child:
        process = Process.of(child.pid)
        assert process.is_alive
        process.signal(signal.SIGKILL)
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # a zombie now, not reaped
        assert not process.is_alive
    assert not process.is_alive


def test_a_lock_is_held_once_and_freed_after_the_block(tmp_path):
    path = tmp_path / "lock"
    assert not is_held(path)
    with hold(path) as first, hold(path) as second:
        assert first
        assert not second
        assert is_held(path)
    assert not is_held(path)


CANARY = "canary-7f3a"
FALLING = f"""
import ctypes, resource, threading
from synth.app.jobs.hardening import harden
harden()
print(resource.getrlimit(resource.RLIMIT_CORE))
PR_GET_DUMPABLE = 3
print(ctypes.CDLL(None).prctl(PR_GET_DUMPABLE, 0, 0, 0, 0))
thread = threading.Thread(target=lambda: int({CANARY!r}))
thread.start()
thread.join()
class Bad:
    def __del__(self): raise ValueError({CANARY!r})
Bad()
{{}}[{CANARY!r}]
"""


def test_a_falling_worker_says_one_fixed_sentence_and_no_value():
    fallen = subprocess.run([sys.executable, "-c", FALLING], capture_output=True, text=True)
    assert fallen.returncode == 1
    assert fallen.stdout.splitlines() == ["(0, 0)", "0"], "no core dump, and no other process may attach"
    assert CANARY not in fallen.stdout + fallen.stderr
    said = fallen.stderr.splitlines()
    assert len(said) == 2
    for line in said:
        assert re.fullmatch(r"The worker stopped\. .* \(reference [0-9a-f]{8}\)\.", line)


def test_a_fault_keeps_kind_and_place_but_not_the_message():
    from synth.app.jobs.spec import RunSpec

    try:
        RunSpec.of({CANARY: 1})
    except Exception as error:
        kept = fault(error, fresh_reference())
    assert CANARY not in json.dumps(kept)
    assert kept["kind"] == "Mistake"
    assert [place.split(":")[0] for place in kept["where"]] == ["synth/app/jobs/spec.py"]
