"""Public facts about work that is under way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Progress:
    """One public fact about a running release. `done` is a fraction of the budget or of the work."""

    stage: str
    done: float
    fact: str


Reporter = Callable[[Progress], None]
"""Receives public facts; may raise `errors.Cancelled` to stop between rounds."""


def silent(progress: Progress) -> None:
    """A reporter that tells nobody."""
