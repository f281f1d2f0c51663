"""Test the files beside the ledger: only for their owner, complete or absent, and checked for changes."""

from pathlib import Path

import pytest

from synth.core.errors import Code, Refusal
from synth.private.ledger import Ask, Ledger, batch
from synth.private.ledger.blobs import Blobs
from tests.ledgers import opened
from tests.refusals import refused

APPEND = batch.entries.append_all


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return opened(tmp_path / "l.sqlite", 1000, run=600)


def asks(*answers: bytes, state: bytes = b"") -> list[Ask]:
    return [
        Ask(query={"ask": i}, units=10, answer=lambda blob=blob: blob, state=state)  # type: ignore[misc]
        for i, blob in enumerate(answers)
    ]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "LARGEST_INSIDE", 3)


def test_a_file_is_whole_private_and_may_be_written_again(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path / "l.sqlite")
    assert blobs.read("a") is None and not blobs.folder.exists()
    for content in (b"first", b"second"):
        blobs.write("a", content, is_durable=True)
        assert blobs.read("a") == content
    assert [path.name for path in blobs.folder.iterdir()] == ["a"]
    assert (blobs.folder / "a").stat().st_mode & 0o077 == 0 == blobs.folder.stat().st_mode & 0o077


def test_large_answers_lie_beside_and_are_handed_out_and_replayed_as_any(ledger: Ledger, small: None) -> None:
    blobs = (b"large one", b"abc", b"large two")
    assert ledger.ask_all("r", part="m", step=0, asks=asks(*blobs)) == blobs
    assert len(list(Blobs(ledger.path).folder.iterdir())) == 2
    assert Ledger(ledger.path).ask_all("r", part="m", step=0, asks=asks(b"", b"", b"")) == blobs
    assert tuple(stored.blob for stored in ledger.answers("r")) == blobs and ledger.verify()


def test_a_large_answer_is_on_disk_before_its_entry(ledger: Ledger, small: None, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    def fail(self: Blobs, name: str, content: bytes, *, is_durable: bool) -> None:
        assert is_durable
        raise OSError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(Blobs, "write", fail)
        with pytest.raises(Refusal) as caught:
            ledger.ask_all("r", part="m", step=0, asks=asks(b"large"))
    assert caught.value.code is Code.LEDGER_UNAVAILABLE
    assert ledger.answers("r") == () and ledger.balance("p").spent == 10
    assert ledger.ask_all("r", part="m", step=0, asks=asks(b"again")) == (b"again",)
    assert ledger.balance("p").spent == 10 and ledger.verify()


def test_answers_of_a_linked_ledger_lie_beside_the_file(ledger: Ledger, small: None, tmp_path: Path) -> None:
    (link := tmp_path / "elsewhere" / "m.sqlite").parent.mkdir()
    link.symlink_to(ledger.path)
    assert Ledger(link).ask_all("r", part="m", step=0, asks=asks(b"large")) == (b"large",)
    assert ledger.ask_all("r", part="m", step=0, asks=asks(b"other")) == (b"large",) and ledger.verify()


@pytest.mark.parametrize("killed", ["before the entry", "while writing"])
def test_a_charge_has_one_answer(
    ledger: Ledger, small: None, monkeypatch: pytest.MonkeyPatch, killed: str
) -> None:
    """A process that is killed after its answer was written leaves no second noise for the same charge."""

    def fail(*stated: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        if killed == "while writing":
            patch.setattr(Path, "replace", fail)
            patch.setattr(Path, "unlink", lambda *stated, **more: None)  # nothing is tidied up by the dead
        else:
            patch.setattr(
                batch.entries,
                "append_all",
                lambda db, kind, *more: APPEND(db, kind, *more) if kind != "answer" else fail(),
            )
        with pytest.raises(KeyboardInterrupt):
            ledger.ask_all("r", part="m", step=0, asks=asks(b"the first noise"))
    assert len(list(Blobs(ledger.path).folder.iterdir())) == 1 and ledger.answers("r") == ()
    assert ledger.ask_all("r", part="m", step=0, asks=asks(b"the second noise")) == (b"the second noise",)
    (file,) = Blobs(ledger.path).folder.iterdir()
    assert file.read_bytes() == b"the second noise" and ledger.verify()


@pytest.mark.parametrize("harm", ["removed", "changed"])
def test_a_lost_or_changed_large_answer_is_not_returned(ledger: Ledger, small: None, harm: str) -> None:
    ledger.ask_all("r", part="m", step=0, asks=asks(b"large"))
    (file,) = Blobs(ledger.path).folder.iterdir()
    if harm == "removed":
        file.unlink()
    else:
        file.write_bytes(b"other")
    for read in (lambda: ledger.answers("r"), ledger.verify):
        with refused(Code.LEDGER_BROKEN):
            read()


def test_what_a_question_was_made_of_is_kept_with_its_charge(ledger: Ledger) -> None:
    def fail() -> bytes:
        raise ZeroDivisionError

    ledger.ask_all("r", part="m", step=0, asks=asks(b"a", b"b", state=b"public"))
    ask = Ask(query={"ask": 2}, units=20, answer=fail, state=b"pending")
    with pytest.raises(ZeroDivisionError):
        ledger.ask_all("r", part="m", step=2, asks=[ask])
    ledger.ask("r", part="n", step=0, query={"ask": 9}, units=10, answer=lambda: b"c")
    charges = ledger.charges("r", "m")
    assert [(c.query["ask"], c.units, c.state()) for c in charges] == [
        (0, 10, b"public"),
        (1, 10, b"public"),
        (2, 20, b"pending"),
    ]
    assert charges[0].batch == charges[1].batch != charges[2].batch
    assert ledger.charges("r", "n")[0].state() is None and ledger.charges("other", "m") == ()
