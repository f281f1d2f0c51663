"""Represent conditions on the options of multiple-choice columns as sets of codes.

A condition names an option like a yes/no column (`'hobby: art': "yes"`), or the column with one of its
options (`hobby: "art"`), which means that this option is chosen, with or without others. A set of options
(`hobby: "sport;art"`) means that exactly these are chosen.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from synth.core.cells.words import lowered, plain
from synth.core.columns.combinations import NO, YES, Choices
from synth.core.errors import Mistake
from synth.core.schema import Schema


def on_labels(given: Mapping[str, Any], schema: Schema) -> Iterator[tuple[str, Any, str]]:
    """Yield the conditions with the modelled columns and their labels in place of options, and their words.

    The conditions of other columns are unchanged, and their words are empty. Several conditions can be on the
    same column. Raises: `Mistake` for an unknown option.
    """
    columns = {choices.name: choices for choices in schema.choices if choices.joint}
    for name, wanted in given.items():
        if name in schema.options:
            choices, place = schema.options[name]
            asked = _listed(wanted)
            words = f"{name} is {' or '.join('blank' if one is None else str(one) for one in asked)}"
            yield *_answered(choices, place, asked), words
        elif name in columns:
            asked = _listed(wanted)
            words = f"{name} {' or '.join(_asked_words(columns[name], one) for one in asked)}"
            several = [_chosen(columns[name], one) for one in asked]
            found = several[0].items() if len(several) == 1 else [_one_part(columns[name], several)]
            yield from ((part, labels, words) for part, labels in found)
        else:
            yield name, wanted, ""


def _listed(wanted: Any) -> list[Any]:
    return list(wanted) if isinstance(wanted, (list, set, frozenset)) else [wanted]


def _asked_words(choices: Choices, wanted: Any) -> str:
    """Return what is asked of a cell: a blank, an option among others, or exactly one set of options."""
    if wanted is None:
        return "is blank"
    options = {lowered(plain(option)) for option in choices.options}
    return f"{'includes' if lowered(plain(str(wanted))) in options else 'is exactly'} {wanted}"


def _answered(choices: Choices, place: int, asked: list[Any]) -> tuple[str, Any]:
    part, having = choices.where(place)
    said = {True: YES, False: NO, "true": YES, "false": NO}
    answers = {None if one is None else said.get(one, lowered(str(one))) for one in asked}
    if unknown := answers - {None, YES, NO}:
        raise Mistake(f"{choices.option_name(place)!r} is yes, no or blank, not {min(map(str, unknown))!r}.")
    labels = [label for label in part.labels if (YES if label in having else NO) in answers]
    return part.name, [*labels, *([None] if None in answers else [])]


def _chosen(choices: Choices, wanted: Any) -> dict[str, list[Any]]:
    """Return the labels of each part for one option, one set of options, or a blank (None)."""
    if wanted is None:
        return {choices.parts[0].name: [None]}
    places = {lowered(plain(option)): place for place, option in enumerate(choices.options)}
    text = lowered(plain(str(wanted)))
    if text in places:
        part, having = choices.where(places[text])
        return {part.name: list(having)}
    whole = choices.parts[0]
    if len(choices.parts) == 1 and (exact := [one for one in whole.labels if lowered(plain(one)) == text]):
        return {whole.name: exact}
    named = [one.strip() for one in text.split(choices.separator.strip())]
    if unknown := [one for one in named if one not in places]:
        raise Mistake(
            f"{choices.name!r} has no option {unknown[0]!r}. Its options are: {', '.join(choices.options)}."
        )
    own = {places[one] for one in named}
    sets = {part.name: (part, frozenset(own & {*part.options, choices.exclusive})) for part in choices.parts}
    return {
        name: [label for label, chosen in zip(part.labels, part.sets, strict=True) if {*chosen} == mine]
        for name, (part, mine) in sets.items()
    }


def _one_part(choices: Choices, several: list[dict[str, list[Any]]]) -> tuple[str, Any]:
    """Return the union of conditions, which is possible if all are about the same part."""
    names = {name for some in several for name in some}
    if len(names) > 1:
        raise Mistake(
            f"These options of {choices.name!r} are modelled in different columns, so they cannot be joined "
            "with 'or'. Ask for one option at a time."
        )
    (name,) = names
    return name, list(dict.fromkeys(label for some in several for label in some[name]))
