"""Panels of the page Who is protected: small forms that return their answers, and the result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import streamlit as st

from synth.app.jobs.budget import balance, misfit
from synth.app.project.describe.suitability import Judgement, UnitAnswers
from synth.app.project.spend import ledger
from synth.app.project.store import Project, Suitability
from synth.app.ui import layout, login
from synth.app.ui import text as words
from synth.app.ui.budget.promise import MOST_ROWS
from synth.app.ui.text import unit as text
from synth.private.ledger import Balance


def fit(answers: UnitAnswers, *, frozen: bool) -> UnitAnswers:
    """Ask the questions whose answers can rule out this tool. The number of rows is asked only here."""
    given = answers.suitability
    st.header("Suitability", anchor=False)

    def choose(label: str, words: Mapping[Any, str], value: Any, *, note: str, key: str) -> Any:
        return st.segmented_control(
            label,
            list(words),
            default=value,
            format_func=words.__getitem__,
            help=note,
            disabled=frozen,
            key=key,
        )

    people = choose(text.PEOPLE_LABEL, text.YES_NO, given.people, note=text.PEOPLE_HELP, key="people")
    records = choose(text.RECORDS_LABEL, text.YES_NO, given.records, note=text.RECORDS_HELP, key="records")
    harm = st.radio(
        "What is the worst harm if a person's row became known?",
        list(text.HARMS),
        index=list(text.HARMS).index(given.harm) if given.harm in text.HARMS else None,
        format_func=text.HARMS.__getitem__,
        disabled=frozen,
        key="harm",
    )
    about, public = _rows(answers, frozen=frozen)
    suitability = Suitability(people=people, records=records, harm=harm or "", size=given.size)
    return replace(answers, suitability=suitability, rows_about=about, rows_public=public)


def _rows(given: UnitAnswers, *, frozen: bool) -> tuple[int | None, int | None]:
    """Ask for the number of rows, and whether it is public. Return it as a rough and as a public number."""
    left, right = st.columns(2, gap="medium", vertical_alignment="bottom")
    rows = left.number_input(
        text.ROWS_LABEL,
        1,
        MOST_ROWS,
        given.rows,
        placeholder="required; an estimate",
        help=text.ROWS_HELP,
        disabled=frozen,
        key="rows-about",
    )
    is_public = right.checkbox(
        text.EXACT_LABEL,
        given.rows_public is not None,
        help=text.PUBLIC_HELP,
        disabled=frozen,
        key="rows-public",
    )
    return rows, rows if is_public else None


def unit(given: UnitAnswers, *, frozen: bool) -> UnitAnswers:
    """Ask who is protected, and how many rows a unit can have."""
    st.header("Privacy unit", anchor=False)
    layout.drawing("rows-per-unit", alt=text.UNIT_ALT)
    left, right = st.columns(2, gap="medium")
    units = list(dict.fromkeys((*text.UNITS, given.unit)))
    with left:
        name = st.selectbox(
            "Who is protected",
            units,
            index=units.index(given.unit),
            accept_new_options=True,
            help=text.UNIT_HELP,
            disabled=frozen,
            key="unit",
        )
    with right:
        rows = st.number_input(
            f"Maximum rows per {words.plain(name)}",
            1,
            100_000,
            given.max_rows,
            1,
            placeholder="required; an upper bound",
            help="Use the busiest possible case. A unit with more rows has less protection than stated.",
            disabled=frozen,
            key="max-rows",
        )
    column = given.id_column
    if (rows or 1) > 1:
        column = st.text_input(
            "ID column (optional)",
            given.id_column,
            placeholder="patient_number",
            help=text.ID_HELP,
            disabled=frozen,
            key="id-column",
        )
        st.caption(text.ID_NOTE.format(unit=words.plain(name), rows=rows))
    public = given.rows_public
    with st.expander("Exact guarantee", icon=":material/menu_book:"):
        st.markdown(text.NEIGHBOURS[public is not None].format(unit=words.plain(name), rows=rows_of(rows)))
        st.markdown(text.MORE_NOTE)
    return replace(given, unit=name, max_rows=rows, id_column=column)


def rows_of(rows: int | None) -> str:
    """Return a maximum number of rows in words."""
    return "as many as you state above" if rows is None else "one row" if rows == 1 else f"{rows} rows"


def population(given: UnitAnswers, project: Project, *, frozen: bool) -> UnitAnswers:
    """Ask for the population, and show what remains of its lifetime budget."""
    st.header("Population", anchor=False)
    opened = ledger.populations(ledger.of(project))
    names = list(dict.fromkeys((*opened, *([given.population] if given.population else []))))
    name = st.selectbox(
        "Population name",
        names,
        index=names.index(given.population) if given.population else None,
        placeholder="choose one, or type a new name such as town-residents-2024",
        accept_new_options=True,
        help=text.POPULATION_HELP,
        disabled=frozen,
        key="population",
    )
    return replace(given, population=name or "")


def line(given: UnitAnswers, project: Project) -> bool:
    """Show the lifetime budget of these people, and return whether this table may use it."""
    if not given.population.strip():
        return True
    path = ledger.of(project)
    standing = balance(given.population, ledger=path)
    if standing.limits is None:
        st.caption("New population: the Run page creates its lifetime budget.")
    else:
        st.caption(words.plain(text.line(standing)))
    hindrance = misfit(given.population, given.protects, ledger=path)
    if given.max_rows is None or hindrance is None:
        return True
    st.error(words.plain(hindrance), icon=":material/block:")
    if standing.limits is not None and (standing.protects is None or not standing.is_committed):
        _declaring(given, project, standing)
    return False


def _declaring(given: UnitAnswers, project: Project, standing: Balance) -> None:
    """Let an approver declare what a lifetime budget protects, if this is not recorded or the budget is
    unused.
    """
    st.subheader("Privacy unit of this budget", anchor=False)
    sentence = text.DECLARE_OLD if standing.protects is None else text.DECLARE_UNUSED
    st.markdown(words.plain(sentence.format(protects=given.protects)))
    if not login.current().may_approve:
        st.info("Only an approver can confirm the privacy unit of a budget.", icon=":material/lock:")
        return
    reason = st.text_input("Reason and decision maker (stored)", max_chars=300, key="declare-why")
    if st.button("Confirm", disabled=not reason.strip(), key="declare"):
        ledger.declare(project, given, login.current().signed(reason))
        st.rerun()


def verdict(given: UnitAnswers, judgement: Judgement) -> None:
    """State what stops the project, and what the steward should know before continuing."""
    for code in judgement.notes:
        st.info(words.plain(text.note(code, given)), icon=":material/lightbulb:")
    if judgement.stops:
        for code in judgement.stops:
            st.error(f"**{text.STOPPED}** {text.STOPS[code]}", icon=":material/block:")
    elif judgement.missing:
        missing = ", ".join(text.MISSING[code] for code in judgement.missing)
        st.caption(f"{text.WAITING} {missing}.")
