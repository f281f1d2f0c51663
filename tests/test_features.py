"""The list of features names files and commands that exist."""

import re
from pathlib import Path

import pytest

from synth.app.project import journey
from synth.release.layout import Layout

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "assets" / "docs" / "features.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`([\w./-]+/[\w./-]*)`", TEXT)))
IN_A_BUNDLE = {path.partition("/")[0] for path in Layout().files if "/" in path}


@pytest.mark.parametrize("path", NAMED)
def test_what_is_named_is_there(path: str) -> None:
    if path.partition("/")[0] in IN_A_BUNDLE:
        assert path in Layout().files or any(name.startswith(path) for name in Layout().files)
    else:
        assert (ROOT / path).exists()


def test_the_pages_are_called_as_in_the_app() -> None:
    titles = {step.title for step in journey.STEPS}
    named = {
        name for name in re.findall(r"(?<!\*)\*([A-Z][\w' ]+)\*(?!\*)", TEXT) if not name.startswith("Held")
    }
    assert named - {"Does my file fit"} <= titles, named - titles


def test_the_number_of_files_is_right() -> None:
    stated = re.search(r"(\d+) files and their checksums", TEXT)
    assert stated is not None and int(stated[1]) == len(Layout().files)
