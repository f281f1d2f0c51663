"""A bundle is opened once; one that is damaged is a mistake."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from synth.app.project import runs
from synth.app.project.results import bundles, released
from synth.app.project.store import Project
from synth.core.errors import Mistake

Twice = Callable[[], Project]


def test_a_bundle_names_its_columns_and_codes(twice: Twice) -> None:
    one = runs.finished(twice())[0]
    axes = {axis.name: axis for axis in bundles.evidence_of(one.folder).codebook.axes}
    assert list(axes) == ["age", "ward"]
    assert released.labels_of(axes["ward"], None)[:2] == ("a", "b")
    assert bundles.opened(one.folder) is bundles.opened(one.folder)


def test_a_damaged_bundle_is_a_mistake(twice: Twice) -> None:
    one = runs.finished(twice())[0]
    (one.folder / "measurements" / "measurements.json").write_text("{")
    (one.folder / "CHECKSUMS.sha256").write_text("changed")
    with pytest.raises(Mistake, match="cannot be read"):
        bundles.evidence_of(one.folder)
