import subprocess
import sys

from synth.app.jobs.locks import hold, is_held

HOLDER = """
import sys, time
from pathlib import Path
from synth.app.jobs.locks import hold
with hold(Path(sys.argv[1])) as free:
    print(free, flush=True)
    time.sleep(60)
"""


def test_a_lock_is_held_once_and_freed_after_the_block(tmp_path):
    path = tmp_path / "lock"
    assert not is_held(path)
    with hold(path) as first, hold(path) as second:
        assert first
        assert not second
        assert is_held(path)
    assert not is_held(path)


def test_a_killed_holder_frees_the_lock(tmp_path):
    path = tmp_path / "lock"
    with subprocess.Popen([sys.executable, "-c", HOLDER, path], stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout.readline() == "True\n"
        assert is_held(path)
        holder.kill()
        holder.wait()
        assert not is_held(path)
