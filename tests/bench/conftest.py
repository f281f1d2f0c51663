"""Public tables of a few rows for all tests of the benchmark."""

import json
from pathlib import Path

import pytest


@pytest.fixture
def town(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small Titanic where the benchmark looks for its tables."""
    at = tmp_path / "titanic"
    at.mkdir()
    rows = "".join(f"{i % 2},{(i // 2) % 3},{i % 2}\n" for i in range(600))
    (at / "titanic.csv").write_text("Sex,Pclass,Survived\n" + rows)
    (at / "titanic-domain.json").write_text(json.dumps({"Survived": 2, "Pclass": 3, "Sex": 2}))
    monkeypatch.setenv("MARGINALIA_DATA", str(tmp_path))
    return at
