from dataclasses import replace

import pytest

from synth.bench import inference
from synth.bench.metrics import check_metrics
from synth.bench.peers.catalogue import PEERS
from synth.bench.presets import PRESETS, Preset
from synth.bench.tables.tables import check_known
from synth.bench.trials.trial import Part, Trial
from synth.mechanisms import MECHANISMS
from synth.mechanisms.shared.recipe import every_recipe

REQUESTED = {
    "sets": ("titanic",),
    "epsilons": (0.1, 1.0),
    "methods": ("aim", "grove"),
    "peers": ("dpmm-mst",),
}
SMALL = Preset(about="", **REQUESTED, repeats=3, peer_repeats=2)
USUAL = Trial(part=Part.MECHANISM, table="adult", method="aim", epsilon=1.0, delta=1e-9)


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_names_only_what_exists_and_each_trial_once(name: str) -> None:
    trials = list(PRESETS[name].trials())
    known = {Part.MECHANISM: {*MECHANISMS, *every_recipe()}, Part.PEER: PEERS}
    check_metrics(PRESETS[name].metrics)
    for trial in trials:
        (inference.check_known if PRESETS[name].asks else check_known)(trial.table)
        assert trial.part is Part.REFERENCE or trial.method in known[trial.part]
    assert trials and len({trial.key for trial in trials}) == len(trials)


def test_a_grid_has_every_combination_and_repeats_can_share_a_process() -> None:
    apart, together = list(SMALL.trials()), list(replace(SMALL, together=True).trials())
    counts = {part: sum(t.part is part for t in apart) for part in Part}
    assert counts == {Part.REFERENCE: 1, Part.MECHANISM: 12, Part.PEER: 4}
    ours = [t for t in together if t.part is Part.MECHANISM]
    assert [(t.run, t.repeats) for t in ours] == [(0, 3)] * 4 and len(together) == 9


def test_whatever_changes_the_figures_changes_the_key_of_a_trial() -> None:
    changes = [{"part": Part.PEER}, {"table": "nltcs"}, {"method": "mst"}, {"epsilon": 0.1}, {"delta": 1e-5}]
    changes += [{"run": 1}, {"workload": 3}, {"rules": True}, {"options": {"capacity": 4}}]
    changes += [{"generator_options": {"steps": 4}}]
    others = [replace(USUAL, **change) for change in changes]
    assert len({USUAL.key, *(other.key for other in others)}) == len(others) + 1
    assert replace(USUAL, limit=1.0).key == USUAL.key
    assert str(replace(USUAL, rules=True)) == "adult, rules, aim, epsilon 1, run 0 (mechanism)"
