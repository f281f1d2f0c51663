"""Another table by anybody: the same for the same seed, and looked at when it comes back."""

import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from synth.app.jobs.elsewhere.executor import Here, prepared
from synth.app.jobs.kinds import regenerating
from synth.app.jobs.kinds.regenerating import KIND, RECORDS
from synth.app.jobs.store import Job, Task
from synth.core.errors import Mistake
from synth.release import parquet
from synth.release.opened import open_bundle


@pytest.fixture
def errand(finished: Job, tmp_path: Path):
    of = Path(finished.spec().out)

    def made(name: str, *, seed: int = 5, rows: int = 60) -> Task:
        order = regenerating.order(generator="independent", rows=rows, seed=seed)
        files = regenerating.files(of, open_bundle(of))
        return prepared(tmp_path / name, "regenerating", order=order, files=files)

    return made


def checksums(task: Task) -> str:
    return (regenerating.finished(task)[0] / "CHECKSUMS.sha256").read_text()


def test_no_text_of_the_first_table_travels_but_what_is_needed(errand) -> None:
    given = errand("1").given
    names = [str(path.relative_to(given)) for path in given.rglob("*") if path.is_file()]
    assert "measurements/marginals.parquet" in names and len(names) == 7
    assert not any("report" in name or name.endswith((".csv", ".zip")) for name in names)


@pytest.mark.parametrize(
    "forged",
    ["few", "many", "outside", "negative", "blank", "columns", "real", "words", "no parquet", "link", "none"],
)
def test_records_of_a_wrong_shape_or_code_are_not_taken(errand, tmp_path: Path, forged: str) -> None:
    task = errand("1")
    Here().do(task, KIND)
    place = task.made / RECORDS
    columns = len(open_bundle(task.given).evidence.domain)
    codes = parquet.read_codes(place.read_bytes(), rows=60, columns=columns)
    table = pq.read_table(place)
    outside, negative = codes.copy(), codes.copy()
    outside[7, 1], negative[7, 1] = 1_000, -1
    words = table.set_column(0, "0", pa.array(["<script>"] * 60))
    blank = pa.table([pa.array([None] * 60, pa.int64()), *table.columns[1:]], names=table.column_names)
    contents = {
        "few": parquet.write_codes(codes[:3]),
        "many": parquet.write_codes(codes[[*range(60), 0]]),
        "outside": parquet.write_codes(outside),
        "negative": parquet.write_codes(negative),
        "columns": parquet.write_codes(codes[:, 1:]),
        "no parquet": b"PAR1 and so on",
    }
    place.unlink()
    if forged in contents:
        place.write_bytes(contents[forged])
    elif forged == "link":
        (tmp_path / "sound").write_bytes(parquet.write_codes(codes))
        place.symlink_to(tmp_path / "sound")
    elif forged != "none":
        real = table.cast(pa.schema([(name, pa.float64()) for name in table.column_names]))
        pq.write_table({"words": words, "blank": blank, "real": real}[forged], place)
    for takes in (KIND.accept, regenerating.finished):
        with pytest.raises(Mistake, match=r"refused: it does not contain exactly 60 records"):
            takes(task)
    assert not (task.folder / "bundle").exists()


def test_papers_that_came_along_are_read_by_nobody(errand) -> None:
    requested, plain, other = errand("asked"), errand("plain"), errand("other", seed=77, rows=3)
    for task in (requested, plain, other):
        Here().do(task, KIND)
    shutil.copytree(regenerating.finished(other)[0], requested.made, dirs_exist_ok=True)
    report, statement = "report/privacy_report.html", "privacy/statement.json"
    (requested.made / report).write_text("<script>forged</script>")
    (requested.made / statement).write_text(
        (requested.made / statement).read_text().replace("epsilon", "forged")
    )
    KIND.accept(requested)
    assert checksums(requested) == checksums(plain)
    place, rows = requested.folder / "bundle", open_bundle(requested.folder / "bundle").values
    assert len(rows) == 60 and "forged" not in (place / report).read_text() + (place / statement).read_text()
