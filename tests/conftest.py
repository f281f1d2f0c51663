"""No test reaches the places of whoever runs them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from synth import places


@pytest.fixture(autouse=True, scope="session")
def _no_places_of_the_user(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Where no variable names a place, it lies in a folder of this session; a test may set its own."""
    folder = tmp_path_factory.mktemp("user")
    with pytest.MonkeyPatch.context() as patch:
        for name in (places.HOME, places.LEDGER, places.FOLDER):
            patch.delenv(name, raising=False)
        patch.setenv(places.DATA_HOME, str(folder))
        patch.setattr(places, "USUAL_HOME", str(folder / places.NAME))
        yield
