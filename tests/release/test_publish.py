"""A publication differs from the run's own bundle in its words and in nothing else, and passes the gate."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from synth.analyst.shown.notebook import write as notebook
from synth.core.errors import Mistake
from synth.release import bundle
from synth.release.checks.flags import Flag
from synth.release.documents.statement import Imprint
from synth.release.layout import Layout
from synth.release.opened import open_bundle, zip_of
from synth.release.publish import missing, obstacles, publish, worded
from synth.release.synthesis import Synthesis
from synth.release.verify import verify
from tests.release.test_bundle import files_of

IMPRINT = Imprint(
    licence="CC BY 4.0",
    contact="data@example.org",
    purpose="Teaching <b>statistics</b>.",
    approvers=("A. Steward", "B. Officer"),
    decisions=("2026-11-21: Opened the steward's view.",),
)
LAYOUT = Layout()
PAPERS = {LAYOUT.statement, LAYOUT.report, LAYOUT.plain_report, LAYOUT.registry, LAYOUT.croissant}
PAPERS |= {"CITATION.cff", "README.md", "LICENSE.txt", "datapackage.json", "CHECKSUMS.sha256"}


@pytest.fixture(scope="module")
def published(written: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return publish(
        written, tmp_path_factory.mktemp("published") / "bundle", imprint=IMPRINT, notebook=notebook
    )


def test_only_the_papers_change_and_the_bundle_verifies(written: Path, published: Path) -> None:
    before, after = files_of(written), files_of(published)
    assert zip_of(published).name == zip_of(written).name
    changed = {name for name in before if before[name] != after[name]}
    assert changed == PAPERS | {zip_of(written).name}
    assert verify(published).ok and verify(zip_of(published)).ok


def test_a_bundle_written_again_is_the_same(written: Path, estimated: Synthesis, tmp_path: Path) -> None:
    other = bundle.write(estimated, tmp_path / "bought", notebook=notebook)
    for folder in (written, other):
        files = files_of(folder)
        del files[zip_of(folder).name]
        assert worded(open_bundle(folder), Imprint(), notebook=notebook) == files


def test_the_words_stand_where_people_read_them(published: Path) -> None:
    stated = json.loads((published / Layout().statement).read_text())
    assert stated["imprint"]["approvers"] == ["A. Steward", "B. Officer"]
    assert stated["decisions_after_private_views"] == list(IMPRINT.decisions)
    report = (published / Layout().report).read_text()
    assert "Approved by A. Steward and B. Officer." in report
    assert "Opened the steward&#x27;s view." in report
    assert "Teaching &lt;b&gt;statistics&lt;/b&gt;." in report
    assert "CC BY 4.0" in (published / "LICENSE.txt").read_text()
    assert json.loads((published / "datapackage.json").read_text())["licenses"][0]["title"] == "CC BY 4.0"
    assert "data@example.org" in (published / "README.md").read_text()


@pytest.mark.parametrize("word", ["licence", "contact", "purpose", "approvers"])
def test_nothing_goes_out_without_somebody_to_answer_for_it(written: Path, tmp_path: Path, word: str) -> None:
    blank: object = (" ",) if word == "approvers" else " "
    lacking = replace(IMPRINT, **{word: blank})
    assert len(missing(lacking)) == 1
    with pytest.raises(Mistake, match="The release needs"):
        publish(written, tmp_path / "out", imprint=lacking)
    assert list(tmp_path.iterdir()) == []


def test_a_rehearsal_never_goes_out(rehearsed: Synthesis, tmp_path: Path) -> None:
    folder = bundle.write(rehearsed, tmp_path / "run", rehearsal=True)
    assert obstacles(open_bundle(folder))
    with pytest.raises(Mistake, match="practice run"):
        publish(folder, tmp_path / "out", imprint=IMPRINT)


def test_a_red_flag_stops_it_and_a_yellow_one_does_not(synthesis: Synthesis, tmp_path: Path) -> None:
    for blocks in (True, False):
        flag = Flag(code="x", sentence="Column 'age' is odd.", blocks=blocks, columns=("age",))
        flagged = replace(synthesis, checks=replace(synthesis.checks, flags=(flag,)))
        folder = bundle.write(flagged, tmp_path / f"run-{blocks}")
        if blocks:
            with pytest.raises(Mistake, match="'age' is odd"):
                publish(folder, tmp_path / "out", imprint=IMPRINT)
        else:
            assert verify(publish(folder, tmp_path / "out", imprint=IMPRINT)).ok


def test_a_bundle_that_was_touched_does_not_go_out(synthesis: Synthesis, tmp_path: Path) -> None:
    folder = bundle.write(synthesis, tmp_path / "run")
    table = folder / Layout().csv
    table.write_bytes(table.read_bytes().replace(b"married", b"never", 1))
    with pytest.raises(Mistake, match="was changed after"):
        publish(folder, tmp_path / "out", imprint=IMPRINT)


def test_a_publication_is_never_overwritten(written: Path, published: Path) -> None:
    before = files_of(published)
    with pytest.raises(Mistake, match="is not an empty folder"):
        publish(written, published, imprint=replace(IMPRINT, licence="CC0"))
    assert files_of(published) == before
