"""What every session is: counts of one table, and shown to nobody."""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from synth.core.errors import Refusal
from synth.private.reading.sessions import Session, Stored


class Invented(Session):
    """A session of a table that is not there."""

    @property
    def columns(self) -> Mapping[str, Stored]:
        return {"a": Stored.WHOLE, "b": Stored.OTHER, "c": Stored.DECIMAL}

    @property
    def table(self) -> Any:
        return self._table("t", schema="s")

    def rows(self, counts: Any) -> Sequence[tuple[Any, ...]]:
        return []

    def close(self) -> None:
        pass


def test_a_session_is_neither_shown_nor_pickled() -> None:
    assert repr(Invented()) == "Invented()"
    with pytest.raises(Refusal):
        pickle.dumps(Invented())
