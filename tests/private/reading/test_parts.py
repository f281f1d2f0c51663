"""Test the files of a table, their copies, and their fingerprint."""

import hashlib
import secrets
from pathlib import Path

import pytest

from synth.core.errors import Code, Refusal
from synth.core.system.address import Address
from synth.private.reading.parts import CHUNK, copies, files_of, fingerprint


def refused(path: Path) -> Code:
    with pytest.raises(Refusal) as caught:
        files_of(Address(path=path))
    return caught.value.code


@pytest.mark.parametrize("other", ["a.parquet", "a.arrow", "a.duckdb"])
def test_files_of_two_kinds_are_none(tmp_path: Path, other: str) -> None:
    for name in ("b.csv", other):
        (tmp_path / name).write_text("x\n")
    assert refused(tmp_path) is Code.FILES_DIFFER


@pytest.mark.parametrize("again", ["symlink_to", "hardlink_to"])
@pytest.mark.parametrize("place", ["", "*.csv"])
def test_one_file_under_two_names_is_refused(tmp_path: Path, again: str, place: str) -> None:
    (tmp_path / "people.csv").write_text("x\n1\n")
    (tmp_path / "other.csv").write_text("x\n2\n")
    assert len(files_of(Address(path=tmp_path / place))) == 2
    getattr(tmp_path / "people-latest.csv", again)(tmp_path / "people.csv")
    assert refused(tmp_path / place) is Code.FILES_SAME
    (tmp_path / "other.csv").unlink()
    (tmp_path / "people.csv").rename(tmp_path / "_people.csv")
    if again == "hardlink_to":  # left out under its other name, it is there once
        assert len(files_of(Address(path=tmp_path / place))) == 1


def test_copies_are_known_by_their_bytes(tmp_path: Path) -> None:
    for name, content in (("a", "12"), ("b", "21"), ("c", "12"), ("d", "123"), ("e", "12")):
        (tmp_path / name).write_text(content)
    assert copies([tmp_path / name for name in "abcde"]) == {tmp_path / "c", tmp_path / "e"}


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


def test_a_duckdb_file_has_one_whatever_its_table_is_called(tmp_path: Path) -> None:
    key, path = secrets.token_bytes(32), tmp_path / "d.duckdb"
    path.write_bytes(CONTENT)
    names = ("", "::people", "::PEOPLE", "::other")
    (first,) = {fingerprint(f"{path}{name}", key=key) for name in names}
    (tmp_path / "d.duckdb.wal").write_bytes(b"a row more")
    (later,) = {fingerprint(f"{path}{name}", key=key) for name in names}
    assert None not in (first, later) and first != later
