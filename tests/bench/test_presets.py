from __future__ import annotations

from dataclasses import replace

import pytest

from synth.bench.peers.catalogue import PEERS
from synth.bench.presets import PRESETS, Preset
from synth.bench.tables.tables import check_known
from synth.bench.trials.trial import Part
from synth.mechanisms import MECHANISMS
from synth.mechanisms.shared.recipe import every_recipe

SMALL = Preset(
    about="",
    sets=("titanic",),
    epsilons=(0.1, 1.0),
    methods=("aim", "grove"),
    peers=("dpmm-mst",),
    repeats=3,
    peer_repeats=2,
    command=True,
)


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_only_names_what_there_is(name: str) -> None:
    trials = list(PRESETS[name].trials())
    assert trials and PRESETS[name].about.endswith(".")
    known = {Part.MECHANISM: {*MECHANISMS, *every_recipe()}, Part.COMMAND: MECHANISMS, Part.PEER: PEERS}
    for trial in trials:
        check_known(trial.table)
        assert trial.part is Part.REFERENCE or trial.method in known[trial.part]


@pytest.mark.parametrize("name", PRESETS)
def test_no_trial_is_listed_twice(name: str) -> None:
    keys = [trial.key for trial in PRESETS[name].trials()]
    assert len(keys) == len(set(keys))


def test_a_grid_has_every_combination_and_peers_come_last() -> None:
    trials = list(SMALL.trials())
    counts = {part: sum(t.part is part for t in trials) for part in Part}
    assert counts == {Part.REFERENCE: 1, Part.MECHANISM: 12, Part.COMMAND: 12, Part.PEER: 4}
    assert all(trial.part is Part.PEER for trial in trials[-4:])


def test_repeats_together_are_one_trial_of_each_method_and_peers_stay_apart() -> None:
    apart, together = list(SMALL.trials()), list(replace(SMALL, together=True).trials())
    ours = [t for t in together if t.part is Part.MECHANISM]
    assert [(t.run, t.repeats) for t in ours] == [(0, 3)] * 4
    assert [t for t in together if t.part is not Part.MECHANISM] == [
        t for t in apart if t.part is not Part.MECHANISM
    ]


def test_the_quick_one_sets_two_libraries_beside_us_on_both_tables() -> None:
    trials = list(PRESETS["quick"].trials())
    for table in ("adult", "nltcs"):
        here = [t for t in trials if t.table == table]
        assert len({t.method for t in here if t.part is Part.PEER}) == 2
        assert {t.method for t in here if t.part is Part.MECHANISM} == {"blend", "grove", "aim"}
