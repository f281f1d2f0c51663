"""One selection asks, and every generator that did not help to choose is fitted to the same answers."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from synth.bench.trials import kept_answers, runs
from synth.bench.trials.kept_answers import place_of
from synth.bench.trials.runs import measure
from synth.bench.trials.trial import Part, Trial
from synth.mechanisms.shared.recipe import recipe_of


@pytest.fixture(autouse=True)
def _tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    at = tmp_path / "titanic"
    at.mkdir()
    rows = np.random.default_rng(0).integers(0, [2, 3, 2], (400, 3))
    text = "\n".join(",".join(map(str, row)) for row in rows.tolist())
    (at / "titanic.csv").write_text(f"Sex,Pclass,Survived\n{text}\n")
    (at / "titanic-domain.json").write_text(json.dumps({"Survived": 2, "Pclass": 3, "Sex": 2}))
    monkeypatch.setenv("MARGINALIA_DATA", str(tmp_path))


def trial(method: str, folder: Path, **other: object) -> Trial:
    promise = {"part": Part.MECHANISM, "table": "titanic", "epsilon": 2.0, "delta": 1e-9}
    return Trial(method=method, answers=str(folder), **{**promise, **other})  # type: ignore[arg-type]


def test_a_selection_asks_once_for_all_its_generators(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    once = runs._asked
    monkeypatch.setattr(
        runs, "_asked", lambda trial, *rest: (asked.append(trial.method), once(trial, *rest))[1]
    )
    for method in ("grove+refined", "grove+gum", "grove+copula", "mst+pgm", "grove+gum"):
        (figures,) = measure(trial(method, tmp_path / "answers"))
        assert figures["measurements"] > 0 and figures["seconds"] > 0 and figures["tvd2"] < 0.5
    assert asked == ["grove+refined", "mst+pgm"]
    assert len(list((tmp_path / "answers").iterdir())) == 2


def test_all_are_fitted_to_the_same_answers_and_bear_what_asking_took(tmp_path: Path) -> None:
    (first,) = measure(trial("grove+refined", tmp_path))
    (place,) = tmp_path.glob("titanic-grove-*")
    kept = kept_answers.read(place)
    assert kept is not None and len(kept.evidence.measurements) == first["measurements"]
    (second,) = measure(trial("grove+copula", tmp_path))
    assert second["measurements"] == first["measurements"]
    assert second["seconds"] > kept.spent.seconds > 0 and second["cpu_seconds"] > kept.spent.cpu_seconds
    assert second["peak_mb"] >= kept.spent.peak_mb


@pytest.mark.parametrize(
    ("selection", "options", "shares"),
    [("grove", {}, True), ("blend", {}, False), ("rap", {}, True), ("rap", {"half_spaces": 0.5}, False)],
)
def test_a_selection_that_asks_by_what_follows_asks_for_each(
    selection: str, options: dict[str, object], shares: bool, tmp_path: Path
) -> None:
    """`blend` looks for tables of three columns only where its own generator follows, which reads them; `rap`
    asks for half-spaces only where they are read."""
    methods = [f"{selection}+{generator}" for generator in ("blend", "gum")]
    places = {
        place_of(trial(method, tmp_path, options=options), recipe_of(method, options), 0)
        for method in methods
    }
    assert None not in places and (len(places) == 1) is shares


def test_a_generator_that_helps_to_choose_asks_for_itself(tmp_path: Path) -> None:
    for method, shares in (("margnet+network", True), ("margnet+gum", True), ("margnet+mixture", False)):
        one = trial(method, tmp_path)
        assert (place_of(one, recipe_of(method), 0) is not None) is shares
    nowhere = replace(trial("margnet+gum", tmp_path), answers="")
    assert place_of(nowhere, recipe_of("margnet+gum"), 0) is None


@pytest.mark.parametrize(
    "other",
    [
        {"epsilon": 1.0},
        {"run": 1},
        {"table": "nltcs"},
        {"workload": 3},
        {"rules": True},
        {"options": {"x": 1}},
    ],
    ids=str,
)
def test_another_promise_run_table_or_task_has_answers_of_its_own(
    tmp_path: Path, other: dict[str, object]
) -> None:
    recipe = recipe_of("grove+gum")
    assert place_of(trial("grove+gum", tmp_path, **other), recipe, 0) != place_of(
        trial("grove+gum", tmp_path), recipe, 0
    )


def test_a_repeat_and_merged_values_have_answers_of_their_own(tmp_path: Path) -> None:
    one, recipe = trial("grove+gum", tmp_path), recipe_of("grove+gum")
    assert place_of(one, recipe, 1) == place_of(replace(one, run=1), recipe, 0) != place_of(one, recipe, 0)
    one, plain, merging = trial("aim+gum", tmp_path), recipe_of("aim+gum"), recipe_of("aim+compress+gum")
    assert place_of(one, merging, 0) != place_of(one, plain, 0)


def test_what_was_cut_while_it_was_written_is_no_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut(*told: object, **more: object) -> bytes:
        raise KeyboardInterrupt

    monkeypatch.setattr(kept_answers.measurements, "marginals", cut)
    with pytest.raises(KeyboardInterrupt):
        measure(trial("grove+refined", tmp_path / "answers"))
    monkeypatch.undo()
    monkeypatch.setenv("MARGINALIA_DATA", str(tmp_path))
    assert not list((tmp_path / "answers").glob("titanic-*"))
    assert kept_answers.read(tmp_path / "none") is None and kept_answers.read(None) is None
    (figures,) = measure(trial("grove+gum", tmp_path / "answers"))
    assert figures["tvd2"] < 0.5 and len(list((tmp_path / "answers").glob("titanic-*"))) == 1
