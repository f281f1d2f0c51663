"""Panels of the unit page: small forms, each returning its answers, and the result."""

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
from synth.app.ui.text import unit as text
from synth.private.ledger import Balance


def fit(given: Suitability, *, frozen: bool) -> Suitability:
    """Four questions that can end the journey."""
    st.header(text.FIT_TITLE, anchor=False)

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
        text.HARM_LABEL,
        list(text.HARMS),
        index=list(text.HARMS).index(given.harm) if given.harm in text.HARMS else None,
        format_func=text.HARMS.__getitem__,
        disabled=frozen,
        key="harm",
    )
    size = choose(text.SIZE_LABEL, text.SIZES, given.size or None, note=text.SIZE_HELP, key="size")
    return Suitability(people=people, records=records, harm=harm or "", size=size or "")


def unit(given: UnitAnswers, *, frozen: bool) -> UnitAnswers:
    """Who is protected, how many rows they can fill, and the number of rows where it is public."""
    st.header(text.UNIT_TITLE, anchor=False)
    layout.drawing("rows-per-unit", alt=text.UNIT_ALT)
    left, right = st.columns(2, gap="medium")
    units = list(dict.fromkeys((*text.UNITS, given.unit)))
    with left:
        name = st.selectbox(
            text.UNIT_LABEL,
            units,
            index=units.index(given.unit),
            accept_new_options=True,
            help=text.UNIT_HELP,
            disabled=frozen,
            key="unit",
        )
    with right:
        rows = st.number_input(
            text.ROWS_LABEL.format(unit=words.plain(name)),
            1,
            100_000,
            given.max_rows,
            1,
            placeholder=text.ROWS_PLACEHOLDER,
            help=text.ROWS_HELP,
            disabled=frozen,
            key="max-rows",
        )
    column = given.id_column
    if (rows or 1) > 1:
        column = st.text_input(
            text.ID_LABEL,
            given.id_column,
            placeholder=text.ID_PLACEHOLDER,
            help=text.ID_HELP,
            disabled=frozen,
            key="id-column",
        )
        st.caption(text.ID_NOTE.format(unit=words.plain(name), rows=rows))
    public = st.number_input(
        text.PUBLIC_LABEL,
        1,
        None,
        given.rows_public,
        1,
        placeholder=text.PUBLIC_PLACEHOLDER,
        help=text.PUBLIC_HELP,
        disabled=frozen,
        key="rows-public",
    )
    with st.expander(text.MORE_TITLE, icon=":material/menu_book:"):
        st.markdown(text.NEIGHBOURS[public is not None].format(unit=words.plain(name), rows=rows_of(rows)))
        st.markdown(text.MORE_NOTE)
    return replace(given, unit=name, max_rows=rows, id_column=column, rows_public=public)


def rows_of(rows: int | None) -> str:
    """Write a maximum number of rows in words."""
    return "as many as you say above" if rows is None else "one row" if rows == 1 else f"{rows} rows"


def population(given: UnitAnswers, project: Project, *, frozen: bool) -> UnitAnswers:
    """The name of the lifetime budget, and what is left on it."""
    st.header(text.POPULATION_TITLE, anchor=False)
    opened = ledger.populations(ledger.of(project))
    names = list(dict.fromkeys((*opened, *([given.population] if given.population else []))))
    name = st.selectbox(
        text.POPULATION_LABEL,
        names,
        index=names.index(given.population) if given.population else None,
        placeholder=text.POPULATION_PLACEHOLDER,
        accept_new_options=True,
        help=text.POPULATION_HELP,
        disabled=frozen,
        key="population",
    )
    return replace(given, population=name or "")


def line(given: UnitAnswers, project: Project) -> bool:
    """The lifetime budget of these people, and whether this table may use it."""
    if not given.population.strip():
        return True
    path = ledger.of(project)
    standing = balance(given.population, ledger=path)
    if standing.limits is None:
        st.caption(text.LINE_NEW)
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
    """Let an approver state what a lifetime budget protects, if that is not recorded or never used."""
    st.subheader(text.DECLARE_TITLE, anchor=False)
    sentence = text.DECLARE_OLD if standing.protects is None else text.DECLARE_UNUSED
    st.markdown(words.plain(sentence.format(protects=given.protects)))
    if not login.current().may_approve:
        st.info(text.DECLARE_NOT_ALLOWED, icon=":material/lock:")
        return
    reason = st.text_input(text.DECLARE_REASON, max_chars=300, key="declare-why")
    if st.button(text.DECLARE_BUTTON, disabled=not reason.strip(), key="declare"):
        ledger.declare(project, given, login.current().signed(reason))
        st.rerun()


def verdict(given: UnitAnswers, judgement: Judgement) -> None:
    """Why the steward cannot continue, if so, and what to know before continuing."""
    for code in judgement.notes:
        st.info(words.plain(text.note(code, given)), icon=":material/lightbulb:")
    if judgement.stops:
        for code in judgement.stops:
            st.error(f"**{text.STOPPED}** {text.STOPS[code]}", icon=":material/block:")
    elif judgement.missing:
        missing = ", ".join(text.MISSING[code] for code in judgement.missing)
        st.caption(f"{text.WAITING} {missing}.")
