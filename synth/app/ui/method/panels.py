"""Panels of the method page: cards from the registry, help to choose, settings, further tables for free."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from synth.app.project.declared import Declared
from synth.app.project.runs import generator_title
from synth.app.project.spend import outlook
from synth.app.project.spend.advice import PATIENCE, Advice, Matter, advise
from synth.app.project.spend.allocation import allocate, mechanism_of, trouble
from synth.app.project.store import Method, Project
from synth.app.ui import state
from synth.app.ui import text as words
from synth.app.ui.method import forms
from synth.app.ui.text import method as text
from synth.core.accounting import GAUSSIAN, SAMPLED
from synth.core.domain import Domain
from synth.core.options import options_of
from synth.core.system.device import likely_device
from synth.mechanisms import MECHANISMS
from synth.mechanisms.shared.base import Mechanism, Purpose
from synth.mechanisms.shared.recipe import followers, objection
from synth.models.registry import GENERATORS

_PER_ROW = 2


def paid() -> None:
    """What every method has in common: it costs, and it keeps the same promise."""
    st.header(text.PAID_TITLE, anchor=False)
    st.markdown(text.PAID_NOTE)
    titles = {law: [k.title for k in MECHANISMS.values() if k.law == law] for law in (GAUSSIAN, SAMPLED)}
    with st.expander(text.GUARANTEE_TITLE, icon=":material/functions:"):
        st.markdown(text.guarantee(titles[GAUSSIAN], titles[SAMPLED]))


def help_me(project: Project, table: Declared) -> Advice:
    """Two questions, one answer with its reason and its card, from public facts."""
    st.header(text.HELP_TITLE, anchor=False)
    state.start_value("help-matter", Matter.TRIPLES if project.method.workload > 2 else Matter.PAIRS)
    left, right = st.columns(2)
    matter = left.selectbox(
        text.HELP_MATTER, list(Matter), format_func=text.MATTERS.__getitem__, key="help-matter"
    )
    patience = right.selectbox(
        text.HELP_PATIENCE, list(PATIENCE), 1, format_func=text.PATIENCE.__getitem__, key="help-patience"
    )
    advice = advise(
        table, matter=matter or Matter.PAIRS, patience=patience or "coffee", budget=project.budget
    )
    st.markdown(text.advice(advice, is_known=outlook.domain_known(table) is not None))
    shown = list(dict.fromkeys((advice.method, project.method.name)))
    for name, place in zip(shown, st.columns(len(shown), gap="medium"), strict=True):
        with place:
            _draw(project, table, advice, name)
    with st.expander(text.HELP_HOW, icon=":material/straighten:"):
        st.markdown(text.compared(advice) or text.NOT_COMPARED)
    return advice


def cards(project: Project, table: Declared, advice: Advice) -> None:
    """The other methods, folded into groups by what they are there for."""
    st.header(text.OTHERS_TITLE, anchor=False)
    st.markdown(text.OTHERS_NOTE)
    if outlook.domain_known(table) is None:
        st.info(text.TIMES_UNKNOWN, icon=":material/timer_off:")
    shown = {advice.method, project.method.name}
    for purpose in Purpose:
        names = [name for name, kind in MECHANISMS.items() if kind.purpose is purpose and name not in shown]
        if not names:
            continue
        with st.expander(
            text.group(purpose, [MECHANISMS[name].title for name in names]), key=f"group-{purpose}"
        ):
            st.markdown(text.PURPOSES[purpose][1])
            for start in range(0, len(names), _PER_ROW):
                places = st.columns(_PER_ROW, gap="medium")
                for name, place in zip(names[start : start + _PER_ROW], places, strict=False):
                    with place:
                        _draw(project, table, advice, name)


def _draw(project: Project, table: Declared, advice: Advice, name: str) -> None:
    """One card; the chosen method says so in a word, and so does the recommended one."""
    kind, chosen = MECHANISMS[name], name == project.method.name
    mechanism = mechanism_of(project.method) if chosen else kind()
    method = project.method if chosen else Method(name=name, workload=advice.k)
    with st.container(border=True, height="stretch", key=f"card-{name}"):
        st.subheader(kind.title, anchor=False)
        said = [text.standing(advice, name), _card(mechanism, method, outlook.domain_known(table))]
        st.markdown("\n\n".join(filter(None, said)))
        st.caption(words.plain(kind.paper))
        if chosen:
            st.markdown(text.CHOSEN)
        if name == advice.method:
            if (name, advice.k) != (project.method.name, project.method.workload):
                _offer(project, advice)
        elif not chosen and st.button(text.CHOOSE, key=f"choose-{name}"):
            _take(project, name)


def _offer(project: Project, advice: Advice) -> None:
    """Take the recommended method, and what it is to keep faithful."""
    chosen = advice.method == project.method.name
    kept = text.HELP_KEEP.format(what=text.WORKLOAD_CHOICES[advice.k].lower())
    label = kept if chosen else text.HELP_TAKE.format(title=MECHANISMS[advice.method].title)
    if st.button(label, key="help-take", type="primary"):
        state.put({"workload": advice.k})
        _take(project, advice.method, workload=advice.k)


def _card(mechanism: Mechanism, method: Method, domain: Domain | None) -> str:
    """What a card says, with the time of its fast option where it has one."""
    if domain is None:
        return text.card(mechanism, None, here=likely_device())
    own, fast = method if method.generator is None else replace(method, generator_options={}), mechanism.fast
    times = outlook.of_run(mechanism, replace(own, generator=None), domain)
    quick = replace(method, generator=fast, generator_options={})
    faster = {generator_title(fast): outlook.of_run(mechanism, quick, domain)} if fast else {}
    return text.card(mechanism, times, here=likely_device(), faster=faster)


def _take(project: Project, name: str, *, workload: int | None = None) -> None:
    """Choose a method; the settings that belong to another one before are left behind."""
    before = project.method
    chosen = before if name == before.name else Method(name=name, rows=before.rows)
    state.accept(replace(project, method=replace(chosen, workload=workload or before.workload)))
    st.rerun()


def settings(project: Project, table: Declared) -> Project:
    """What to keep faithful, how many rows, and behind a click the method's own options and generator."""
    st.header(text.SETTINGS_TITLE, anchor=False)
    columns = {column.name: column.heading for column in table.schema.modelled}
    method = forms.goals(project.method)
    with st.expander(text.OPTIONS_TITLE, icon=":material/settings:", key="method-settings"):
        kind = MECHANISMS[method.name]
        options = forms.options_form(kind, method.options, key=method.name, columns=columns)
        method = _generation(replace(method, options=options), outlook.domain_known(table))
    project = replace(project, method=method)
    moved = allocate(table.schema, project.budget, method).options
    differing = {name: value for name, value in moved.items() if method.options.get(name) != value}
    if differing:
        labels = {o.name: forms.label_of(o) for o in options_of(MECHANISMS[method.name])}
        moved_to = ", ".join(f"{labels.get(name, name)} {value:g}" for name, value in differing.items())
        st.caption(text.MOVED.format(options=words.plain(moved_to)))
    if (sentence := trouble(table.schema, project.budget, method)) is not None:
        st.error(words.plain(sentence), icon=":material/error:")
    return project


def _generation(method: Method, domain: Domain | None) -> Method:
    """Which of the generators that suit the method makes the records, and whether rare values are merged."""
    kind = MECHANISMS[method.name]
    offered = followers(kind)
    own = text.GENERATOR_OWN.format(title=generator_title(kind.generator))
    chosen = st.selectbox(
        text.GENERATOR_LABEL,
        offered,
        offered.index(method.generator) if method.generator in offered else 0,
        format_func=lambda name: own if name == kind.generator else generator_title(name),
        key=f"generator-{method.name}",
    )
    told = st.empty()
    options = _generator_options(method, chosen)
    method = replace(
        method, generator=None if chosen == kind.generator else chosen, generator_options=options
    )
    told.caption(_run_time(method, domain))
    against = {g.title: why for g in GENERATORS.values() if (why := objection(kind, g.name)) is not None}
    if against:
        st.caption(text.not_offered(against))
    compress = kind.joins and st.toggle(
        text.COMPRESS_LABEL, method.compress, help=text.COMPRESS_HELP, key=f"compress-{method.name}"
    )
    return replace(method, compress=compress)


def _run_time(method: Method, domain: Domain | None) -> str:
    """How long a run takes as it is set, and as its paper has it where an option says so."""
    mechanism = mechanism_of(method)
    summary = GENERATORS[method.generator or mechanism.generator].summary
    published, times = outlook.as_published(method), outlook.of_run(mechanism, method, domain)
    if published is None or published == method:
        return text.run_time(summary, times, is_literal=published is not None)
    return text.run_time(summary, times, literal=outlook.of_run(mechanism, published, domain))


def _generator_options(method: Method, chosen: str) -> dict[str, Any]:
    """Draw the options of the generator but for those that the method has itself."""
    kind = MECHANISMS[method.name]
    own = chosen == kind.generator
    without = {f.name for f in options_of(kind)} if own else set()
    before = method.generator_options if chosen == (method.generator or kind.generator) else {}
    if all(f.name in without for f in options_of(GENERATORS[chosen])):
        return {}
    key = f"generator-{method.name}-{chosen}"
    return forms.options_form(GENERATORS[chosen], before, key=key, without=without)


def size(project: Project, table: Declared) -> None:
    """How large the model gets, and which columns are to blame if it does not fit; nothing while columns are
    to be bought, as the page has said."""
    if outlook.domain_known(table) is None:
        return
    model = outlook.size_of(table, mechanism_of(project.method))
    with st.expander(text.SIZE_TITLE, icon=":material/deployed_code:", key="model-size"):
        st.markdown(text.size(model))
    if model.too_wide:
        st.warning(text.too_wide(model), icon=":material/open_in_full:")
    if model.is_near:
        st.warning(text.near(model), icon=":material/open_in_full:")


def extras(method: Method, table: Declared) -> Method:
    """Further generators on the same answers, each a tick."""
    st.header(text.FREE_TITLE, anchor=False)
    st.markdown(text.FREE_NOTE)
    kind = MECHANISMS[method.name]
    offered = [name for name in followers(kind) if name != (method.generator or kind.generator)]
    ticked, domain = [], outlook.domain_known(table)
    for name in offered:
        generator = GENERATORS[name]
        if st.checkbox(generator.title, name in method.extras, help=generator.summary, key=f"extra-{name}"):
            ticked.append(name)
        seconds = None if domain is None else generator().seconds(domain)
        st.caption(text.fit_time(generator.summary, seconds))
    if not offered:
        st.caption(text.FREE_NONE)
    return replace(method, extras=tuple(ticked))
