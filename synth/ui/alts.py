"""What each picture and table shows, in words: short, and with the finding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from synth.project.released import ColumnView, PairBound, ResidualView
from synth.schema import Schema
from synth.ui.text import count, share


def odds(posterior: float) -> str:
    return (
        f"Two arrays of one hundred squares: 50 filled for a coin, at most {posterior * 100:.0f} with the "
        "release."
    )


def ledger(parts: dict[str, float]) -> str:
    return (
        "A bar of the lifetime budget: "
        + ", ".join(f"{name} {share(part)}" for name, part in parts.items())
        + "."
    )


def shares(parts: Mapping[str, float], names: Mapping[str, str]) -> str:
    told = ", ".join(f"{names[part].lower()} {share(part_share)}" for part, part_share in parts.items())
    return f"A bar of the whole budget: {told}."


def columns(schema: Schema) -> str:
    return f"Table of the {len(schema.modelled)} declared columns."


def marginal(view: ColumnView) -> str:
    top = max(range(len(view.labels)), key=view.synthetic.__getitem__)
    whisker = "" if view.noisy is None else f" Noise whiskers of plus or minus {count(view.whisker)}."
    return (
        f"Bar chart of {view.title}: {len(view.labels)} values, the most frequent is "
        f"{view.labels[top]}.{whisker}"
    )


def bounds(pairs: Sequence[PairBound]) -> str:
    kinds = {kind: sum(p.kind == kind for p in pairs) for kind in ("measured", "inferred", "none")}
    return (
        f"Triangle of {len(pairs)} pairs of columns: {kinds['measured']} measured, {kinds['inferred']} "
        f"inferred, {kinds['none']} without a bound."
    )


def residuals(views: Sequence[ResidualView]) -> str:
    beyond = sum(abs(z) > 3 for view in views for z in view.sigmas)
    cells = sum(len(view.sigmas) for view in views)
    return f"Residuals of {cells} cells in {len(views)} measured tables; {beyond} lie beyond three sigmas."
