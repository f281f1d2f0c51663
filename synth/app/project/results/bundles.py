"""Open finished packages once for all pages, and cache them by their checksums. Everything in them is
public.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import lru_cache, wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from synth.core.accounting import limit_for, rho_of
from synth.core.errors import Mistake
from synth.core.evidence import Evidence
from synth.release.documents.statement import claimed_law
from synth.release.layout import CHECKSUMS
from synth.release.opened import Bundle, open_bundle

UNREADABLE = "This release cannot be read: a file of its package is missing or damaged."

P = ParamSpec("P")
R = TypeVar("R")


def checksums_of(folder: Path) -> bytes:
    """Return the checksums of a bundle, which change with its content. Raises: `Mistake`."""
    try:
        return (folder / CHECKSUMS).read_bytes()
    except OSError:
        raise Mistake(UNREADABLE) from None


def cached(
    size: int,
) -> Callable[[Callable[Concatenate[Path, P], R]], Callable[Concatenate[Path, P], R]]:
    """Cache the last `size` results of a function that takes the folder of a package, as long as the
    package's checksums stay the same.
    """

    def decorate(function: Callable[Concatenate[Path, P], R]) -> Callable[Concatenate[Path, P], R]:
        @lru_cache(maxsize=size)
        def known(checksums: bytes, *given: Any, **named: Any) -> R:
            return function(*given, **named)

        @wraps(function)
        def call(folder: Path, /, *given: P.args, **named: P.kwargs) -> R:
            return known(checksums_of(folder), folder, *given, **named)  # type: ignore[arg-type]

        call.cache_clear = known.cache_clear  # type: ignore[attr-defined]
        return call

    return decorate


@cached(8)
def opened(folder: Path) -> Bundle:
    """Open a bundle of this app. Raises: `Mistake` if there is none."""
    return open_bundle(folder)


def evidence_of(folder: Path) -> Evidence:
    """Return the evidence of a bundle. Raises: `Mistake` if it is damaged."""
    try:
        return opened(folder).evidence
    except (Mistake, ValueError):
        raise Mistake(UNREADABLE) from None


def noise_saved(statement: Mapping[str, Any]) -> float:
    """Return the share by which twice the epsilon lowers the standard deviation of the noise. The variance of
    the noise is inversely proportional to rho.
    """
    law, delta = claimed_law(statement), statement["delta"]
    now, twice = (rho_of(limit_for(factor * statement["epsilon"], delta).under(law)) for factor in (1.0, 2.0))
    return 1 - math.sqrt(now / twice)
