"""Panels of the Rules page: the rules with their effects, the menus that build a rule, and the import."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any

import streamlit as st

from synth.app.figures.rules import combinations
from synth.app.project.describe import rules, sentences
from synth.app.project.describe.rules import Picture, RulesTogether, RuleView
from synth.app.project.describe.sentences import DOWNWARD_OPEN, Clause, How, Shape, Wanted
from synth.app.project.store import Project
from synth.app.ui import guards, layout, state
from synth.app.ui import text as words
from synth.app.ui.text import rules as text
from synth.core.errors import Mistake
from synth.core.numbers import TIMES
from synth.core.schema import Column, Kind, Schema
from synth.release.formats.sketch import MOST_ROWS, ROWS, STEM, archive
from synth.rules.documents import Entry
from synth.rules.spelling import choices

_MOST_CLAUSES = 3
_LARGEST_FILE_MB = 10
_SMALL = 0.01
"""Largest share of the model's limit at which the size of the rules is not mentioned."""
_EARLIEST, _LATEST = "1800-01-01", "2199-12-31"
"""The first and last day that a calendar offers while the range of a column is still to be estimated."""


def listing(project: Project, schema: Schema, *, fixed: bool) -> None:
    """Show every rule with its effect. If the rules are `fixed`, there are no buttons."""
    st.header("Constraints and target proportions", anchor=False, help=text.ROWS_NOTE)
    if not project.rules:
        st.info("No rules yet. You can continue without rules.", icon=":material/info:")
    for place, view in enumerate(rules.views(schema, project.rules)):
        with st.container(border=True, key=f"rule-{place}"):
            _one(project, schema, view, place, fixed=fixed)


def _arrange(project: Project, schema: Schema, view: RuleView, place: int) -> None:
    """Draw the buttons that change and remove a rule."""
    sentence = words.plain(view.sentence)
    said = rules.sentence_of(project.rules[place])
    if said is not None:
        with st.popover("", icon=":material/edit:", help=f"Change the rule: {sentence}", key=f"edit-{place}"):
            _edit(project, schema, said, view.because, place)
    if st.button("", icon=":material/delete:", help=f"Remove the rule: {sentence}", key=f"remove-{place}"):
        _keep(rules.without(project, place))


def _edit(project: Project, schema: Schema, said: str, because: str, place: int) -> None:
    """Draw the sentence and reason of a rule, which the user can change or add as another rule."""
    key = f"{state.generation('edit')}-{place}"
    sentence = st.text_area(text.WORDS_LABEL, said, height=100, help=text.WORDS_HELP, key=f"{key}-sentence")
    reason = st.text_input(text.BECAUSE_LABEL, because, help=text.BECAUSE_HELP, key=f"{key}-because")
    with st.container(horizontal=True):
        if st.button(text.EDIT_SAVE, type="primary", disabled=not sentence.strip(), key=f"{key}-save"):
            with guards.shown():
                _keep(rules.changed(project, schema, place, sentence=sentence.strip(), because=reason))
        if st.button(text.EDIT_COPY, disabled=not sentence.strip(), key=f"{key}-copy"):
            with guards.shown():
                _keep(rules.with_entries(project, schema, [rules.stated(sentence.strip(), reason)]))


def _keep(project: Project) -> None:
    """Save the rules and redraw them, because their positions and those of their fields have changed."""
    state.accept(project)
    state.renew("edit")
    st.rerun()


def _one(project: Project, schema: Schema, view: RuleView, place: int, *, fixed: bool) -> None:
    with st.container(horizontal=True, vertical_alignment="top"):
        with st.container():
            because = words.plain(f"Reason: {view.because}") if view.because else None
            st.markdown(f"**{words.plain(view.sentence)}**", help=because)
            _effect(view, schema)
        if view.pictures:
            with st.popover("", icon=":material/grid_on:", help=text.SEE, key=f"see-{place}"):
                _pictures(view.pictures, key=f"rule-{place}")
        if not fixed:
            _arrange(project, schema, view, place)


def _effect(view: RuleView, schema: Schema) -> None:
    titles = {column.name: column.heading for column in schema.modelled}
    if view.mistake:
        st.error(words.plain(view.mistake), icon=":material/error:")
    elif view.share is not None:
        st.caption(text.share(view.share))
    elif not view.effects:
        st.caption("The effect will be known once the missing domains are estimated.")
    else:
        for effect in view.effects:
            columns = words.plain(TIMES.join(titles[name] for name in effect.clique))
            of = columns if len(view.effects) > 1 else ""
            st.caption(text.removed(effect.removed, effect.cells, of))
        if not any(effect.removed for effect in view.effects):
            st.caption("Removes no combination: all of them were already impossible.")


def _pictures(pictures: Sequence[Picture], *, key: str) -> None:
    for number, picture in enumerate(pictures):
        layout.chart(combinations(picture), key=f"{key}-{number}")


def together(joint: RulesTogether, capacity: int) -> None:
    """Show whether all rules can hold together, remarks on them, and the size of their model."""
    if joint.mistake:
        st.error(f"{text.CONTRADICTION}\n\n{words.plain(joint.mistake)}", icon=":material/error:")
        return
    if joint.too_wide:
        st.warning(words.plain(joint.too_wide), icon=":material/open_in_full:")
    elif joint.cells > _SMALL * capacity:
        st.caption(text.width(joint.cells, capacity))
    if joint.warnings:
        with st.expander(f"To check ({len(joint.warnings)})", icon=":material/lightbulb:"):
            st.markdown("\n".join(f"- {words.plain(sentence)}" for sentence in joint.warnings))


def sketch(project: Project, schema: Schema) -> None:
    """Let the user draw and download rows that have the declared structure only."""
    if any(column.buy for column in schema.modelled):
        return
    with st.expander(text.SKETCH, icon=":material/draft:"):
        st.markdown(text.SKETCH_NOTE)
        rows = st.number_input("Rows", 1, MOST_ROWS, ROWS, key="sketch-rows", width=200)
        if not st.button("Draw rows", icon=":material/draw:", key="draw-sketch"):
            return
        with guards.shown():
            st.download_button(
                "Download sketch (zip)",
                data=archive(schema, list(project.rules), int(rows)),
                file_name=f"{STEM}.zip",
                mime="application/zip",
                on_click="ignore",
                icon=":material/download:",
                key="sketch",
            )


def build(project: Project, schema: Schema) -> None:
    """Draw the menus that build a rule, the rule with its effect, and the button that adds it."""
    st.header("Add a rule", anchor=False)
    key = state.generation("build")
    shape = layout.one_of("Type of rule", text.SHAPES, Shape.IF_THEN, key="rule-shape")  # kept by *Add*
    sentence = _menus(schema, shape, key)
    is_share = shape is Shape.SHARE
    because = st.text_input(
        "Public source of the number" if is_share else text.BECAUSE_LABEL,
        placeholder="for example: the census of 2021, table 4" if is_share else text.BECAUSE_PLACEHOLDER,
        help=text.SOURCE_HELP if is_share else text.BECAUSE_HELP,
        key=f"{key}-because",
    )
    if not sentence:
        st.caption("Choose columns and values.")
    _offer(project, schema, (rules.stated(sentence, because),) if sentence else (), "Add this rule", "build")


def _offer(project: Project, schema: Schema, entries: tuple[Entry, ...], label: str, form: str) -> None:
    """Show the sentences and effects of rules that are not added yet, and the button that adds them."""
    wrong = False
    if entries:
        try:
            added = rules.with_entries(project, schema, entries)
        except Mistake as mistake:
            st.warning(words.plain(str(mistake)), icon=":material/error:")
            wrong = True
        else:
            for number, view in enumerate(rules.views(schema, added.rules)[len(project.rules) :]):
                st.markdown(f"Reads as: **{words.plain(view.sentence)}**")
                _effect(view, schema)
                _pictures(view.pictures, key=f"{form}-preview-{number}")
    if st.button(
        label,
        type="primary" if entries and not wrong else "secondary",
        icon=":material/add:",
        disabled=wrong or not entries,
        key=f"add-{form}",
    ):
        state.accept(rules.with_entries(project, schema, entries))
        state.renew(form)
        st.rerun()


def _menus(schema: Schema, shape: Shape, key: str) -> str | None:
    """Return the rule that the menus describe, or None while they are incomplete."""
    if shape is Shape.WORDS:
        typed = st.text_input(
            text.WORDS_LABEL, placeholder=text.WORDS_PLACEHOLDER, help=text.WORDS_HELP, key=f"{key}-words"
        )
        return typed.strip() or None
    if shape is Shape.COMPARE:
        return _comparison(schema, key)
    if shape is Shape.SHARE:
        return _share(schema, key)
    if shape is Shape.NEVER:
        return sentences.never(_clauses(schema, text.NEVER_LABEL, f"{key}-never", least=2))
    given = _clauses(schema, text.IF_LABEL, f"{key}-if", least=1)
    wanted = _clauses(schema, text.THEN_LABEL, f"{key}-then", least=1, most=1)
    return sentences.if_then(given, wanted)


def _clauses(
    schema: Schema, label: str, key: str, *, least: int, most: int = _MOST_CLAUSES
) -> tuple[Clause, ...]:
    """Draw the chosen number of conditions below each other, and return them, including unfinished ones."""
    clauses: list[Clause | None] = []
    wanted = state.counted(f"{key}-count", least)
    for number in range(wanted):
        clauses.append(_clause(schema, label if number == 0 else "and", f"{key}-{number}"))
    if most > least:
        with st.container(horizontal=True):
            for verb, icon, number in (("Add", "add", wanted + 1), ("Remove", "remove", wanted - 1)):
                if least <= number <= most:
                    st.button(
                        f"{verb} condition",
                        icon=f":material/{icon}:",
                        type="tertiary",
                        on_click=state.count,
                        args=(f"{key}-count", number),
                        key=f"{key}-{verb.lower()}",
                    )
    return () if None in clauses else tuple(clause for clause in clauses if clause is not None)


def _clause(schema: Schema, label: str, key: str) -> Clause | None:
    """Draw one condition: a column, a comparison, and the values that the comparison needs."""
    columns = {column.name: column for column in sentences.usable(schema)}
    first, second, third = st.columns([4, 3, 6], vertical_alignment="bottom")
    name = first.selectbox(
        f"{label} · {text.COLUMN_LABEL}",
        list(columns),
        index=None,
        format_func=lambda name: text.column_name(columns[name]),
        placeholder="",
        key=f"{key}-column",
    )
    if name is None:
        return None
    column = columns[name]
    how = second.selectbox(
        text.HOW_LABEL, sentences.hows(column), format_func=text.HOWS.__getitem__, key=f"{key}-{name}-how"
    )
    with third:
        return _what(column, how or How.IS, f"{key}-{name}-{how}")


def _what(column: Column, how: How, key: str) -> Clause:
    if how in (How.BLANK, How.NOT_BLANK):
        return Clause(column=column.name, how=how)
    if how in (How.IS, How.IS_NOT):
        if column.kind.has_range:
            one = _end(column, text.VALUE_LABEL, key)
            return Clause(column=column.name, how=how, values=() if one is None else (one,))
        many = st.multiselect(
            "Values",
            choices(column),
            format_func=lambda value: text.value_name(column, value),
            placeholder="",
            select_all=False,  # otherwise, typing "male" and Enter would also select "female"
            key=key,
        )
        return Clause(column=column.name, how=how, values=tuple(many))
    if how is How.BETWEEN:
        left, right = st.columns(2)
        with left:
            low = _end(column, text.LOW_LABEL, f"{key}-low")
        with right:
            high = _end(column, text.HIGH_LABEL, f"{key}-high")
        return Clause(column=column.name, how=how, low=low, high=high)
    end = _end(column, text.VALUE_LABEL, key)
    return Clause(column=column.name, how=how, **({"low": end} if how in DOWNWARD_OPEN else {"high": end}))


def _end(column: Column, label: str, key: str) -> Any:
    """Draw one end of a range. Return a number, an ISO date as text, or a value of an ordered list, or None
    while the field is empty.
    """
    if column.kind.has_values:
        return st.selectbox(
            label,
            column.values,
            index=None,
            format_func=lambda value: text.value_name(column, value),
            placeholder="",
            key=key,
        )
    if column.kind is Kind.DATE:
        first = dt.date.fromisoformat(str(column.min or _EARLIEST))
        last = dt.date.fromisoformat(str(column.max or _LATEST))
        day = st.date_input(label, None, min_value=first, max_value=last, format="YYYY-MM-DD", key=key)
        return day.isoformat() if isinstance(day, dt.date) else None
    number = int if column.kind is Kind.INTEGER else float
    low, high = (None if end is None else number(end) for end in (column.min, column.max))
    step = 1 if column.kind is Kind.INTEGER else 0.01
    given: int | float | None = st.number_input(label, low, high, None, step, key=key)
    return given


def _share(schema: Schema, key: str) -> str | None:
    """Draw the conditions that select the counted records, and the fields for the target proportion."""
    where = _clauses(schema, "Of all records, those where", f"{key}-share", least=1)
    st.caption(text.SHARE_LIMIT)
    first, second = st.columns([7, 4], vertical_alignment="bottom")
    wanted = layout.pick("Target", text.WANTED, on=first, key=f"{key}-wanted")
    percent = second.number_input(
        "Per cent",
        0.0,
        100.0,
        None,
        0.1,
        disabled=wanted is Wanted.AS_TABLE,
        key=f"{key}-percent",
    )
    return sentences.share(where, wanted, None if percent is None else percent / 100)


def _comparison(schema: Schema, key: str) -> str | None:
    lefts = [column.name for column in sentences.comparable(schema)]
    if not lefts:
        st.caption(text.COMPARE_NONE)
        return None
    first, second, third = st.columns([4, 3, 4], vertical_alignment="bottom")
    left = first.selectbox(text.COLUMN_LABEL, lefts, index=None, placeholder="", key=f"{key}-left")
    operator = layout.pick(text.HOW_LABEL, text.COMPARISONS, on=second, key=f"{key}-operator")
    rights = [c.name for c in sentences.comparable(schema, left)] if left else []
    right = third.selectbox(
        text.COLUMN_LABEL, rights, index=None, placeholder="", key=f"{key}-right-{left}", disabled=not left
    )
    return sentences.compare(left, operator, right) if left and right else None


def bring(project: Project, schema: Schema) -> None:
    """Import rules from a file: a CSV list of allowed combinations, or rules as this app writes them."""
    with st.expander("Import rules", icon=":material/upload_file:"):
        st.markdown(text.IMPORT_NOTE)
        given = st.file_uploader(
            "File of rules (CSV or JSON)",
            ["csv", "json"],
            max_upload_size=_LARGEST_FILE_MB,
            key=f"{state.generation('import')}-rules",
        )
        because = st.text_input(
            text.BECAUSE_LABEL,
            placeholder=text.BECAUSE_PLACEHOLDER,
            help=text.BECAUSE_HELP,
            key=f"{state.generation('import')}-because",
        )
        entries: tuple[Entry, ...] = ()
        if given is not None:
            with guards.shown():
                raw = given.getvalue()
                entries = rules.imported(raw, name=given.name, schema=schema, because=because.strip())
                st.markdown(text.IMPORT_COUNT.format(count=words.number_of(len(entries), "rule")))
        _offer(project, schema, entries, "Add these rules", "import")
