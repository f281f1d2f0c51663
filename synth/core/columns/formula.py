"""Evaluate formulas of computed columns, in a small language that has only columns and numbers.

    year(visit) - 'birth year'        max(100 - a - b, 0)        round(total / 12, 2)

A formula may contain the names of columns (in quotes if they are not plain words), numbers, parentheses, the
operators `+`, `-`, `*` and `/`, and the functions in `FUNCTIONS`. If a column of the formula is missing in a
row, the result is missing.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import cache, reduce
from keyword import iskeyword
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synth.core.errors import Mistake

Numbers = NDArray[np.float64]

LONGEST, DEEPEST = 500, 200
"""Maximum number of characters in a formula, and maximum depth of its parentheses."""

OPERATORS: dict[type[ast.operator], Callable[[Numbers, Numbers], Numbers]] = {
    ast.Add: np.add,
    ast.Sub: np.subtract,
    ast.Mult: np.multiply,
    ast.Div: np.divide,
}
SIGNS: dict[type[ast.unaryop], Callable[[Numbers], Numbers]] = {
    ast.UAdd: np.positive,
    ast.USub: np.negative,
}


def _rounded(number: Numbers, *places: Numbers) -> Numbers:
    scale = 10.0 ** np.trunc(places[0] if places else 0.0)
    return np.rint(number * scale) / scale


def _year(day: Numbers) -> Numbers:
    known = np.where(np.isfinite(day), day, 0).astype(np.int64).astype("datetime64[D]")
    years = known.astype("datetime64[Y]").astype(np.int64) + 1970
    return np.where(np.isfinite(day), years, np.nan)


LARGEST = 1e15
"""Maximum absolute value of a number in a formula."""

FUNCTIONS: dict[str, tuple[Callable[..., Numbers], int, int]] = {
    "min": (lambda *some: reduce(np.minimum, some), 2, 99),
    "max": (lambda *some: reduce(np.maximum, some), 2, 99),
    "abs": (np.abs, 1, 1),
    "floor": (np.floor, 1, 1),
    "round": (_rounded, 1, 2),
    "year": (_year, 1, 1),
    "days": (np.positive, 1, 1),
}
"""Functions with their minimum and maximum number of arguments."""

OF_DATES = ("year", "days")
"""Functions of a date: its year, and the number of days since 1970-01-01."""


def names_in(formula: str) -> dict[str, bool]:
    """Return the columns of a formula, and whether each of them is used as a date.

    Raises: `Mistake` if the text is not a formula, or if a column is used both as a date and as a number.
    """
    used: dict[str, bool] = {}
    for name, is_date in _names(_parsed(formula), is_date=False):
        if used.setdefault(name, is_date) is not is_date:
            raise Mistake(f"'{name}' is used as a date and as a number; write year({name}) or days({name})")
    if not used:
        raise Mistake("it uses no column")
    return used


def has_result(formula: str) -> bool:
    """Whether a formula has a result in each row in which its columns have values.

    Divisions, products and rounding may have none, such as 1 / 0 or a number that is too large.
    """
    nodes = list(ast.walk(_parsed(formula)))
    rounds = any(isinstance(node, ast.Name) and node.id == "round" for node in nodes)
    return not rounds and not any(isinstance(node, ast.Mult | ast.Div) for node in nodes)


def renamed(formula: str, names: Mapping[str, str]) -> str:
    """Return a formula with renamed columns. An invalid formula is returned unchanged.

    >>> renamed("year(visit) - 'birth year'", {"visit": "first visit", "birth year": "born"})
    "year('first visit') - born"
    """
    text = " ".join(formula.strip().splitlines())
    try:
        nodes = [node for node in ast.walk(_parsed(text)) if isinstance(node, ast.expr)]
    except Mistake:
        return formula
    functions = [node.func for node in nodes if isinstance(node, ast.Call)]
    changed = text.encode()
    for node in sorted(nodes, key=lambda node: -node.col_offset):
        name = _name_of(node)
        if name is not None and name in names and node not in functions:
            new = names[name] if _is_plain(names[name]) else repr(names[name])
            changed = changed[: node.col_offset] + new.encode() + changed[node.end_col_offset :]
    return changed.decode()


def _is_plain(name: str) -> bool:
    """Whether a name can be used in a formula without quotes."""
    return name.isascii() and name.isidentifier() and not iskeyword(name)


def computed(formula: str, columns: Mapping[str, Numbers]) -> Numbers:
    """Return the result of a formula for each row, or nan if it is missing or not a number.

    Dates are in days since 1970-01-01. Shapes: each float64[rows].
    """
    with np.errstate(all="ignore"):
        result = np.asarray(_value(_parsed(formula), columns), dtype=np.float64)
    return np.where(np.isfinite(result), result, np.nan)


@cache
def _parsed(formula: str) -> ast.expr:
    if len(formula) > LONGEST:
        raise Mistake(f"it has more than {LONGEST} characters")
    try:
        with warnings.catch_warnings(action="ignore"):
            tree = ast.parse(formula.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise Mistake("it is not written like a formula such as a + b") from None
    _check(tree, 0)
    return tree


def _check(node: ast.expr, depth: int) -> None:
    if depth > DEEPEST:
        raise Mistake("its parentheses are nested too deeply")
    match node:
        case ast.Name() | ast.Constant(value=str()):
            return
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            if abs(number) > LARGEST:
                raise Mistake("it contains a number that is too large")
            return
        case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
            parts = [left, right]
        case ast.UnaryOp(op=sign, operand=operand) if type(sign) in SIGNS:
            parts = [operand]
        case ast.Call(func=ast.Name(id=name), args=parts, keywords=[]) if name in FUNCTIONS:
            _, least, most = FUNCTIONS[name]
            if not least <= len(parts) <= most:
                raise Mistake(f"{name}() does not accept {len(parts)} arguments")
            if name in OF_DATES and _name_of(parts[0]) is None:
                raise Mistake(f"{name}() needs a date column")
        case _:
            known = ", ".join(FUNCTIONS)
            raise Mistake(f"only columns, numbers, + - * /, parentheses, and {known} are allowed")
    for part in parts:
        _check(part, depth + 1)


def _name_of(node: ast.expr) -> str | None:
    match node:
        case ast.Name(id=name) | ast.Constant(value=str(name)):
            return name
    return None


def _names(node: ast.expr, *, is_date: bool) -> Iterator[tuple[str, bool]]:
    name = _name_of(node)
    if name is not None:
        yield name, is_date
    elif isinstance(node, ast.Call):
        for part in node.args:
            yield from _names(part, is_date=isinstance(node.func, ast.Name) and node.func.id in OF_DATES)
    else:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                yield from _names(child, is_date=False)


def _value(node: ast.expr, columns: Mapping[str, Numbers]) -> Any:
    match node:
        case ast.Name(id=name) | ast.Constant(value=str(name)):
            return columns[name]
        case ast.Constant(value=int() | float() as number):
            return np.float64(number)
        case ast.BinOp(left=left, op=op, right=right):
            return OPERATORS[type(op)](_value(left, columns), _value(right, columns))
        case ast.UnaryOp(op=sign, operand=operand):
            return SIGNS[type(sign)](_value(operand, columns))
        case ast.Call(func=ast.Name(id=name), args=parts):
            return FUNCTIONS[name][0](*(_value(part, columns) for part in parts))
    raise TypeError(type(node).__name__)
