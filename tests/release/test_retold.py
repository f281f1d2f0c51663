import json
from pathlib import Path

from synth.release import retold
from synth.release.layout import CITATION, Layout
from synth.release.opened import open_bundle
from synth.release.statement import Imprint, statement
from synth.synthesis import Synthesis


def test_the_papers_follow_from_the_other_files(synthesis: Synthesis, written: Path) -> None:
    opened = open_bundle(written)
    schema = synthesis.schema
    found = retold.files(
        schema,
        opened.evidence.codebook.axes,
        opened.evidence.codebook.groupings,
        opened.files,
        opened.statement,
    )
    assert set(found) == {
        Layout().dictionary,
        Layout().registry,
        Layout().sdv,
        Layout().croissant,
        CITATION,
    }
    assert all(opened.files[path] == content for path, content in found.items())


def test_a_rehearsal_is_marked_in_names_or_in_what_is_said(rehearsed: Synthesis, written: Path) -> None:
    told = statement(rehearsed, Imprint(), release="x")
    layout = Layout(rehearsal=True)
    said = {layout.csv: b"", layout.parquet: b""}
    found = retold.files(
        rehearsed.schema,
        rehearsed.evidence.codebook.axes,
        rehearsed.evidence.codebook.groupings,
        said,
        json.loads(json.dumps(told)),
    )
    assert all("REHEARSAL" in path or b"REHEARSAL" in content for path, content in found.items())
