"""Prepare the pictures of the report: the synthetic rows and the noisy counts of every column."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from synth.core.axis import Axis, Grouping
from synth.core.discretisation import decimals_of
from synth.core.numbers import places, share_at_most
from synth.core.schema import Column, Kind, Outside, Value
from synth.estimates.estimator import Estimator
from synth.release.documents.charts import ROWS, Panel, short
from synth.release.opened import Bundle


def panels(bundle: Bundle) -> tuple[Panel, ...]:
    """Return one picture per column, in the order of the table."""
    codes, evidence = bundle.codes, bundle.evidence
    weight = evidence.total / max(len(codes), 1)
    groupings = {g.column: g for g in evidence.codebook.groupings}
    bounds = {b.clique[0]: b.tvd for b in bundle.checks.bounds if len(b.clique) == 1}
    estimator, drawn = Estimator.of(evidence), []
    for place, axis in enumerate(evidence.codebook.axes):
        size = evidence.domain.sizes[place]
        counts = np.bincount(codes[:, place], minlength=size) * weight
        cells = estimator.cells((axis.name,))
        share = bounds.get(axis.name)
        drawn.append(
            Panel(
                title=axis.column.heading,
                labels=code_labels(axis, groupings.get(axis.name)),
                synthetic=tuple(float(c) for c in counts),
                noisy=None if cells is None else tuple(cells.counts.tolist()),
                margins=() if cells is None else tuple(cells.reach(bundle.checks.confidence).tolist()),
                listed=axis.column.kind is Kind.CATEGORY
                or (axis.column.kind is Kind.ORDERED and size <= ROWS),
                may_be_blank=axis.column.blank,
                ends=_ends(axis),
                note=_note(share, known=axis.name not in bundle.checks.incomplete),
            )
        )
    return tuple(drawn)


def _note(share: float | None, *, known: bool) -> str:
    """Return the bound of a column in words, or an empty string if no bound was requested."""
    if not known:
        return "not known"
    return "" if share is None else f"within {share_at_most(share)}"


def _ends(axis: Axis) -> tuple[str, str]:
    """Return the labels of the first and the last bar of an ordered column, without the missing code."""
    first, last = axis.label(0), axis.label(axis.missing_code - 1)
    if axis.labels:
        return first, last
    return first.partition(" to ")[0], last.rpartition(" to ")[2]


def code_labels(axis: Axis, grouping: Grouping | None = None) -> tuple[str, ...]:
    """Return a label for every code of a column, or for every group of codes if the column has a grouping."""
    fine = [axis.label(code) for code in range(axis.size)]
    if grouping is None:
        return tuple(fine)
    members: list[list[int]] = [[] for _ in range(grouping.size)]
    for code, group in enumerate(grouping.group_of):
        members[group].append(code)
    return tuple(_group_label(axis, codes, fine) for codes in members)


def _group_label(axis: Axis, codes: Sequence[int], fine: Sequence[str]) -> str:
    if len(codes) == 1:
        return fine[codes[0]]
    if axis.edges and codes[-1] < axis.cells:
        return axis.span(codes[0], codes[-1])
    return f"{len(codes)} rare values"


def domain_text(axis: Axis) -> str:
    """Return a short description of a column's declared domain, with its decimals and missing codes."""
    missing = ", ".join(short(code, 24) for code in axis.column.missing)
    return _domain_text(axis) + (f"; missing if {missing}" if missing else "")


def _domain_text(axis: Axis) -> str:
    column = axis.column
    if column.id_format:
        return f"{column.id_format}, never from the table"
    if column.formula:
        return f"computed: {column.formula}"
    several = f"any of them, separated by {column.separator}: " if column.separator else ""
    if column.kind.has_range:
        named = ", ".join(short(label, 24) for label in column.labels)
        written = "; in the CSV by these names" if column.holds_bands else ""
        ends = " to ".join(column.written(end) for end in (column.min, column.max) if end is not None)
        if column.kind is Kind.DECIMAL and not written:
            most = decimals_of(axis)
            ends_given = (float(end) for end in (column.min, column.max) if end is not None)
            ends = f"{' to '.join(f'{end:,.{most}f}' for end in ends_given)}, {places(most)}"
        return ends + (f" ({named}{written})" if named else "")
    shown = ", ".join(_value_text(column, value) for value in column.values[:6])
    more = len(column.values) - 6
    other = f", else {short(column.other_label, 24)}" if column.outside is Outside.OTHER else ""
    return several + (f"{shown} and {more} more{other}" if more > 0 else f"{shown}{other}")


def _value_text(column: Column, value: Value) -> str:
    """Return a declared value as the dictionary shows it, with its label."""
    label = column.label_of(value)
    if label == str(value) or column.write_labels:
        return short(label, 24)
    return f"{short(str(value), 24)} = {short(label, 24)}"
