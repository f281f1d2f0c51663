import json
from pathlib import Path

from synth.release.documents import papers
from synth.release.documents.papers import licence, readme
from synth.release.documents.statement import Imprint, statement
from synth.release.layout import CITATION, Layout
from synth.release.opened import open_bundle
from synth.release.synthesis import Synthesis


def test_the_readme_names_every_file_that_matters_and_escapes_what_was_typed(synthesis: Synthesis) -> None:
    told = statement(
        synthesis, Imprint(contact="a <b>\n# x", purpose="teaching"), release="20261121-0123abcd"
    )
    page = readme(told, layout=Layout(), rows=1234)
    assert all(path in page for path in Layout().files if "/" in path)
    assert "1,234 synthetic rows" in page and "epsilon = 2" in page and "p-values" in page
    assert "<script" not in page and "\n# x" not in page and "a &lt;b&gt; # x" in page
    assert len(page.splitlines()) < 60


def test_a_rehearsal_says_so(rehearsed: Synthesis) -> None:
    told = statement(rehearsed, Imprint(), release="20261121-0123abcd")
    page = readme(told, layout=Layout(rehearsal=True), rows=1)
    assert "REHEARSAL" in page and "not a release" in page


def test_no_licence_is_invented(synthesis: Synthesis) -> None:
    without = licence(statement(synthesis, Imprint(), release="20261121-0123abcd"))
    assert "has not chosen a licence" in without
    assert "under: CC-BY-4.0" in licence(statement(synthesis, Imprint(licence="CC-BY-4.0"), release="x"))


def test_the_papers_follow_from_the_other_files(synthesis: Synthesis, written: Path) -> None:
    opened = open_bundle(written)
    schema = synthesis.schema
    found = papers.for_programs(schema, opened.evidence.codebook, opened.files, opened.statement)
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
    found = papers.for_programs(
        rehearsed.schema, rehearsed.evidence.codebook, said, json.loads(json.dumps(told))
    )
    assert all("REHEARSAL" in path or b"REHEARSAL" in content for path, content in found.items())
