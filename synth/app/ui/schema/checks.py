"""Show problems with the declared columns, remarks on them, and a table of the declarations."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import streamlit as st

from synth.app.figures.figure import Figure
from synth.app.project import declared
from synth.app.project.declared import Declared
from synth.app.project.describe import columns, rules
from synth.app.project.describe import several as facts
from synth.app.project.store import Project
from synth.app.ui import layout, state
from synth.app.ui import text as words
from synth.app.ui.text.schema import checks as checks_words
from synth.core.discretisation import axis_of, decimals_of
from synth.core.errors import Mistake
from synth.core.schema import Kind
from synth.dictionaries import warnings
from synth.dictionaries.check import cells_of


def checks(project: Project) -> bool:
    """Show problems and remarks, and return whether the columns can be used."""
    st.header("Checks", anchor=False)
    if not columns.entries_of(project.schema):
        st.info(checks_words.EMPTY, icon=":material/info:")
        return False
    open_ones = [str(e["name"]) for e in columns.entries_of(project.schema) if facts.waits(e)]
    if open_ones:
        st.info(checks_words.waiting([words.plain(name) for name in open_ones]), icon=":material/edit_note:")
    problems = columns.problems_of(project.schema, checks_words.WORDS, leave=open_ones)
    if open_ones and not problems:
        return False
    if problems:
        titles = {
            str(e["name"]): str(e.get("title") or e["name"]) for e in columns.entries_of(project.schema)
        }
        listed = "\n".join(
            f"- {words.plain(sentence)}" for sentence in checks_words.gathered(problems, titles)
        )
        st.error(f"{checks_words.open_ends(len(problems))}\n\n{listed}", icon=":material/error:")
        return False
    table = declared.read_columns(project)
    st.success("The columns can be used.", icon=":material/check_circle:")
    _rules(project, table)
    worth = warnings(table.schema, checks_words.WORDS)
    if worth:
        with st.expander(f"To check ({len(worth)})", icon=":material/lightbulb:"):
            st.markdown("\n".join(f"- {words.plain(line)}" for line in checks_words.gathered(worth)))
    with st.expander("As declared", icon=":material/table_view:"):
        _overview(table)
    return True


def _rules(project: Project, table: Declared) -> None:
    """If rules no longer fit the columns, show this with a button that removes them."""
    try:
        declared.read(project)
    except Mistake as mistake:
        st.warning(f"{checks_words.RULES_OFF}\n\n{words.plain(str(mistake))}", icon=":material/rule:")
        gone = rules.misfits(table.schema, project.rules)
        if gone and st.button(checks_words.rules_out(len(gone)), icon=":material/delete:", key="rules-out"):
            kept = tuple(entry for place, entry in enumerate(project.rules) if place not in gone)
            state.accept(replace(project, rules=kept))
            st.rerun()


def _overview(table: Declared) -> None:
    """Draw every column with its domain, its number of bins, and a badge for the source of the domain."""
    st.caption(
        "Bins are the groups of values that are measured, blanks included. Rules can divide them further."
    )
    alt = checks_words.OVERVIEW_ALT.format(count=words.number_of(len(table.schema.modelled), "column"))
    layout.table(Figure(frame=column_table(table), words=alt))


def column_table(table: Declared) -> pd.DataFrame:
    """Return one row per published column, with words and badges in Markdown."""
    bounded = [column for column in table.schema.modelled if cells_of(column) is not None]
    axes = {column.name: axis_of(column, table.rules.cuts(column.name)) for column in bounded}
    cells = {name: f"{axis.size:,}" for name, axis in axes.items()}
    decimals = {name: decimals_of(axis) for name, axis in axes.items() if axis.column.kind is Kind.DECIMAL}
    rows = [
        {
            "Column": f"**{words.plain(column.heading)}**",
            "Kind": column.kind.words,
            "Domain": words.plain(checks_words.domain_of(column, decimals.get(column.name))),
            "Bins": cells.get(column.name, "to be estimated" if column.buy else ""),
            "Blanks": "yes" if column.blank else "no",
            "Known from": checks_words.badge(column.provenance),
        }
        for column in table.schema.published
    ]
    return pd.DataFrame(rows)


def frozen(project: Project) -> None:
    """Show the columns that a run has used, as read-only."""
    st.info(checks_words.FROZEN, icon=":material/lock:")
    _overview(declared.read_columns(project))
