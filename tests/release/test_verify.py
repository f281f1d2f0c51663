import hashlib
import io
import json
import shutil
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from synth import pipeline
from synth.analyst.shown.notebook import write as notebook
from synth.core.errors import Mistake
from synth.core.measurements.logistic import Score
from synth.dictionaries import load_schema
from synth.private.ledger import Ledger
from synth.release import bundle
from synth.release.documents import measurements, wording
from synth.release.layout import CHECKSUMS, DATAPACKAGE, Layout
from synth.release.opened import open_bundle, zip_of
from synth.release.plan import Plan
from synth.release.synthesis import Synthesis
from synth.release.verify import verify
from synth.rules import parse_rules

L = Layout()


def test_a_bundle_is_whole_as_folder_and_as_zip(written: Path) -> None:
    assert verify(written, notebook=notebook).problems == ()
    assert verify(zip_of(written)).ok


def test_a_rehearsal_can_be_whole_and_says_what_it_is(rehearsed: Synthesis, tmp_path: Path) -> None:
    verdict = verify(bundle.write(rehearsed, tmp_path / "r", rehearsal=True))
    assert verdict.ok and verdict.rehearsal


def test_no_bundle_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(Mistake, match="no release package"):
        verify(tmp_path)


@pytest.fixture
def copy(written: Path, tmp_path: Path) -> Path:
    place = tmp_path / "copy"
    shutil.copytree(written, place)
    return place


@pytest.mark.parametrize("name", [*L.files, CHECKSUMS])
def test_one_changed_byte_is_found(copy: Path, name: str) -> None:
    content = bytearray((copy / name).read_bytes())
    content[len(content) // 2] ^= 1
    (copy / name).write_bytes(content)
    verdict = verify(copy, notebook=notebook)
    assert not verdict.ok
    assert name == CHECKSUMS or any(p.startswith(f"{name} was changed") for p in verdict.problems)


@pytest.mark.parametrize("name", L.files)
def test_a_missing_file_is_found(copy: Path, name: str) -> None:
    (copy / name).unlink()
    assert f"{name} is missing." in verify(copy, notebook=notebook).problems


def test_a_file_that_was_slipped_in_is_found(copy: Path) -> None:
    (copy / "data" / "real.csv").write_text("x")
    assert "data/real.csv is not in the list of checksums." in verify(copy, notebook=notebook).problems


def test_a_zip_that_differs_from_its_folder_is_found(copy: Path) -> None:
    files = {**open_bundle(zip_of(copy)).files, "README.md": b"other"}
    zip_of(copy).write_bytes(bundle.zipped(files, top="x"))
    assert any("does not contain the same files" in p for p in verify(copy, notebook=notebook).problems)


def forge(files: dict[str, bytes], name: str, edit: Callable[[Any], Any]) -> dict[str, bytes]:
    """A careful forger's bundle: one file edited, sizes, hashes and checksums made to fit."""
    if name.endswith(".json"):
        document = json.loads(files[name])
        changed = edit(document)
        content = json.dumps(document if changed is None else changed).encode()
    else:
        content = edit(files[name])
    assert content != files[name]
    forged = {**files, name: content}
    package = json.loads(forged[DATAPACKAGE])
    for resource in package["resources"]:
        body = forged[resource["path"]]
        resource["bytes"], resource["hash"] = len(body), f"sha256:{hashlib.sha256(body).hexdigest()}"
    forged[DATAPACKAGE] = json.dumps(package).encode()
    del forged[CHECKSUMS]
    return {**forged, CHECKSUMS: bundle.checksums(forged).encode()}


def problems_of(files: Mapping[str, bytes], folder: Path) -> tuple[str, ...]:
    """What `verify` says of a zip of these files."""
    (folder / "forged.zip").write_bytes(bundle.zipped(files, top="release"))
    return verify(folder / "forged.zip", notebook=notebook).problems


def is_found(files: Mapping[str, bytes], folder: Path, said: str) -> None:
    problems = problems_of(files, folder)
    assert any(said in problem for problem in problems), problems
    assert not any("checksum" in problem for problem in problems)


def move_units(stated: Any) -> None:
    """The sum stays; two questions swap a little of their price."""
    first, second = [q for q in stated["spend"][0]["questions"] if q["question"] == "measure"][:2]
    for question, units in ((first, 10**6), (second, -(10**6))):
        question["units"] += units
        question["rho"] = question["units"] / 10**12


def quieter(kind: str) -> Callable[[Any], None]:
    def edit(document: Any) -> None:
        numerator, denominator = document[kind][0]["variance"].split("/")
        document[kind][0]["variance"] = f"{int(numerator) - 1}/{denominator}"

    return edit


def without_its_law(stated: Any) -> None:
    del stated["tables"][0]["law"]


def drop_last_table(stated: Any) -> None:
    stated["tables"].pop()


def cell(old: bytes, new: bytes) -> Callable[[bytes], bytes]:
    return lambda content: content.replace(old, new, 1)


def age_of(content: bytes, age: bytes) -> bytes:
    """The first married person who has another age gets this one."""
    lines = content.split(b"\r\n")
    for i, line in enumerate(lines):
        if b",married," in line and not line.startswith(age + b","):
            lines[i] = age + b"," + line.split(b",", 1)[1]
            break
    return b"\r\n".join(lines)


def other_rows(content: bytes) -> bytes:
    table = pq.read_table(io.BytesIO(content))
    out = io.BytesIO()
    pq.write_table(pa.concat_tables([table.slice(1), table.slice(0, 1)]), out)
    return out.getvalue()


FORGERIES: list[tuple[str, Callable[[Any], Any], str]] = [
    (L.statement, lambda stated: stated.update(epsilon=stated["epsilon"] / 2), "do not cover the stated rho"),
    (L.statement, lambda stated: stated.update(rho=stated["rho"] / 2), "do not add up to the stated rho"),
    (L.statement, move_units, "disagree on its cost"),
    (L.statement, lambda stated: stated["unit"].update(max_rows=3), "less noise than its cost"),
    (L.statement, lambda stated: stated.update(neighbours="replace-one-unit"), "less noise than its cost"),
    (L.statement, lambda stated: stated["release"].update(rehearsal=True), "whether this is a practice run"),
    (L.statement, lambda stated: stated.update(true_error=1.0), "does not fit its schema"),
    (L.measurements, quieter("tables"), "less noise than its cost"),
    (L.measurements, without_its_law, "claim is not known to be valid"),
    (L.statement, lambda stated: stated["claim"].update(law="zcdp", mu=None), "do not cover the stated rho"),
    (L.measurements, drop_last_table, "does not contain the tables"),
    (L.spec, lambda spec: spec.update(epsilon=0.1), "disagree on epsilon"),
    (L.spec, lambda spec: spec.update(people="same"), "disagree on who is in the table"),
    (L.spec, lambda spec: spec.update(is_further=True), "disagree on whether the rows were made again"),
    (
        L.statement,
        lambda stated: stated["outside_the_guarantee"].append(f"{wording.DECLARED} people come."),
        "disagree on who is in the table",
    ),
    (L.spec, lambda spec: spec["schema"].update(population="others"), "disagree on the population"),
    (L.spec, lambda spec: spec["schema"]["columns"][0].update(max=120), "disagree on the schema"),
    (
        L.statement,
        lambda stated: stated.update(accuracy="Error of this table: none."),
        "disagree on the accuracy",
    ),
    (L.checks, lambda stated: stated.__delitem__("verdict"), "whether the accuracy was measured"),
    (
        L.checks,
        lambda stated: stated["verdict"]["means"]["pairs"].update(estimate=0.0),
        "a mean error of pairs that differs from the measured one",
    ),
    (L.csv, lambda text: age_of(text, b"150"), "'age' of the synthetic table has 1 cells outside"),
    (L.csv, cell(b",never,", b",divorced,"), "'marital' of the synthetic table has 1 cells outside"),
    (L.csv, lambda text: age_of(text, b"7"), "break the rule: if age is 0 to 14"),
    (L.csv, lambda text: age_of(text, b"99"), "CSV file and the Parquet file"),
    (L.csv, cell(b"age,marital", b"marital,age"), "declared columns in the declared order"),
    (L.csv, lambda text: text + b"1\r\n", "too few or too many cells"),
    (L.parquet, other_rows, "CSV file and the Parquet file"),
    (L.parquet, lambda content: b"PAR1", "is damaged"),
    (
        L.registry,
        lambda text: text.replace(b"epsilon: 2.0", b"epsilon: 0.5"),
        "differs from what the statement",
    ),
    (L.notebook, lambda text: text.replace(b"at 95%", b"at 99%"), "differs from what the statement"),
    (L.dictionary, lambda text: text.replace(b"not stated", b"public document"), "differs from what"),
    (
        DATAPACKAGE,
        lambda stated: stated["resources"][0]["schema"]["fields"].reverse(),
        "does not describe the columns",
    ),
]


@pytest.mark.parametrize(("name", "edit", "said"), FORGERIES, ids=[said for *_, said in FORGERIES])
def test_careful_forgeries(
    written: Path, tmp_path: Path, name: str, edit: Callable[[Any], Any], said: str
) -> None:
    is_found(forge(dict(open_bundle(zip_of(written)).files), name, edit), tmp_path, said)


def test_a_paid_table_left_out_is_found(synthesis: Synthesis, written: Path, tmp_path: Path) -> None:
    files = dict(open_bundle(zip_of(written)).files)
    kept = measurements.tables(synthesis.evidence)[:-1]
    files[L.marginals] = measurements.marginals(kept, schema_id="x")
    files = forge(files, L.measurements, drop_last_table)
    assert any("not among the measurements" in p for p in problems_of(files, tmp_path))


@pytest.mark.parametrize("name", [name for name in L.files if name.endswith((".json", ".parquet", ".csv"))])
@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b"null", b"[" * 200_000, b"\xff\xfe"])
def test_any_bytes_give_a_verdict(written: Path, tmp_path: Path, name: str, content: bytes) -> None:
    files = {**open_bundle(zip_of(written)).files, name: content}
    del files[CHECKSUMS]
    files[CHECKSUMS] = bundle.checksums(files).encode()
    assert problems_of(files, tmp_path) or name == L.checks


def flipped(content: bytes, places: range) -> Iterator[bytes]:
    for at in places:
        yield content[:at] + bytes([content[at] ^ (1 << at % 8)]) + content[at + 1 :]


def verdict_or_mistake(place: Path) -> bool:
    """Whether a bundle passes; whatever else than a `Mistake` is raised fails the test."""
    try:
        return verify(place).ok
    except Mistake as error:
        assert str(error).endswith(".")
        return False


def test_no_flipped_bit_of_a_zip_surfaces_as_anything_but_a_sentence(written: Path, tmp_path: Path) -> None:
    whole = dict(open_bundle(zip_of(written)).files)
    few = {name: whole[name][:1500] for name in (CHECKSUMS, L.statement, "README.md", L.csv)}
    archive = bundle.zipped(few, top="release")
    place = tmp_path / "flipped.zip"
    for content in flipped(archive, range(0, len(archive), 2)):
        place.write_bytes(content)
        assert not verdict_or_mistake(place)


@pytest.mark.long
def test_a_flipped_bit_of_the_zip_in_a_folder_is_found(copy: Path, written: Path) -> None:
    content, seen = zip_of(written).read_bytes(), set()
    for bad in flipped(content, range(100, 2000, 37)):
        zip_of(copy).write_bytes(bad)
        seen |= {problem.rpartition("zip' ")[2] for problem in verify(copy, notebook=notebook).problems}
    assert "cannot be read as a zip." in seen


def test_a_zip_that_would_fill_the_memory_is_not_unpacked(copy: Path, tmp_path: Path) -> None:
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("x/a", "x/b"):
            archive.writestr(name, b"0" * 1000)
        for entry in archive.infolist():
            entry.file_size = 3 * 2**30
    (tmp_path / "bomb.zip").write_bytes(bomb.getvalue())
    with pytest.raises(Mistake, match="unpacks to more than 4 GB"):
        verify(tmp_path / "bomb.zip")
    zip_of(copy).write_bytes(bomb.getvalue())
    assert any("unpacks to more than 4 GB" in problem for problem in verify(copy, notebook=notebook).problems)


def test_a_zip_with_two_files_of_one_name_is_no_bundle(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "two.zip", "w") as archive:
        archive.writestr(f"x/{CHECKSUMS}", b"one")
        archive.writestr(f"y/{CHECKSUMS}", b"two")
    with pytest.raises(Mistake, match="two files with the same name"):
        verify(tmp_path / "two.zip")


def other_shares(column: str) -> Callable[[Any], None]:
    def edit(stated: Any) -> None:
        stated["shares"][0][column] += 0.01

    return edit


SHARES_FORGED: list[tuple[str, Callable[[Any], Any], str]] = [
    (L.checks, other_shares("reached"), "a share that differs from that of the table"),
    (L.checks, other_shares("wanted"), "a number that differs from the requested one"),
    (
        L.checks,
        lambda stated: next(s for s in stated["shares"] if s.get("interval")).update(interval=[0.2, 0.201]),
        "a number that differs from the requested one",
    ),
    (
        L.checks,
        lambda stated: stated.update(shares=stated["shares"][1:]),
        "disagree on which shares were requested",
    ),
    (L.checks, lambda stated: stated.update(shares=[]), "disagree on which shares were requested"),
    (L.spec, lambda spec: spec.update(rules=spec["rules"][:1]), "disagree on which shares were measured"),
]


@pytest.mark.parametrize(
    ("name", "edit", "said"), SHARES_FORGED, ids=[str(i) for i in range(len(SHARES_FORGED))]
)
def test_false_shares(
    steered: Path, tmp_path: Path, name: str, edit: Callable[[Any], Any], said: str
) -> None:
    assert verify(steered).ok
    is_found(forge(dict(open_bundle(zip_of(steered)).files), name, edit), tmp_path, said)


def test_a_bundle_with_shares_is_opened_with_what_they_cost(steered: Path) -> None:
    opened = open_bundle(steered)
    assert opened.plan().shares_part == opened.spec["shares_part"] == 0.01
    assert len(opened.evidence.shares) == 1 and opened.evidence.shares[0].part == "shares"
    assert [s.origin for s in opened.checks.shares] == ["bought", "declared"]


def released(
    folder: Path, method: str, *, blank: bool = True, means: tuple[str, ...] = (), **options: object
) -> Path:
    """A bundle of three small columns by a method whose answers are not all tables; not to be changed."""
    rows = "".join(f"{i % 3},{i % 2},{i * i % 3}\n" for i in range(300))
    (folder / "t.csv").write_text(f"a,b,c\n{rows}")
    columns = [{"name": name, "kind": "ordered", "values": [0, 1, 2], "blank": blank} for name in "abc"]
    schema = load_schema({"name": "t", "population": "t", "unit": {"max_rows": 1}, "columns": columns})
    plan = Plan(
        schema=schema,
        rules=parse_rules([], schema),
        epsilon=4.0,
        delta=1e-6,
        method=method,
        options=options,
        means=means,
    )
    ledger = Ledger(folder / "ledger.sqlite")
    ledger.open_population("t", units=plan.units, protects=schema.protects, reason="test")
    made = pipeline.release(plan, data=folder / "t.csv", ledger=ledger, run="20261123-cccccccc")
    return bundle.write(made, folder / "bundle", notebook=notebook)


RELEASED: dict[str, dict[str, Any]] = {
    "halved": {"method": "rap", "half_spaces": 0.5, "pool": 6, "epochs": 1, "top_half_spaces": 2},
    "contrasted": {"method": "blend", "blank": False},  # columns of three codes: interactions are asked
    "scored": {"method": "absyn"},
    "voted": {"method": "ballot"},
    "waved": {"method": "merf"},
    "trained": {"method": "tabddpm"},
    "summed": {"method": "independent", "means": ("a ~ b + c", "b by c")},
    "started": {"method": "grove", "means": ("logistic a[1] ~ b + c",)},
}


@pytest.fixture(scope="session")
def bundle_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A bundle by its name, made once."""
    return cache(lambda name: released(tmp_path_factory.mktemp(name), **RELEASED[name]))


def stated(kind: str, **changes: Any) -> Callable[[Any], None]:
    """The first answer of a kind, told otherwise."""
    return lambda document: document[kind][0].update(changes)


def asked_otherwise(kind: str, **changes: Any) -> Callable[[Any], None]:
    return lambda document: document[kind][0]["asked"].update(changes)


def without(kind: str) -> Callable[[Any], object]:
    return lambda document: document[kind].pop()


def less_noisy_training(document: Any) -> None:
    document["trained"][0]["sigma"] *= 0.999


def fewer_values(document: Any) -> None:
    document["numbers"][0]["values"] = document["numbers"][0]["values"][:-1]


def other_law(document: Any) -> None:
    answer = document["numbers"][0]
    answer["law"] = None if answer["law"] else "gaussian"


def other_lattice(document: Any) -> None:
    document["numbers"][0]["asked"]["terms"][0]["high"] += 1


def other_start(document: Any) -> None:
    requested = document["numbers"][0]["asked"]
    score = Score.of(requested)
    requested.update(replace(score, start=(score.start[0] + 9, *score.start[1:])).as_facts())


NO_SCORES: list[dict[str, Any]] = [
    {"cliques": [["a", "b"]]},
    {"cliques": [["a", "b"], ["a", "c"], ["c", "b"]]},
    {"score": "loudest"},
    {"score": "largest_gap"},
    {"cliques": [], "values": []},
    {"variance": "1/0"},
    {"values": [2**70] * 3},
    {"groups": {"a": [0]}},
    {"values": [1]},
]
ANSWERS_FORGED: list[tuple[str, Callable[[Any], object], str]] = [
    *(
        (name, edit, said)
        for name in ("halved", "voted", "waved", "contrasted", "summed", "started")
        for edit, said in (
            (quieter("numbers"), "less noise than its cost"),
            (stated("numbers", rho_units=1), "disagree on its cost"),
            (stated("numbers", step=99), "does not belong to any query"),
            (stated("numbers", part="comparison"), "does not belong to any query"),
            (stated("numbers", scale=3), "not fit the query that"),
            (other_law, "not fit the query that"),
            (asked_otherwise("numbers", clique=["b"]), "does not belong to any query"),
            (asked_otherwise("numbers", ask="measure"), "does not belong to any query"),
            (asked_otherwise("numbers", note="more"), "not fit the query that"),
            (without("numbers"), "was charged but is not among"),
        )
    ),
    *(
        (name, edit, said)
        for name in ("contrasted", "scored")
        for edit, said in (
            (quieter("scores"), "less noise than its cost"),
            (stated("scores", rho_units=1), "disagree on its cost"),
            (stated("scores", step=99), "does not belong to any query"),
            (stated("scores", part="comparison"), "does not belong to any query"),
            *((stated("scores", **changes), "damaged") for changes in NO_SCORES),
        )
    ),
    *(
        (name, fewer_values, "not fit the query that")
        for name in ("halved", "voted", "waved", "summed", "started")
    ),
    ("started", other_lattice, "not fit the query that"),
    ("started", other_start, "does not start from a fit"),
    ("summed", other_lattice, "not fit the query that"),
    ("contrasted", stated("scores", weights=[0, 0, 0]), "damaged"),
    ("halved", asked_otherwise("numbers", thresholds=[1 << 41, 0]), "not fit the query that"),
    ("halved", asked_otherwise("numbers", directions=[[1], [1]]), "not fit the query that"),
    ("voted", asked_otherwise("numbers", candidates=[[9, 9, 9]]), "not fit the query that"),
    ("waved", asked_otherwise("numbers", frequencies=[[1 << 16, 0, 0]]), "not fit the query that"),
    ("trained", less_noisy_training, "less noise than its cost"),
    ("trained", asked_otherwise("trained", most=2), "less noise than its cost"),
    ("trained", asked_otherwise("trained", rate=1 << 16), "less noise than its cost"),
    ("trained", asked_otherwise("trained", steps=0), "not fit the query that"),
    ("trained", stated("trained", rho_units=1), "disagree on its cost"),
    ("trained", stated("trained", step=99), "does not belong to any query"),
    ("trained", without("trained"), "was charged but is not among"),
]


@pytest.mark.parametrize("name", RELEASED)
def test_answers_that_are_no_tables_are_whole(bundle_of: Callable[[str], Path], name: str) -> None:
    assert verify(bundle_of(name)).problems == ()


@pytest.mark.parametrize(("name", "edit", "said"), ANSWERS_FORGED)
def test_a_forged_answer_that_is_no_table_is_found(
    bundle_of: Callable[[str], Path], tmp_path: Path, name: str, edit: Callable[[Any], object], said: str
) -> None:
    def changed(document: Any) -> Any:
        edit(document)
        return document

    whole = dict(open_bundle(bundle_of(name)).files)
    files = forge({n: c for n, c in whole.items() if not n.endswith(".zip")}, L.measurements, changed)
    is_found(files, tmp_path, said)
