import os
import signal
import subprocess
import sys
from dataclasses import replace

from synth.app.jobs.locks import hold, is_held
from synth.app.jobs.process import Process


def sleeper():
    return subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], start_new_session=True)


def test_this_process_is_alive_and_a_reused_id_is_not():
    me = Process.of(os.getpid())
    assert me.is_alive
    assert me.started > 0
    assert not replace(me, started=me.started - 1).is_alive


def test_a_killed_process_is_dead_even_before_its_parent_looks():
    with sleeper() as child:
        process = Process.of(child.pid)
        assert process.is_alive
        process.signal(signal.SIGKILL)
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # a zombie now, not reaped
        assert not process.is_alive
    assert not process.is_alive


def test_a_signal_does_not_hit_whoever_got_the_id_later():
    with sleeper() as child:
        stranger = Process.of(child.pid)
        replace(stranger, started=stranger.started - 1).signal(signal.SIGKILL)
        assert child.poll() is None
        stranger.signal(signal.SIGKILL)
        assert child.wait() == -signal.SIGKILL


def test_a_dead_child_is_let_go_and_a_stranger_is_not():
    pid = os.posix_spawn("/bin/true", ["true"], {})
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    child = Process.of(pid)
    replace(child, started=child.started - 1).reap()
    assert Process.of(pid) == child
    child.reap()
    assert Process.of(pid).started == -1
    child.reap()


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
