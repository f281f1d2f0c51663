import pytest

from synth.jobs.spec import RunSpec


@pytest.fixture(autouse=True)
def _own_home(tmp_path, monkeypatch):
    monkeypatch.setenv("MARGINALIA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("MARGINALIA_LEDGER", str(tmp_path / "ledger.sqlite"))


@pytest.fixture
def spec(tmp_path):
    """A run that is good enough for everything but the pipeline."""
    return RunSpec(
        run="r-1",
        data="/d/t.csv",
        schema={"name": "s", "columns": [{"name": "é"}]},
        rules=["if a is b then c is only d"],
        population="p",
        epsilon=1.0,
        delta=1e-9,
        options={"rounds": 3},
        seed=7,
        out=str(tmp_path / "out"),
        ledger=str(tmp_path / "ledger.sqlite"),
    )
