"""Who does public tasks: by a word, by the environment, and a sentence for what is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from synth.app.jobs.elsewhere import choice
from synth.app.jobs.elsewhere.choice import VARIABLE, chosen, named
from synth.app.jobs.elsewhere.cluster import Cluster
from synth.app.jobs.elsewhere.executor import Here
from synth.app.jobs.elsewhere.folder import SharedFolder
from synth.core.errors import Mistake


def test_every_form_has_its_word(tmp_path: Path) -> None:
    assert isinstance(named("here"), Here)
    assert named(f"folder:{tmp_path}") == SharedFolder(tmp_path)
    assert named("cluster:tcp://head:8786") == Cluster("tcp://head:8786")


@pytest.mark.parametrize(
    "typed", ["", "there", "folder:", "folder:share", "cluster:", "here:now", "tcp://x:1"]
)
def test_what_is_no_place_is_quoted(typed: str) -> None:
    with pytest.raises(Mistake) as caught:
        named(typed)
    assert repr(typed) in str(caught.value) and "folder:/full/path" in str(caught.value)


def test_the_environment_chooses_and_says_this_machine_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    assert isinstance(chosen(), Here)
    monkeypatch.setenv(VARIABLE, "")
    assert isinstance(chosen(), Here)
    monkeypatch.setenv(VARIABLE, f"folder:{tmp_path}")
    assert chosen() == SharedFolder(tmp_path)


def test_a_cluster_without_its_library_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "find_spec", lambda name: None)
    with pytest.raises(Mistake, match=r"marginalia\[cluster\]"):
        named("cluster:tcp://head:8786")
