"""Compute answers from sums that were measured for a formula: regressions, and means without bin errors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import exp

from synth.analyst.answers import Answer, Answers, Form, Status
from synth.analyst.measured import Measured
from synth.core.axis import Axis
from synth.core.errors import Mistake
from synth.core.measurements.formula import Formula, blocks_of
from synth.core.measurements.logistic import ASK as LOGISTIC
from synth.core.measurements.logistic import Score
from synth.core.measurements.moments import ASK, Block, Term
from synth.core.numbers import TIMES
from synth.core.schema import Kind
from synth.estimates.logistic import HIDDEN, NoisyScore
from synth.estimates.regression import Estimate, Sums

MISSING = "Nothing was measured for this formula. A release with --means {formula} measures what it needs."


def regression_answers(measured: Measured, text: str, level: float) -> Answers:
    """Return the constant and the slopes of a formula, one answer for each, from the sums with the least
    noise.

    Raises: `Mistake` if the formula does not match the table.
    """
    formula = Formula.of(text)
    if formula.is_logistic:
        return logistic_answers(measured, text, level)
    if formula.by or not formula.regressors:
        raise Mistake(f"{text!r} is not a regression, such as 'income ~ age'. Ask for the mean of {text!r}.")
    (wanted,), axes = blocks_of([formula], _axes(measured))
    *regressors, response = wanted.terms
    names = [f"constant of {text}", *(f"slope of {response.name} on {term.name}" for term in regressors)]
    suited = [
        (block, sums[0])
        for block, sums in _sums(measured)
        if not block.by and {*wanted.terms} <= {*block.terms}
    ]
    if not suited:
        return _refused(names, MISSING.format(formula=repr(text)), level)
    block, least = min(suited, key=lambda one: one[1].variance)
    at = [block.terms.index(term) + 1 for term in wanted.terms]
    columns = measured.columns_on(axes)
    found = least.regression(at[:-1], at[-1], level=level, columns=columns)
    return Answers(
        _answer(name, one, block, level, Form.NUMBER) for name, one in zip(names, found, strict=True)
    )


def logistic_answers(measured: Measured, text: str, level: float) -> Answers:
    """Return the constant and the slopes of a logistic regression, one answer for each.

    Raises: as `regression_answers`.
    """
    formula = Formula.of(text)
    if not formula.is_logistic:
        formula = Formula.of(f"logistic {text}")
    (wanted,), axes = blocks_of([formula], _axes(measured))
    *regressors, outcome = wanted.terms
    of = f"the log odds that {outcome.name}"
    names = [f"constant of {of}", *(f"slope of {of} on {term.name}" for term in regressors)]
    for answer in measured.evidence.numbers:
        if answer.requested["ask"] != LOGISTIC:
            continue
        block = Score.of(answer.requested).block
        *own, same = block.terms
        if same != outcome or {*own} != {*regressors}:
            continue
        columns = measured.columns_on(axes)
        weight = measured.size / max(1, len(columns[outcome.column]))
        score = NoisyScore.of(answer, columns, weight=weight, rows=measured.rows_of_unit)
        found = score.regression(level=level)
        if isinstance(found, str):
            return _refused(names, found, level)
        answers = [_answer(names[0], found[0], block, level, Form.NUMBER, what="score")]
        for name, term in zip(names[1:], regressors, strict=True):
            one = found[own.index(term) + 1]
            note = (
                f"This value multiplies the odds by {exp(one.value):.3g}."
                if one and term.code is not None
                else ""
            )
            answers.append(_answer(name, one, block, level, Form.NUMBER, what="score", note=note))
        return Answers(answers)
    return _refused(names, MISSING.format(formula=repr(formula.text)), level)


def mean_answers(measured: Measured, column: str, by: str | None, level: float) -> Answer | Answers | None:
    """Return the mean of a column, or of each group of `by`, or None if no sums were measured for it."""
    axes = _axes(measured)
    for block, sums in _sums(measured):
        (term,), groups = block.terms[-1:], block.by
        if len(block.terms) != 1 or term.column != column or groups != ((by,) if by else ()):
            continue
        form = _form(term, axes[column])
        answers = []
        for codes, one in zip(product(*(range(axes[name].size) for name in groups)), sums, strict=True):
            where = [f"{name} is {axes[name].label(code)}" for name, code in zip(groups, codes, strict=True)]
            mean = one.mean(1, level=level)
            what = f"{'share' if form is Form.SHARE else 'mean'} {term.name} of "
            question = what + ("records where " + " and ".join(where) if where else "all records")
            answers.append(_answer(question, mean and mean.times(term.half, term.middle), block, level, form))
        return Answers(answers) if by else answers[0]
    return None


def _sums(measured: Measured) -> Iterator[tuple[Block, list[Sums]]]:
    for answer in measured.evidence.numbers:
        if answer.requested["ask"] == ASK:
            yield Block.of(answer.requested), Sums.of(answer, measured.rows_of_unit)


def _axes(measured: Measured) -> dict[str, Axis]:
    return {axis.name: axis for axis in measured.codebook.axes}


def _form(term: Term, axis: Axis) -> Form:
    if term.code is not None:
        return Form.SHARE
    return Form.DATE if axis.column.kind is Kind.DATE else Form.NUMBER


def _refused(names: Sequence[str], reason: str, level: float) -> Answers:
    return Answers(Answer(status=Status.REFUSED, question=n, level=level, reason=reason) for n in names)


def _answer(
    question: str,
    found: Estimate | None,
    block: Block,
    level: float,
    form: Form,
    *,
    what: str = "sums",
    note: str = "",
) -> Answer:
    if found is None:
        return Answer(status=Status.REFUSED, question=question, form=form, level=level, reason=HIDDEN)
    name = f"{what} of {TIMES.join(block.columns)}"
    reasons = [note] if note else []
    if len(block.columns) > 1:
        reasons.append(f"It covers the records with a value of {', '.join(block.columns)}.")
    return Answer(
        status=Status.INTERVAL,
        question=question,
        form=form,
        estimate=found.value,
        interval=found.interval,
        population=found.population,
        noise=found.noise,
        sampling=found.sampling,
        level=level,
        rests_on={name: 1.0},
        reason=" ".join(reasons),
    )
