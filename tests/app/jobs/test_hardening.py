import json
import re
import subprocess
import sys

from synth.app.jobs.hardening import fault, fresh_reference

CANARY = "canary-7f3a"
FALLING = f"""
import resource, threading
from pathlib import Path
from synth.app.jobs.hardening import harden
harden()
print(resource.getrlimit(resource.RLIMIT_CORE))
for line in Path("/proc/self/status").read_text().splitlines():
    if line.startswith("CoreDumping"): print(line)
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
    assert fallen.stdout.splitlines()[0] == "(0, 0)"
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
