"""Name the entries that the gate judges: a method of ours with the options that affect its queries, or a
library's method.

The queries of a method of ours depend on its options and on whether rare values are merged first
(`compress`), so these are part of the name: `rap half_spaces=0.5`, `aim+compress`. The generator is not: it
reads noisy measurements only. Rules and preprocessing are not either: they declare another table.
"""

from __future__ import annotations

from synth import __version__
from synth.bench.peers.catalogue import PEERS
from synth.core.errors import Mistake
from synth.core.options import options_of, options_typed
from synth.mechanisms import MECHANISMS
from synth.mechanisms.shared.recipe import COMPRESS, Recipe, recipe_of

OURS = f"marginalia {__version__}"
"""The version that a verdict on a method of ours applies to, as `Verdict.versions` begins."""

USUAL = (*MECHANISMS, *(f"{name}+{COMPRESS}" for name, kind in MECHANISMS.items() if kind.joins), *PEERS)
"""The entries that are judged if none is named: all methods with their defaults, and with merged rare
values.
"""


def entry_of(method: str, variant: str = "") -> str:
    """Return the entry that judges a method in words and a variant (`Trial.variant`).

    >>> entry_of("aim+compress+refined", "rules alpha=0.5 cells=3 top=2")
    'aim+compress alpha=0.5'
    """
    name, *rest = method.split("+")
    if name not in MECHANISMS:
        return method
    usual = {f.name: f"{f.name}={f.default}" for f in options_of(MECHANISMS[name])}
    asked = [word for word in variant.split() if usual.get(word.partition("=")[0], word) != word]
    return " ".join(["+".join([name, *([COMPRESS] if COMPRESS in rest else [])]), *sorted(asked)])


def recipe_for(entry: str) -> Recipe:
    """Return the method that an entry of ours runs. Raises: `Mistake` for other words."""
    method, *options = entry.split()
    return recipe_of(method, options_typed(options))


def method_of(entry: str) -> str:
    """Return the name in `MECHANISMS` or `PEERS` with which an entry begins."""
    return entry.split()[0].partition("+")[0]


def entry_typed(typed: str) -> str:
    """Return the entry of a typed name. Raises: `Mistake` for an unknown one."""
    if typed in PEERS:
        return typed
    if method_of(typed or "-") not in MECHANISMS:
        raise Mistake(f"There is no entry {typed!r}. Choose among {', '.join(USUAL)}.")
    recipe_for(typed)
    method, *options = typed.split()
    return entry_of(method, " ".join(f"{name}={value}" for name, value in options_typed(options).items()))
