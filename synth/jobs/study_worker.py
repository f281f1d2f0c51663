"""The process of one study: `python -m synth.jobs.study_worker FOLDER`."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
from pathlib import Path

from synth.errors import Cancelled, Code, MarginaliaError, Refusal
from synth.jobs.hardening import fault, fresh_reference, harden
from synth.jobs.locks import hold
from synth.jobs.process import Process
from synth.jobs.store import State, Status, now
from synth.jobs.study import STOPPED, Study
from synth.jobs.vigil import heart, tell, terminable

FAILED = "The comparison stopped for a reason it does not tell. Nothing was spent by it."
NICENESS = 10


def main(arguments: list[str] | None = None) -> int:
    """Entry of the process. Returns the exit code of the end; 0 too if another worker has the study."""
    harden()
    with contextlib.suppress(OSError):
        os.nice(NICENESS)
    (folder,) = sys.argv[1:] if arguments is None else arguments
    return run(Study(Path(folder)))


def run(study: Study) -> int:
    """Hold the study, do the work, write the answer and then the end. Returns the exit code."""
    with hold(study.lock, patience=2.0) as free:
        if not free:
            return 0
        study.write_process(Process.of(os.getpid()))
        with heart(study), terminable(study):
            end = _attempt(study)
            signal.signal(signal.SIGTERM, signal.SIG_IGN)  # too late to stop: the end is being written
            study.write_status(end)
        return end.exit_code


def _attempt(study: Study) -> Status:
    try:
        from synth.jobs.look import look  # brings numpy, pyarrow, scikit-learn

        answer = look(study.order(), lambda progress: tell(study, progress))
        study.keep("answer.json", json.dumps(answer, allow_nan=False))
        return Status(state=State.DONE, done=1.0, stage="done", at=now())
    except Cancelled:
        return _end(State.CANCELLED, "cancelled", STOPPED, Cancelled.exit_code)
    except MarginaliaError as error:
        code = error.code.value if isinstance(error, Refusal) else "mistake"
        return _end(State.FAILED, code, str(error), error.exit_code)
    except Exception as error:
        reference = fresh_reference()
        study.write_fault(fault(error, reference))
        return _end(State.FAILED, Code.INTERNAL.value, FAILED, 1, reference)


def _end(state: State, code: str, sentence: str, exit_code: int, reference: str = "") -> Status:
    return Status(
        state=state, code=code, sentence=sentence, exit_code=exit_code, reference=reference, at=now()
    )


if __name__ == "__main__":
    sys.exit(main())
