from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from synth.bench import tuning
from synth.bench.tuning import LEARNERS, SPACES, TITLES, Tuned, kept, options_of, read_kept, tuned, write
from synth.core.domain import Domain
from synth.core.errors import Mistake
from synth.core.table import CodeTable
from synth.evaluate.learners import fitted, missing_package

DOMAIN = Domain(("a", "b", "y"), (6, 6, 2))


def rows_of_and() -> CodeTable:
    """y is whether both numbers are large: a stump cannot tell, a deeper tree can."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 6, (600, 3))
    codes[:, 2] = (codes[:, 0] > 2) ^ (codes[:, 1] > 2)
    return CodeTable(DOMAIN, codes)


def test_the_best_of_the_points_is_kept_with_its_command(monkeypatch: pytest.MonkeyPatch) -> None:
    points = iter([{"max_depth": 1, "n_estimators": 5}, {"max_depth": 8, "n_estimators": 20}] * 2)
    monkeypatch.setitem(SPACES, "forest", lambda rng: next(points))
    told = {"table": "and", "target": "y", "ordered": frozenset("ab")}
    one = tuned(rows_of_and(), "forest", draws=1, parts=2, **told)  # type: ignore[arg-type]
    assert one.options == {} and one.f1 == one.f1_by_default > 0.9  # a stump is worse than the defaults
    assert one.command == "python -m synth.bench.tuning and --learners forest --draws 1 --parts 2"
    monkeypatch.setitem(SPACES, "forest", lambda rng: {"max_depth": 8, "n_estimators": 20})
    monkeypatch.setattr("synth.evaluate.learners.LEARNERS", {"forest": _stump})
    better = tuned(rows_of_and(), "forest", draws=1, parts=2, **told)  # type: ignore[arg-type]
    assert better.options["max_depth"] == 8 and better.f1 > better.f1_by_default + 0.1


def _stump(
    features: Domain, nominal: list[int], *, classes: bool, seed: int, options: dict[str, int]
) -> object:
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(**{"max_depth": 1, "n_estimators": 5, "random_state": seed} | options)


def test_parts_hold_back_other_rows_and_teach_with_the_rest() -> None:
    rows = CodeTable(Domain(("id",), (100,)), np.arange(100)[:, None])
    sides = [tuning._divided(rows, part) for part in range(5)]
    backs = [set(back.codes[:, 0].tolist()) for _, back in sides]
    assert set.union(*backs) == set(range(100)) and sum(map(len, backs)) == 100
    assert all(
        not back & set(taught.codes[:, 0].tolist()) for back, (taught, _) in zip(backs, sides, strict=True)
    )


@pytest.mark.parametrize("learner", LEARNERS)
def test_every_point_of_a_space_is_taken_by_its_learner(learner: str) -> None:
    if missing_package(learner):
        pytest.skip(f"{missing_package(learner)} is not installed (extra ml)")
    rows = np.asarray(rows_of_and().codes[:200], dtype=np.int64)
    options = json.loads(json.dumps(SPACES[learner](np.random.default_rng(1))))
    features = DOMAIN.project(["a", "b"])
    model = fitted(
        learner,
        rows[:, :2],
        rows[:, 2],
        features=features,
        ordered=frozenset("a"),
        classes=True,
        seed=0,
        options=options | ({"iterations": 5} if learner == "catboost" else {}),
    )
    assert model.predict_proba(rows[:, :2]).shape == (200, 2)


def test_what_is_kept_is_read_back_and_taken_up(tmp_path: Path) -> None:
    one = Tuned(
        table="t", learner="mlp", options={}, f1=0.5, f1_by_default=0.5, draws=1, parts=1, command="typed"
    )
    write([one], tmp_path / "tuned.json")
    write([Tuned(**{**vars(one), "learner": "forest"})], tmp_path / "tuned.json")
    assert [kept.learner for kept in read_kept(tmp_path / "tuned.json")] == ["forest", "mlp"]
    assert read_kept(tmp_path / "none.json") == []


def test_the_kept_points_are_of_known_learners_and_no_worse_than_the_defaults() -> None:
    assert set(LEARNERS) == set(SPACES) == set(TITLES)
    assert ("adult-steps", "forest") in kept()
    for (table, learner), one in kept().items():
        point = SPACES[learner](np.random.default_rng(0))
        assert set(one.options) <= set(point) and one.f1 >= one.f1_by_default
        assert table in one.command and options_of(table, learner) == one.options
    assert options_of("nltcs", "forest") is None


def test_a_learner_without_a_space_is_a_mistake() -> None:
    with pytest.raises(Mistake, match="nothing to tune"):
        tuned(rows_of_and(), "boosting", table="and", target="y", ordered=frozenset())
