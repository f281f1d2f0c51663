"""Every run a project has ordered, as it stands: finished or not, with its price. Public facts only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from synth.jobs import runner
from synth.jobs.store import Job, State
from synth.mechanisms import MECHANISMS


@dataclass(frozen=True, kw_only=True)
class Ordered:
    """One run. `spent` is in ledger units, None while it is under way; `at` is UTC."""

    run: str
    method: str
    epsilon: float
    state: State
    spent: int | None
    at: str


def read(runs: Sequence[str]) -> tuple[Ordered, ...]:
    """These runs of the job store, the latest first."""
    return tuple(_ordered(Job.find(run)) for run in reversed(runs))


def _ordered(job: Job) -> Ordered:
    spec, status = job.spec(), runner.status(job)
    return Ordered(
        run=job.run,
        method=MECHANISMS[spec.method].title if spec.method in MECHANISMS else spec.method,
        epsilon=spec.epsilon,
        state=status.state,
        spent=status.spent,
        at=status.at,
    )
