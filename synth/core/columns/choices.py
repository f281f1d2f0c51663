"""Convert multiple-choice columns and groups of yes/no columns to modelled columns, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from synth.core.codebook import Codebook
from synth.core.columns.combinations import Choices
from synth.core.schema import NONE_CHOSEN, Column, Group, Schema, Value

if TYPE_CHECKING:
    import pandas as pd


Mask = NDArray[np.bool_]


class Table(Protocol):
    """A table whose columns can be accessed by name, such as a data frame."""

    def __getitem__(self, name: str, /) -> pd.Series[Any]: ...


def picked(chosen: Mask, blank: Mask, group: Group, columns: Sequence[Column]) -> NDArray[np.int64]:
    """Return the position of a group's value in each row, with -1 for a blank and -2 for a contradiction.

    The value is blank if no column is chosen and all are blank; a blank in a column with one value means no.
    It is a contradiction if several columns are chosen, or if none is chosen although each row must have one.
    Shapes: `chosen, blank: bool[columns, rows]`, int64[rows].
    """
    count, unknown = chosen.sum(axis=0), unanswered(chosen, blank, columns)
    without = len(group.columns) if group.at_most else -2
    places = np.where(count == 1, chosen.argmax(axis=0), np.where(count == 0, without, -2))
    return np.where((count == 0) & unknown, -1, places).astype(np.int64)


def unanswered(chosen: Mask, blank: Mask, columns: Sequence[Column]) -> Mask:
    """Return the rows of a group in which no column is chosen and all are blank.

    A blank in a column with one value means no. Shapes: `chosen, blank: bool[columns, rows]`, bool[rows].
    """
    marks = np.array([len(column.values) == 1 for column in columns])
    unknown: Mask = (blank | marks[:, None]).all(axis=0) & ~chosen.any(axis=0) & ~marks.all()
    return unknown


def is_chosen(values: Sequence[Value], group: Group) -> int:
    """Return the position of the value that means yes. Raises: ValueError if no value does."""
    return [_text(value) for value in values].index(_text(group.chosen))


def _text(value: Value) -> str:
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value) if whole else value).strip().lower()


def settled(codes: NDArray[Any], codebook: Codebook) -> None:
    """Make the drawn parts of multiple-choice columns agree, in place (`Choices.settled`).

    Shapes: `codes: unsigned[rows, columns]` of the codebook.
    """
    for choices in codebook.schema.choices:
        if len(choices.parts) > 1:
            places = [codebook.domain.axis(part.name) for part in choices.parts]
            missing = np.array([codebook.axes[place].missing_code for place in places])
            own = choices.codes(*choices.masks(codes[:, places].T))
            codes[:, places] = np.where(own < 0, missing[:, None], own).T


def chosen_in(choices: Choices, table: Table) -> tuple[Mask, Mask]:
    """Return the options and the blanks of a table with modelled columns.

    Shapes: bool[options, rows], bool[rows].
    """
    import pandas as pd

    codes = []
    for part in choices.parts:
        own, texts = pd.factorize(table[part.name], use_na_sentinel=True)
        place = {label: code for code, label in enumerate(part.labels)}
        codes.append(np.array([*(place.get(str(text), -1) for text in texts), -1])[own])
    return choices.masks(np.stack(codes))


def labels_in(choices: Choices, part: int, chosen: Mask, blank: Mask) -> NDArray[np.object_]:
    """Return the text of each row in a part, with None for a blank. Shapes: object[rows]."""
    codes = choices.codes(chosen, blank)[part]
    found: NDArray[np.object_] = np.array([*choices.parts[part].labels, None], dtype=object)[codes]
    return found


def joined(choices: Choices, table: Table) -> Any:
    """Return the cells of a multiple-choice column, with the options in their declared order."""
    import pandas as pd

    chosen, blank = chosen_in(choices, table)
    sets, set_of = np.unique(chosen & ~blank, axis=1, return_inverse=True)
    texts = [choices.text(np.flatnonzero(own).tolist()) if own.any() else None for own in sets.T]
    return pd.array(np.array([*texts, None], dtype=object)[set_of.ravel()], dtype="string")


def parted(choices: Choices, part: int, table: Table) -> pd.Series[Any]:
    """Return a part as a column of texts, from the published cells of a multiple-choice column."""
    import pandas as pd

    cells = table[choices.name]
    cell_of, texts = pd.factorize(cells, use_na_sentinel=True)
    some = [{*str(text).split(choices.separator)} for text in texts]
    chosen = np.array([[option in own for own in some] + [False] for option in choices.options])
    labels = labels_in(choices, part, chosen, np.array([False] * len(some) + [True]))
    return pd.Series(labels[cell_of], index=cells.index, dtype="string")


def spread(group: Group, schema: Schema, table: Table) -> dict[str, Any]:
    """Return the columns of a group from its modelled columns."""
    import pandas as pd

    names = np.array(group.columns, dtype=object)[:, None]
    if group.several:
        chosen, blank = chosen_in(schema.choice(group.name), table)
        index = table[schema.choice(group.name).parts[0].name].index
    else:
        values = table[group.name]
        index, blank = values.index, values.isna().to_numpy(dtype=np.bool_)
        chosen = ~blank & (names == values.fillna("").to_numpy(dtype=object)[None])
    made: dict[str, Any] = {}
    for column, own in zip((schema.column(name) for name in group.columns), chosen, strict=True):
        yes = is_chosen(column.values, group)
        no = next((value for i, value in enumerate(column.values) if i != yes), None)
        cells = np.array([no, column.values[yes], None if column.blank else no], dtype=object)
        places = np.where(blank, 2, own.astype(np.int64))
        made[column.name] = pd.Series(cells[places], index=index, dtype="object").convert_dtypes()
    return made


def gathered(group: Group, schema: Schema, table: Table) -> dict[str, pd.Series[Any]]:
    """Return the modelled columns of a group, by name, from its published columns."""
    import pandas as pd

    columns = [table[name] for name in group.columns]
    members = [schema.column(name) for name in group.columns]
    chosen = np.stack([_texts(column) == _text(group.chosen) for column in columns])
    blank = np.stack([column.isna().to_numpy(dtype=np.bool_) for column in columns])
    if group.several:
        choices, nothing = schema.choice(group.name), unanswered(chosen, blank, members)
        made = {
            part.name: labels_in(choices, place, chosen, nothing) for place, part in enumerate(choices.parts)
        }
    else:
        values = np.array([*group.columns, NONE_CHOSEN, None], dtype=object)
        made = {group.name: values[np.maximum(picked(chosen, blank, group, members), -1)]}
    return {name: pd.Series(own, index=columns[0].index, dtype="string") for name, own in made.items()}


def _texts(column: pd.Series[Any]) -> NDArray[np.object_]:
    return np.array([_text(value) for value in column.tolist()], dtype=object)
