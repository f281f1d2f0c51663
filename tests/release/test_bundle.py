import base64
import hashlib
import json
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pyarrow.parquet as pq
import pytest

from synth.analyst.shown.notebook import write as notebook
from synth.core.errors import Mistake
from synth.release import bundle
from synth.release.documents.statement import Imprint
from synth.release.layout import Layout
from synth.release.opened import zip_of
from synth.release.synthesis import Synthesis
from tests.dates import more_than_the_day

CANARY = "canary-5f0c1e77"


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_the_same_run_gives_the_same_bytes(synthesis: Synthesis, written: Path, tmp_path: Path) -> None:
    again = bundle.write(synthesis, tmp_path / "again", notebook=notebook)
    assert files_of(again) == files_of(written)


def test_the_stewards_words_do_not_change_the_id(synthesis: Synthesis, written: Path, tmp_path: Path) -> None:
    imprint = Imprint(licence="CC0-1.0", contact="x", purpose="y", decisions=("z",))
    out = bundle.write(synthesis, tmp_path / "b", imprint=imprint)
    assert zip_of(out).name == zip_of(written).name
    stated = json.loads((out / "privacy/statement.json").read_text())
    assert stated["imprint"]["licence"] == "CC0-1.0" and stated["decisions_after_private_views"] == ["z"]


def test_checksums_cover_every_file_and_the_zip_holds_them_all(written: Path) -> None:
    listed = dict(line.split("  ")[::-1] for line in (written / "CHECKSUMS.sha256").read_text().splitlines())
    files = files_of(written)
    archive = zipfile.ZipFile(zip_of(written))
    del files[zip_of(written).name]
    assert {n: hashlib.sha256(c).hexdigest() for n, c in files.items() if n != "CHECKSUMS.sha256"} == listed
    top = zip_of(written).stem
    assert archive.namelist() == sorted(archive.namelist())
    assert {e.date_time for e in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    assert {name: archive.read(f"{top}/{name}") for name in files} == files


def test_the_gate_takes_a_synthesis_and_nothing_else(synthesis: Synthesis, tmp_path: Path) -> None:
    lookalike = SimpleNamespace(**vars(synthesis))
    for other in (lookalike, None, synthesis.table, vars(synthesis)):
        with pytest.raises(TypeError):
            bundle.write(other, tmp_path / "x")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        bundle.write(synthesis, tmp_path / "x", imprint={"purpose": "p"})  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())


def test_a_rehearsal_is_refused_or_marked(rehearsed: Synthesis, synthesis: Synthesis, tmp_path: Path) -> None:
    with pytest.raises(Mistake, match="rehearsal"):
        bundle.write(rehearsed, tmp_path / "x")
    with pytest.raises(Mistake, match="not a practice run"):
        bundle.write(synthesis, tmp_path / "x", rehearsal=True)
    assert not list(tmp_path.iterdir())
    out = bundle.write(rehearsed, tmp_path / "x", rehearsal=True)
    assert not (out / "data/synthetic.csv").exists() and (out / "data/REHEARSAL-synthetic.csv").exists()
    assert zip_of(out).name.startswith("release-REHEARSAL-")
    for text in ("README.md", "datapackage.json", "report/REHEARSAL-privacy_report.html"):
        assert "REHEARSAL" in (out / text).read_text()


def test_a_taken_place_is_left_alone(synthesis: Synthesis, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "file").write_text("precious")
    with pytest.raises(Mistake, match="is not an empty folder"):
        bundle.write(synthesis, tmp_path / "mine")
    assert files_of(tmp_path) == {"mine/file": b"precious"}
    (tmp_path / "empty").mkdir()
    assert bundle.write(synthesis, tmp_path / "empty") == tmp_path / "empty"


def test_it_is_whole_or_not(synthesis: Synthesis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Path, target: Path) -> Path:
        raise OSError("disk full")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", full)
        with pytest.raises(OSError):
            bundle.write(synthesis, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    bundle.write(synthesis, tmp_path / "out")
    assert [p.name for p in tmp_path.iterdir()] == ["out"]


def test_nothing_private_is_in_any_file(synthesis: Synthesis, written: Path) -> None:
    """Cells outside the domain, a dropped column, the names of the private file and the ledger."""
    needles = [CANARY.encode(), CANARY.encode("utf-16-le"), base64.b64encode(CANARY.encode())[:-2]]
    for name, content in files_of(written).items():
        assert not any(needle in content for needle in needles), name
    for path in (Layout().parquet, Layout().marginals):
        assert CANARY not in str(pq.read_table(written / path).to_pydict())


def test_files_and_folders_of_a_bundle_are_dated_to_the_day(synthesis: Synthesis, tmp_path: Path) -> None:
    assert more_than_the_day(bundle.write(synthesis, tmp_path / "release")) == []
