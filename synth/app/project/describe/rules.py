"""Describe the rules of a project one by one: their sentences, their effects, and why a rule cannot be used.

Everything follows from the declarations, and no data is used. A rule that cannot be read does not hide the
others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synth.app.project.results.released import marginal_label
from synth.app.project.store import Project
from synth.core.axis import Axis, domain_of
from synth.core.codebook import Codebook
from synth.core.discretisation import axis_of
from synth.core.errors import Mistake
from synth.core.graphs.junction import JunctionGraph
from synth.core.schema import Kind, Schema
from synth.dictionaries import load_schema
from synth.dictionaries.check import cells_of
from synth.mechanisms import MECHANISMS
from synth.mechanisms.shared.base import CELLS_PER_MB
from synth.rules import Effect, Rules, explain_width, parse_rules
from synth.rules.documents import Entry, entries_in, parse_entry, renamed_entry
from synth.rules.terms import Rule, Share

MOST_DRAWN = 60
"""Maximum number of rows and of columns in the picture of a rule."""
_DEFAULT_CAPACITY_MB = 8.0


@dataclass(frozen=True, kw_only=True)
class Picture:
    """The share of each combination that a rule over one or two columns removes.

    Shape: `removed[y][x]`, from 0 (possible) to 1 (impossible), with one entry per pair of labels. A
    combination with some impossible values counts half. Adjacent values with equal effects share a label. A
    rule over more than two columns is drawn over its first two. `also` names the others, and the shares are
    averages over them.
    """

    across: str
    down: str
    labels_across: tuple[str, ...]
    labels_down: tuple[str, ...]
    removed: tuple[tuple[float, ...], ...]
    also: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class RuleView:
    """One rule of a project, or the reason why it cannot be used. There are no effects while a domain is
    still to be estimated, or for a `share` (target proportion), which excludes nothing.
    """

    sentence: str
    because: str = ""
    mistake: str = ""
    effects: tuple[Effect, ...] = ()
    pictures: tuple[Picture, ...] = ()
    share: Share | None = None


@dataclass(frozen=True, kw_only=True)
class RulesTogether:
    """All rules together: contradictions, remarks, and the model size that they need."""

    mistake: str = ""
    warnings: tuple[str, ...] = ()
    too_wide: str = ""
    cells: int = 0


def views(schema: Schema, entries: Sequence[Entry]) -> tuple[RuleView, ...]:
    """Return a view of each rule, in the order of `entries`."""
    read = _read(schema, entries)
    axes = _axes(schema, _readable(read))
    return tuple(_view(schema, entry, one, axes) for entry, one in zip(entries, read, strict=True))


def together(schema: Schema, entries: Sequence[Entry], *, capacity: int) -> RulesTogether:
    """Check all rules together. `capacity` is the maximum number of cells in the method's model."""
    try:
        rules = parse_rules(list(entries), schema)
        axes = _axes(schema, [rule for rule in rules.rules if rule.stated])
        countable = [rule for rule in rules.rules if set(rule.columns) <= set(axes)]
        whole = Rules(schema, tuple(countable))
        zeros = whole.zeros(tuple(axes.values()))
        whole.coded_shares(Codebook(schema=schema, axes=tuple(axes.values())))
    except Mistake as mistake:
        return RulesTogether(mistake=str(mistake))
    joined = [zero.clique for zero in zeros if len(zero.clique) > 1]
    domain = domain_of(tuple(axes.values()))
    touched = domain.project(domain.clique(name for clique in joined for name in clique))
    cells = JunctionGraph.of(touched, joined).cells if joined else 0
    wide = explain_width(zeros, domain, max_cells=capacity, model_cells=cells)
    return RulesTogether(warnings=rules.warnings, too_wide=wide or "", cells=cells)


def measured_shares(schema: Schema, entries: Sequence[Entry]) -> int:
    """Return the number of target proportions that are measured in the table."""
    return Rules(schema, tuple(_readable(_read(schema, entries)))).measured_shares


def capacity_of(project: Project) -> int:
    """Return the maximum number of cells that the settings of the chosen method allow in its model."""
    mechanism = MECHANISMS.get(project.method.name)
    default = getattr(mechanism, "capacity_mb", _DEFAULT_CAPACITY_MB)
    return int(project.method.options.get("capacity_mb", default) * CELLS_PER_MB)


def stated(sentence: str, because: str) -> Entry:
    """Return an entry of the rules for a sentence, with the reason if there is one."""
    reason = " ".join(because.split())
    return {"sentence": sentence, "because": reason} if reason else sentence


def with_entries(project: Project, schema: Schema, entries: Sequence[Entry]) -> Project:
    """Return the project with additional rules. Raises: `Mistake` for a rule that cannot be read, already
    exists, or contradicts others.
    """
    read = _read(schema, project.rules)
    sound = [e for e, one in zip(project.rules, read, strict=True) if isinstance(one, Rule)]
    stated_parts = {rule.parts for rule in _readable(read)}
    fresh = [entry for entry in entries if parse_entry(entry, schema).parts not in stated_parts]
    if not fresh:
        raise Mistake("This rule already exists.")
    joint = together(schema, [*sound, *fresh], capacity=capacity_of(project))
    if joint.mistake:
        raise Mistake(joint.mistake)
    return replace(project, rules=(*project.rules, *fresh))


def without(project: Project, place: int) -> Project:
    """Return the project without one of its rules."""
    return replace(project, rules=tuple(e for i, e in enumerate(project.rules) if i != place))


def changed(project: Project, schema: Schema, place: int, *, sentence: str, because: str) -> Project:
    """Return the project with one rule replaced. Raises: as in `with_entries`."""
    entry = stated(sentence, because)
    others = without(project, place)
    with_entries(others, schema, [entry])
    kept = others.rules
    return replace(project, rules=(*kept[:place], entry, *kept[place:]))


def sentence_of(entry: Entry) -> str | None:
    """Return the sentence of a rule for editing, or None for a rule that was given as a table."""
    said = entry if isinstance(entry, str) else entry.get("sentence")
    return said if isinstance(said, str) else None


def renamed(project: Project, names: Mapping[str, str]) -> Project:
    """Return the project with renamed columns in its rules and priorities.

    `names` maps old to new names. The project's schema must still have the old names. A rule that cannot be
    read does not change.
    """
    schema = _outline(project.schema)
    rules = tuple(_renamed(entry, schema, names) for entry in project.rules)
    importance = {names.get(name, name): word for name, word in project.budget.importance.items()}
    return replace(project, rules=rules, budget=replace(project.budget, importance=importance))


def _renamed(entry: Entry, schema: Schema, names: Mapping[str, str]) -> Entry:
    try:
        return renamed_entry(entry, schema, names)
    except Mistake:
        return entry


def _outline(document: Mapping[str, Any]) -> Schema:
    """Return a schema of the complete columns, which is enough to read the names in rules."""
    whole = {"name": "t", "population": "p", "unit": {"max_rows": 1}}
    columns = []
    for entry in document.get("columns") or []:
        try:
            load_schema({**whole, "columns": [entry]})
            columns.append(entry)
        except Mistake:
            columns.append({"name": entry["name"], "kind": "category", "buy": True})
    return load_schema({**whole, "columns": columns})


def misfits(schema: Schema, entries: Sequence[Entry]) -> tuple[int, ...]:
    """Return the indices of rules that cannot be read with these columns."""
    return tuple(place for place, one in enumerate(_read(schema, entries)) if isinstance(one, Mistake))


def imported(raw: bytes, *, name: str, schema: Schema, because: str) -> tuple[Entry, ...]:
    """Read the rules in an uploaded file.

    Raises: `Mistake` for a file without rules, or a rule that cannot be read.
    """
    entries = entries_in(raw, name=name)
    for entry in entries:
        parse_entry(entry, schema)
    if because and len(entries) == 1 and isinstance(entries[0], Mapping):
        return ({**entries[0], "because": entries[0].get("because", because)},)
    return tuple(entries)


def _read(schema: Schema, entries: Sequence[Entry]) -> list[Rule | Mistake]:
    """Return each entry as a rule, or as the reason why it cannot be read."""
    return [_rule_or_mistake(schema, entry) for entry in entries]


def _rule_or_mistake(schema: Schema, entry: Entry) -> Rule | Mistake:
    try:
        return parse_entry(entry, schema)
    except Mistake as mistake:
        return mistake


def _readable(read: Sequence[Rule | Mistake]) -> list[Rule]:
    return [one for one in read if isinstance(one, Rule)]


def _axes(schema: Schema, rules: Sequence[Rule]) -> dict[str, Axis]:
    """Return the axes of all columns with a declared domain, cut at the thresholds in rules."""
    cuts = Rules(schema, tuple(rules)).cuts
    return {c.name: axis_of(c, cuts(c.name)) for c in schema.modelled if cells_of(c) is not None}


def _view(schema: Schema, entry: Entry, read: Rule | Mistake, axes: Mapping[str, Axis]) -> RuleView:
    given: Mapping[str, Any] = entry if isinstance(entry, Mapping) else {"sentence": entry}
    because = str(given.get("because", ""))
    try:
        if isinstance(read, Mistake):
            raise read
        rule = read
        if not set(rule.columns) <= set(axes):
            return RuleView(sentence=rule.sentence, because=because, share=rule.share)
        alone, ordered = Rules(schema, (rule,)), tuple(axes.values())
        effects, zeros, partial = alone.effects(ordered), alone.zeros(ordered), alone.partial(ordered)
    except Mistake as mistake:
        sentence = str(given.get("sentence") or "A rule that cannot be read")
        return RuleView(sentence=sentence, because=because, mistake=str(mistake))
    drawn = (_picture(z.clique, _part(z.forbidden, partial.get(z.clique)), axes) for z in zeros)
    pictures = tuple(picture for picture in drawn if picture is not None)
    return RuleView(
        sentence=rule.sentence, because=because, effects=effects, pictures=pictures, share=rule.share
    )


def _part(forbidden: NDArray[np.bool_], partial: NDArray[np.bool_] | None) -> NDArray[np.float64]:
    """Return the forbidden share of every cell, which is 0.5 for a `partial` cell. Shapes: as in the
    arguments.
    """
    part = forbidden.astype(np.float64)
    return part if partial is None else np.maximum(part, partial / 2)


def _picture(clique: Sequence[str], removed: NDArray[np.float64], axes: Mapping[str, Axis]) -> Picture | None:
    """Return a picture of what a rule removes from one table, or None if the table is too large to draw.

    Shapes: `removed: float64[axis sizes]`, in the order of the clique.
    """
    across = axes[clique[min(len(clique), 2) - 1]]
    part, down = removed[np.newaxis], ""
    labels_down: tuple[str, ...] = ("",)
    if len(clique) > 1:
        part, labels_down = _merged(removed.mean(axis=tuple(range(2, len(clique)))), 0, axes[clique[0]])
        down = axes[clique[0]].column.heading
    part, labels_across = _merged(part, 1, across)
    if max(part.shape) > MOST_DRAWN:
        return None
    return Picture(
        across=across.column.heading,
        down=down,
        labels_across=labels_across,
        labels_down=labels_down,
        removed=tuple(tuple(float(cell) for cell in row) for row in part),
        also=tuple(axes[name].column.heading for name in clique[2:]),
    )


def _merged(part: NDArray[np.float64], along: int, axis: Axis) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    """Merge adjacent ordered values with equal effects. Return the smaller table and its labels.

    Shapes: `part[down, across]`. `axis` describes the dimension `along` which values are merged.
    """
    groups: list[list[int]] = []
    for code in range(axis.size):
        is_alike = (
            bool(groups)
            and axis.column.kind.is_ordered
            and code < axis.cells
            and np.array_equal(part.take(code, axis=along), part.take(groups[-1][0], axis=along))
        )
        if is_alike:
            groups[-1].append(code)
        else:
            groups.append([code])
    firsts = [group[0] for group in groups]
    return part.take(firsts, axis=along), tuple(_label(axis, group) for group in groups)


def _label(axis: Axis, group: Sequence[int]) -> str:
    is_dates = axis.column.kind is Kind.DATE and not axis.column.labels
    if is_dates and group[-1] < axis.cells:  # on charts a bin has the name of its first day
        return axis.span(group[0], group[-1])
    first, last = marginal_label(axis, group[0]), marginal_label(axis, group[-1])
    if len(group) == 1:
        return first
    if axis.edges:  # "0 to 4" and "10 to 14" read best as "0 to 14"
        first, last = first.split(" to ")[0], last.split(" to ")[-1]
        return f"{first} to {last}"
    return f"{first} … {last}"
