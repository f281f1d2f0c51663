"""Parse formulas such as `income ~ age + sex[Male]`, `logistic smokes ~ age` and `income by town`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from synth.core.axis import Axis, domain_of
from synth.core.errors import Mistake
from synth.core.measurements.moments import MOST_ENTRIES, MOST_TERMS, Block, Term, lattice, terms_of

_SIGNS = re.compile(r"(~|\+|,|(?<=\s)by(?=\s))(?=(?:[^`]*`[^`]*`)*[^`]*$)")
"""Pattern of the characters that separate the parts of a formula, except between backticks."""

_PART = re.compile(r"(`[^`]+`|[^`\[\]]+)(?:\[(.+)\])?")
"""Pattern of a column, optionally with a value in brackets."""

_LOGISTIC = re.compile(r"\s*logistic\s+(?![~+,\s]|by\s)")
"""The word that starts a logistic regression. A column whose name starts with this word is written between
backticks.
"""

HOW = "Write 'income ~ age + education' for a regression, or 'income by town' for means of groups."


class Part(NamedTuple):
    """A column of a formula, or the indicator of one of its values."""

    column: str
    value: str | None = None


@dataclass(frozen=True, kw_only=True)
class Formula:
    """A regression of `response` on `regressors` and a constant, or the means of `response` in the groups of
    `by`.

    A logistic regression models the probability of `response`.
    """

    text: str
    response: Part
    regressors: tuple[Part, ...] = ()
    by: tuple[str, ...] = ()
    is_logistic: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the columns in order of appearance."""
        return (self.response.column, *(part.column for part in self.regressors), *self.by)

    @classmethod
    def of(cls, text: str) -> Formula:
        """Parse a formula. Raises: `Mistake`, with an example, if it is invalid."""
        word = _LOGISTIC.match(text)
        first, *rest = (piece.strip() for piece in _SIGNS.split(text[word.end() :] if word else text))
        signs, parts = (
            "".join(sign[0] for sign in rest[::2]),
            [_part(piece, text) for piece in (first, *rest[1::2])],
        )
        if not re.fullmatch(r"(~\+*)?(b,*)?", signs):
            raise Mistake(f"{text!r} is not a formula. {HOW}")
        many = len(re.sub("[b,]", "", signs))
        groups = parts[1 + many :]
        if any(part.value is not None for part in groups):
            raise Mistake(f"Groups are columns without values, but {text!r} has a value after 'by'.")
        if word and (groups or not many):
            raise Mistake(
                f"{text!r} is not a logistic regression, such as 'logistic smokes ~ age'. It cannot "
                "have groups."
            )
        by = tuple(part.column for part in groups)
        regressors = tuple(parts[1 : 1 + many])
        return cls(text=text, response=parts[0], regressors=regressors, by=by, is_logistic=bool(word))

    def block(self, axes: Mapping[str, Axis]) -> Block:
        """Return the sums that the formula needs, with the response as the last term.

        `axes` maps the names of its columns to their axes. Raises: `Mistake` if a column does not have a
        value, if a column is used twice, or if there are too many terms.
        """
        response = self._terms(self.response, axes)
        if len(response) != 1:
            raise Mistake(
                f"{self.response.column!r} has several values. Name one value: {self.response.column}[value]."
            )
        if self.is_logistic and response[0].code is None:
            raise Mistake(
                f"The outcome of a logistic regression is yes or no, but {self.response.column!r} "
                f"is a number ({self.text!r}). Name a column with two values, or a value: tenure[rented]."
            )
        regressors = [term for part in self.regressors for term in self._terms(part, axes)]
        block = Block((*regressors, *response), tuple(name for name in axes if name in self.by))
        columns = [term.column for term in block.terms if term.code is None]
        if len(set(block.terms)) < len(block.terms) or {*columns} & {*self.by}:
            raise Mistake(f"{self.text!r} uses a column twice.")
        if not block.fits(domain_of(tuple(axes.values()))):
            raise Mistake(
                f"{self.text!r} needs {len(block.terms)} terms. At most {MOST_TERMS} terms are possible, "
                f"and at most {MOST_ENTRIES:,} sums in all groups together."
            )
        return block

    def _terms(self, part: Part, axes: Mapping[str, Axis]) -> tuple[Term, ...]:
        """Return the terms of a part. Raises: `Mistake` if the column does not have the value of the part."""
        try:
            return terms_of(axes[part.column], part.value)
        except ValueError:
            raise Mistake(
                f"The column {part.column!r} has no value {part.value!r} ({self.text!r})."
            ) from None


def _part(piece: str, text: str) -> Part:
    found = _PART.fullmatch(piece)
    if found is None:
        raise Mistake(f"{text!r} is not a formula. {HOW}")
    return Part(found[1].strip().strip("`"), found[2])


def blocks_of(
    formulas: Sequence[Formula], axes: Mapping[str, Axis]
) -> tuple[tuple[Block, ...], tuple[Axis, ...]]:
    """Return the sums that each formula needs, and the axes of their columns.

    `axes` maps the names of the table's columns to their axes. Groups use the codes of the table, and numbers
    use a lattice. Raises: `Mistake` if a formula does not match the table.
    """
    for formula in formulas:
        for name in formula.columns:
            if name not in axes:
                raise Mistake(f"{formula.text!r} uses {name!r}, which is not a column of the table. {HOW}")
    groups = {name for formula in formulas for name in formula.by}
    values = {name for formula in formulas for name in formula.columns if name not in formula.by}
    for name in groups & values:
        if lattice(axes[name]) != axes[name]:
            raise Mistake(
                f"{name!r} is both a number and a group in these formulas. Use it either as a number or as "
                "a group."
            )
    used = {name: axis for name, axis in axes.items() if name in groups | values}
    fine = {name: axis if name in groups else lattice(axis) for name, axis in used.items()}
    return tuple(formula.block(fine) for formula in formulas), tuple(fine.values())
