"""Provide the demo released by two methods, for tests that only read."""

import json
from pathlib import Path

import pandas as pd
import pytest

import synth
from synth.analyst.kit import Kit
from synth.dictionaries import load_schema

DEMO = Path(__file__).parents[2] / "assets" / "demo"


@pytest.fixture(scope="session")
def real() -> pd.DataFrame:
    return pd.read_csv(DEMO / "harbour.csv")


def released(method: str, folder: Path) -> Path:
    schema = load_schema(json.loads((DEMO / "schema.json").read_text()) | {"file_is_public": True})
    rules, ledger = json.loads((DEMO / "rules.json").read_text())["rules"], folder / "ledger.sqlite"
    synth.open_budget(schema, epsilon=5, delta=1e-9, reason="an invented table", ledger=ledger)
    made = synth.synthesize(
        DEMO / "harbour.csv", schema, epsilon=2, delta=1e-9, rules=rules, method=method, ledger=ledger
    )
    return synth.write_bundle(made, folder / "bundle")


@pytest.fixture(scope="session", params=["grove", "aim"])
def package(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp(request.param)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MARGINALIA_HOME", str(folder / "home"))
        return released(request.param, folder)


@pytest.fixture(scope="session")
def kit(package: Path) -> Kit:
    return synth.open(package)
