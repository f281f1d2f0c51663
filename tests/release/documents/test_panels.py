from pathlib import Path

import numpy as np

from synth.release.documents.panels import WHISKER, panels
from synth.release.opened import open_bundle
from synth.release.synthesis import Synthesis


def test_noisy_counts_and_whiskers_are_those_of_the_measurement(synthesis: Synthesis, written: Path) -> None:
    shown = panels(open_bundle(written))[0]
    own = [m for m in synthesis.evidence.measurements if m.clique == ("age",)]
    weights = np.array([1 / float(m.variance) for m in own])
    expected = sum(w * m.counts for w, m in zip(weights, own, strict=True)) / weights.sum()
    assert shown.noisy is not None and np.allclose(shown.noisy, expected)
    assert shown.margin == np.ceil(WHISKER * weights.sum() ** -0.5)
