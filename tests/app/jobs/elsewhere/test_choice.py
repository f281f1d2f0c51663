"""Who does public tasks: by a word, by the environment, and a sentence for what is none."""

from pathlib import Path

import pytest

from synth.app.jobs.elsewhere.choice import VARIABLE, chosen, named
from synth.app.jobs.elsewhere.executor import Here
from synth.app.jobs.elsewhere.folder import SharedFolder
from synth.core.errors import Mistake


@pytest.mark.parametrize("typed", ["", "there", "folder:", "folder:share", "here:now", "tcp://x:1"])
def test_what_is_no_place_is_quoted(typed: str) -> None:
    with pytest.raises(Mistake) as caught:
        named(typed)
    assert repr(typed) in str(caught.value) and "folder:/full/path" in str(caught.value)


def test_the_environment_chooses_the_executor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    assert isinstance(chosen(), Here)
    monkeypatch.setenv(VARIABLE, "")
    assert isinstance(chosen(), Here)
    monkeypatch.setenv(VARIABLE, f"folder:{tmp_path}")
    assert chosen() == SharedFolder(tmp_path)
