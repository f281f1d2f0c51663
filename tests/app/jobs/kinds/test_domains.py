"""Columns are read off a file that is declared public, and off no other."""

from __future__ import annotations

from pathlib import Path

import pytest

from synth.app.jobs.kinds.domains import columns_in
from synth.core.errors import Mistake

CANARY = "canary-88wq"


def test_a_private_file_is_refused_by_the_process_itself(tmp_path: Path) -> None:
    place = tmp_path / "t.csv"
    place.write_text(f"age,ward\n3,{CANARY}\n", encoding="utf-8")
    for schema in ({}, {"file_is_public": False}, {"file_is_public": None}):
        with pytest.raises(Mistake, match="not read from a private file") as caught:
            columns_in(str(place), schema)
        assert CANARY not in str(caught.value)
