"""A sealed function may raise a `Refusal` and nothing that leads back to what went wrong."""

import traceback

import pytest

from synth.core.errors import Code, Refusal
from synth.private.sealed import sealed

CANARY = "canary-7f3a"


@sealed(Code.FILE_UNREADABLE)
def stumble(value: str) -> None:
    raise KeyError(value)


def test_exception_leaves_no_text_and_no_chain() -> None:
    with pytest.raises(Refusal) as caught:
        stumble(CANARY)
    refusal = caught.value
    assert refusal.code is Code.FILE_UNREADABLE
    assert refusal.__cause__ is None
    assert refusal.__context__ is None
    assert "KeyError" not in "".join(traceback.format_exception(refusal))
    names = [frame.name for frame in traceback.extract_tb(refusal.__traceback__)]
    assert "stumble" not in names


def test_refusal_keeps_its_code() -> None:
    @sealed(Code.INTERNAL)
    def refuse() -> None:
        raise Refusal(Code.HEADER_MISMATCH)

    with pytest.raises(Refusal) as caught:
        refuse()
    assert caught.value.code is Code.HEADER_MISMATCH
    assert caught.value.__context__ is None
