"""Convert multiple-choice columns and groups of yes/no columns to modelled columns, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from synth.core.codebook import Codebook
from synth.core.schema import NO, NONE_CHOSEN, YES, Column, Group, Schema, Value

if TYPE_CHECKING:
    import pandas as pd

Mask = NDArray[np.bool_]


class Table(Protocol):
    """A table whose columns can be accessed by name, such as a data frame."""

    def __getitem__(self, name: str, /) -> pd.Series[Any]: ...


def options_of(column: Column) -> tuple[str, ...]:
    """Return the options of a multiple-choice column in their written form."""
    return tuple(option.name.removeprefix(f"{column.name}: ") for option in column.options)


def answered(chosen: Mask, blank: Mask, column: Column) -> tuple[Mask, Mask]:
    """Return the options in each cell of a multiple-choice column, and which cells are missing.

    Shapes: `chosen: bool[options, rows]`, `blank: bool[rows]`; the results have the same shapes. A cell
    without options is missing if the column may be blank.
    """
    chosen = chosen & ~blank
    has_none: Mask = np.logical_not(np.any(chosen, axis=0))
    return chosen, has_none if column.blank else np.zeros_like(has_none)


def picked(chosen: Mask, blank: Mask, group: Group, columns: Sequence[Column]) -> NDArray[np.int64]:
    """Return the position of a group's value in each row, with -1 for a blank and -2 for a contradiction.

    The value is blank if no column is chosen and all are blank; a blank in a column with one value means no.
    It is a contradiction if several columns are chosen, or if none is chosen although each row must have one.
    Shapes: `chosen, blank: bool[columns, rows]`, int64[rows].
    """
    count = chosen.sum(axis=0)
    marks = np.array([len(column.values) == 1 for column in columns])
    unknown = (blank | marks[:, None]).all(axis=0) & ~marks.all()
    without = len(group.columns) if group.at_most else -2
    places = np.where(count == 1, chosen.argmax(axis=0), np.where(count == 0, without, -2))
    return np.where((count == 0) & unknown, -1, places).astype(np.int64)


def is_chosen(values: Sequence[Value], group: Group) -> int:
    """Return the position of the value that means yes. Raises: ValueError if no value does."""
    return [_text(value) for value in values].index(_text(group.chosen))


def _text(value: Value) -> str:
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value) if whole else value).strip().lower()


def settled(codes: NDArray[Any], codebook: Codebook) -> None:
    """Make cells of drawn multiple-choice columns blank, in place, if no option is chosen or one is missing.

    Only columns that can be blank are changed. Shapes: `codes: unsigned[rows, columns]` of the codebook.
    """
    for column in codebook.schema.read:
        if column.separator and column.blank:
            places = [codebook.domain.axis(option.name) for option in column.options]
            own, missing = codes[:, places], codebook.axes[places[0]].missing_code
            own[(own == missing).any(axis=1) | (own == 0).all(axis=1)] = missing
            codes[:, places] = own


def joined(column: Column, table: Table) -> Any:
    """Return the cells of a multiple-choice column, with the options in their declared order."""
    import pandas as pd

    has = [(table[option.name] == YES).fillna(False).to_numpy(dtype=np.bool_) for option in column.options]
    place = np.zeros(len(has[0]), dtype=np.int64)
    for one in has:
        place, _ = pd.factorize(2 * place + one)
    texts = []
    for row in np.unique(place, return_index=True)[1].tolist():
        own = (name for name, one in zip(options_of(column), has, strict=True) if one[row])
        texts.append(column.separator.join(own) or None)
    cells = np.array([*texts, None], dtype=object)[place]
    return pd.array(cells, dtype="string")


def parted(column: Column, place: int, table: Table) -> pd.Series[Any]:
    """Return one option as a yes/no column, from the published cells of a multiple-choice column."""
    import pandas as pd

    cells, name = table[column.name], options_of(column)[place]
    codes, texts = pd.factorize(cells, use_na_sentinel=True)
    shown = [YES if name in str(text).split(column.separator) else NO for text in texts]
    values = np.array([*shown, None if column.blank else NO], dtype=object)[codes]
    return pd.Series(values, index=cells.index, dtype="string")


def spread(group: Group, schema: Schema, series: pd.Series[Any]) -> dict[str, Any]:
    """Return the columns of a group from the values of its modelled column."""
    import pandas as pd

    made: dict[str, Any] = {}
    codes, names = pd.factorize(series, use_na_sentinel=True)
    for column in (schema.column(name) for name in group.columns):
        yes = is_chosen(column.values, group)
        no = next((value for i, value in enumerate(column.values) if i != yes), None)
        values = [column.values[yes] if name == column.name else no for name in names]
        cells = np.array([*values, None if column.blank else no], dtype=object)[codes]
        made[column.name] = pd.Series(cells, index=series.index, dtype="object").convert_dtypes()
    return made


def gathered(group: Group, schema: Schema, table: Table) -> pd.Series[Any]:
    """Return the modelled column of a group from its published columns."""
    import pandas as pd

    columns = [table[name] for name in group.columns]
    chosen = np.stack([_texts(column) == _text(group.chosen) for column in columns])
    blank = np.stack([column.isna().to_numpy(dtype=np.bool_) for column in columns])
    values = np.array([*group.columns, NONE_CHOSEN, None], dtype=object)
    places = picked(chosen, blank, group, [schema.column(name) for name in group.columns])
    return pd.Series(values[np.maximum(places, -1)], index=columns[0].index, dtype="string")


def _texts(column: pd.Series[Any]) -> NDArray[np.object_]:
    return np.array([_text(value) for value in column.tolist()], dtype=object)
