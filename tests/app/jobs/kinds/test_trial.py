"""A trial by another program: its records, its sentence, and its end."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import pytest

from synth.app.jobs.elsewhere.executor import prepared
from synth.app.jobs.kinds.trial import KIND
from synth.bench.trials.trial import REFERENCE, Part, Trial
from synth.core.errors import Mistake
from synth.core.progress import silent


def order(table: str) -> dict[str, object]:
    trial = Trial(part=Part.REFERENCE, table=table, method=REFERENCE)
    return {"title": str(trial), "trial": asdict(trial)}


def test_a_table_that_is_not_there_comes_back_as_its_sentence(tmp_path: Path) -> None:
    task = prepared(tmp_path / "errand", "trial", order=order("atlantis"), files={})
    with pytest.raises(Mistake, match="atlantis"):
        KIND.work(task, silent)
