"""Equal files have one fingerprint under a key; it is no plain hash, and what cannot be read has none."""

import hashlib
import secrets
from pathlib import Path

import pytest

from synth.private.reading.fingerprint import CHUNK, fingerprint

CONTENT = b"id,age\n1,40\n2,50\n" * 1000


def test_a_copy_has_the_same_fingerprint_and_any_other_file_another(tmp_path: Path) -> None:
    key, path, copy = secrets.token_bytes(32), tmp_path / "t.csv", tmp_path / "copy.csv"
    long = CONTENT * (CHUNK // len(CONTENT) + 2)
    path.write_bytes(long)
    copy.write_bytes(long)
    first = fingerprint(path, key=key)
    assert first is not None and len(first) == 64
    assert fingerprint(copy, key=key) == first
    for other in (long[:-1], long + b"\n", long[:-3] + b"1" + long[-2:], b""):
        copy.write_bytes(other)
        assert fingerprint(copy, key=key) not in (first, None)


def test_it_says_nothing_without_its_key(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(CONTENT)
    found = {fingerprint(path, key=secrets.token_bytes(32)) for _ in range(2)}
    assert len(found) == 2
    plain = {hashlib.new(name, CONTENT).hexdigest() for name in ("md5", "sha1", "sha256", "blake2b")}
    plain |= {hashlib.blake2b(CONTENT, digest_size=32).hexdigest()}
    plain |= {hashlib.blake2b(CONTENT, digest_size=32, person=b"known").hexdigest()}
    assert not found & plain


@pytest.mark.parametrize("name", ["gone.csv", ".", "*.csv"])
def test_what_is_no_file_has_none(tmp_path: Path, name: str) -> None:
    assert fingerprint(tmp_path / name, key=b"k") is None


def test_of_several_files_it_is_that_of_their_bytes_whatever_they_are_called(tmp_path: Path) -> None:
    key = secrets.token_bytes(32)
    for folder, names in (("one", ("a", "b")), ("two", ("y", "x")), ("three", ("a", "c"))):
        (tmp_path / folder).mkdir()
        for name, content in zip(names, (CONTENT, CONTENT[:-1]), strict=True):
            (tmp_path / folder / f"{name}.csv").write_bytes(content)
    (tmp_path / "three" / "c.csv").write_bytes(b"id,age\n")
    found = [fingerprint(tmp_path / folder, key=key) for folder in ("one", "two", "three")]
    assert found[0] is not None and found[0] == found[1] != found[2]
    assert fingerprint(tmp_path / "one" / "*.csv", key=key) == found[0]


def test_a_duckdb_file_has_one_whatever_its_table_is_called(tmp_path: Path) -> None:
    key, path = secrets.token_bytes(32), tmp_path / "d.duckdb"
    path.write_bytes(CONTENT)
    names = ("", "::people", "::PEOPLE", "::other")
    (first,) = {fingerprint(f"{path}{name}", key=key) for name in names}
    (tmp_path / "d.duckdb.wal").write_bytes(b"a row more")
    (later,) = {fingerprint(f"{path}{name}", key=key) for name in names}
    assert None not in (first, later) and first != later
