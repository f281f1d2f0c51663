"""Test the vault of a run: only for its owner, keyed, and valid at the second opening."""

import hashlib
import json
from pathlib import Path

import pytest

from synth.core.errors import Code, Refusal
from synth.private.reading.vault import Vault, Watch
from tests.refusals import refused

CONTENT = b"id,age\n1,40\n2,50\n" * 1000


def opened(path: Path, vault: Vault) -> bytes:
    watch = Watch([path], vault)
    with watch.open(path) as file:
        said = file.read()
    watch.check()
    return said


def test_the_same_file_passes_and_any_other_does_not(tmp_path: Path) -> None:
    path, place = tmp_path / "t.csv", tmp_path / "vault.json"
    path.write_bytes(CONTENT)
    assert opened(path, Vault(place)) == CONTENT
    assert opened(path, Vault(place)) == CONTENT
    for other in (CONTENT[:-1], CONTENT + b"\n", CONTENT.replace(b"40", b"41", 1), b""):
        path.write_bytes(other)
        with refused(Code.FILE_CHANGED):
            opened(path, Vault(place))


def test_the_rest_of_a_file_counts_also_if_nobody_reads_it(tmp_path: Path) -> None:
    path, place = tmp_path / "t.csv", tmp_path / "vault.json"
    path.write_bytes(CONTENT)
    opened(path, Vault(place))
    watch = Watch([path], Vault(place))
    with watch.open(path) as file:
        file.read_on()
    watch.check()


def test_files_that_trade_names_or_bytes_are_others(tmp_path: Path) -> None:
    paths, place = [tmp_path / "a.csv", tmp_path / "b.csv"], tmp_path / "vault.json"

    def opened_all(*contents: bytes) -> None:
        watch = Watch(paths, Vault(place))
        for path, content in zip(paths, contents, strict=True):
            path.write_bytes(content)
            with watch.open(path) as file:
                file.read_on()
        watch.check()

    opened_all(b"x\n1\n", b"x\n2\n")
    opened_all(b"x\n1\n", b"x\n2\n")
    for others in ((b"x\n2\n", b"x\n1\n"), (b"x\n1\nx\n", b"2\n"), (b"x\n1\n", b"x\n")):
        with refused(Code.FILE_CHANGED):
            opened_all(*others)


def test_what_is_kept_is_the_owners_alone_and_no_plain_hash(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(CONTENT)
    kept = []
    for name in ("one.json", "two.json"):
        opened(path, Vault(tmp_path / name))
        assert (tmp_path / name).stat().st_mode & 0o777 == 0o600
        kept.append(json.loads((tmp_path / name).read_text()))
    assert kept[0]["fingerprint"] != kept[1]["fingerprint"]
    plain = {name: hashlib.new(name, CONTENT).hexdigest() for name in ("md5", "sha1", "sha256", "blake2b")}
    assert not {kept[0]["fingerprint"], kept[1]["fingerprint"]} & set(plain.values())
    assert hashlib.blake2b(CONTENT, digest_size=32).hexdigest() != kept[0]["fingerprint"]


def test_random_choices_repeat_under_one_key_alone(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(CONTENT)
    first = Vault(tmp_path / "one.json")
    chosen = first.entropy.bytes(100)
    opened(path, first)
    assert Vault(tmp_path / "one.json").entropy.bytes(100) == chosen
    assert Vault(tmp_path / "two.json").entropy.bytes(100) != chosen
    assert first.entropy.is_rehearsal is False


def test_a_vault_is_not_read_from_rubbish(tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text("{}")
    with pytest.raises(Refusal) as caught:
        Vault(tmp_path / "bad.json")
    assert caught.value.__context__ is None
    assert not (tmp_path / "none.json").exists()
