from __future__ import annotations

import json

import pytest

from synth.core.errors import Mistake
from synth.evaluate.findings import (
    ColumnFinding,
    FigureFinding,
    Findings,
    GroupFinding,
    PairFinding,
    PredictionFinding,
)

SCORE = PredictionFinding(target="a", measure="accuracy", synthetic=0.7, real=0.8, guess=0.5, apart=True)
CONJUNCTION, COUNTING = (
    FigureFinding(name=name, title=name.title(), help="How far off.", value=value)
    for name, value in (("conjunction", 0.01), ("counting", None))
)
FINDINGS = Findings(
    run="20240101-00000000",
    columns=(ColumnFinding(name="a", real=(0.5, 0.5), synthetic=(0.4, 0.6), tvd=0.1),),
    pairs=(PairFinding(left="a", right="b", tvd=0.2),),
    mean={1: 0.1, 2: 0.2, 3: 0.3},
    subsample={1: 0.4, 2: 0.5},
    groups=(GroupFinding(title="Questions", note="Mean.", figures=(CONJUNCTION, COUNTING)),),
    scores=(SCORE,),
)


def test_findings_survive_being_written_down() -> None:
    assert Findings.from_json(json.loads(json.dumps(FINDINGS.to_json()))) == FINDINGS


def test_a_figure_is_found_by_its_name() -> None:
    assert FINDINGS.value_of("conjunction") == 0.01
    assert FINDINGS.value_of("counting") is None and FINDINGS.value_of("comes from another version") is None


@pytest.mark.parametrize(
    "damage",
    [{"columns": 3}, {"mean": {"x": 1}}, {"scores": [{}]}, {"groups": [{}]}, {"run": None, "pairs": 0}],
)
def test_a_damaged_file_is_a_mistake_and_quotes_nothing(damage: dict[str, object]) -> None:
    with pytest.raises(Mistake, match="cannot be read"):
        Findings.from_json(FINDINGS.to_json() | damage)


def test_what_is_kept_of_a_prediction_is_its_gain_over_guessing() -> None:
    assert SCORE.kept == pytest.approx(2 / 3)
    flat = PredictionFinding(target="a", measure="r2", synthetic=0.5, real=0.51, guess=0.5, apart=False)
    assert flat.kept is None
