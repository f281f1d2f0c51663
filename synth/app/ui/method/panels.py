"""Panels of the Method page: the recommendation, other methods, settings and further tables."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from synth.app.figures import method as figures
from synth.app.project import starting
from synth.app.project.declared import Declared
from synth.app.project.runs import generator_title
from synth.app.project.spend import outlook
from synth.app.project.spend.advice import Advice, Matter, advise
from synth.app.project.spend.allocation import allocate, mechanism_of, trouble
from synth.app.project.spend.offer import offer
from synth.app.project.store import Method, Project
from synth.app.ui import layout, state
from synth.app.ui import text as words
from synth.app.ui.method import forms
from synth.app.ui.text import method as text
from synth.core.domain import Domain
from synth.core.options import options_of
from synth.core.system.device import likely_device
from synth.mechanisms import MECHANISMS
from synth.mechanisms.shared.base import Mechanism
from synth.mechanisms.shared.recipe import followers, objection
from synth.models.registry import GENERATORS


def recommend(project: Project, table: Declared) -> Advice:
    """Ask two questions, and show the recommended method with the reason, and the chosen one."""
    st.header("Recommended method", anchor=False, help=text.HELP_NOTE)
    state.start_value("help-matter", Matter.TRIPLES if project.method.workload > 2 else Matter.PAIRS)
    left, right = st.columns(2)
    matter = layout.pick("Intended use", text.MATTERS, on=left, key="help-matter")
    patience = layout.pick("Time limit", text.PATIENCE, "coffee", on=right, key="help-patience")
    advice = advise(table, matter=matter, patience=patience, budget=project.budget)
    st.markdown(text.advice(advice))
    if outlook.domain_known(table) is None:
        st.info(text.TIMES_UNKNOWN, icon=":material/timer_off:")
    shown = _first(project, advice)
    for name, place in zip(shown, st.columns(len(shown), gap="medium"), strict=True):
        with place:
            _draw(project, table, advice, name)
    return advice


def _first(project: Project, advice: Advice) -> list[str]:
    """Draw the recommended method and the chosen one."""
    return list(dict.fromkeys((advice.method, project.method.name)))


def others(project: Project, table: Declared, advice: Advice) -> None:
    """Let the user choose another method, and show how all methods did on the most similar benchmark
    table.
    """
    names = [name for name in MECHANISMS if name not in _first(project, advice)]
    with st.expander("Other methods", icon=":material/tune:", key="other-methods"):
        picked = st.selectbox("Method", names, format_func=text.offered, key="other-method", width=420)
        _draw(project, table, advice, picked)
    if (there := advice.comparison) is not None:
        found = text.findings(advice, there)
        note = f"{text.PLOT_NOTE}\n\n{text.sources(there, found)}"
        st.subheader("Methods on similar data", anchor=False, help=note)
        layout.chart(figures.methods(found, advice.matter, ranked=advice.findings), key="methods-chart")


def _draw(project: Project, table: Declared, advice: Advice, name: str) -> None:
    """Draw the card of a method, with a button unless the method is already chosen."""
    kind, chosen = MECHANISMS[name], name == project.method.name
    mechanism = mechanism_of(project.method) if chosen else kind()
    method = project.method if chosen else Method(name=name, workload=advice.k)
    with st.container(border=True, height="stretch", key=f"card-{name}"):
        st.subheader(kind.title, anchor=False, help=text.about_method(kind))
        said = [
            text.standing(advice, name),
            _card(mechanism, method, outlook.domain_known(table)),
            text.dearer(offer(project, table.schema, method=name)),
        ]
        st.markdown("\n\n".join(filter(None, said)))
        if chosen:
            st.markdown(":green-badge[:material/check: chosen]")
        if name == advice.method:
            if (name, advice.k) != (project.method.name, project.method.workload):
                _offer(project, advice)
        elif not chosen and st.button("Choose", key=f"choose-{name}"):
            _take(project, name)


def _offer(project: Project, advice: Advice) -> None:
    """Let the user choose the recommended method and the marginals to preserve."""
    chosen = advice.method == project.method.name
    kept = f"Preserve {text.WORKLOAD_CHOICES[advice.k].lower()}"
    label = kept if chosen else f"Choose {MECHANISMS[advice.method].title}"
    if st.button(label, key="help-take", type="primary"):
        state.put({"workload": advice.k})
        _take(project, advice.method, workload=advice.k)


def _card(mechanism: Mechanism, method: Method, domain: Domain | None) -> str:
    """Return the text of a card, with the time of the fast option."""
    if domain is None:
        return text.card(mechanism, None, here=likely_device())
    own, fast = method if method.generator is None else replace(method, generator_options={}), mechanism.fast
    times = outlook.of_run(mechanism, replace(own, generator=None), domain)
    quick = replace(method, generator=fast, generator_options={})
    faster = {generator_title(fast): outlook.of_run(mechanism, quick, domain)} if fast else {}
    return text.card(mechanism, times, here=likely_device(), faster=faster)


def _take(project: Project, name: str, *, workload: int | None = None) -> None:
    """Choose a method, and discard the settings of the previous one."""
    before = project.method
    chosen = before if name == before.name else Method(name=name, rows=before.rows)
    state.accept(replace(project, method=replace(chosen, workload=workload or before.workload)))
    st.rerun()


def settings(project: Project, table: Declared) -> Project:
    """Ask for the marginals and the number of rows, and show options, generator and model size in an
    expander.
    """
    st.header("Settings", anchor=False)
    columns = {column.name: column.heading for column in table.schema.modelled}
    method = forms.goals(project.method)
    with st.expander("Settings of this method", icon=":material/settings:", key="method-settings"):
        kind = MECHANISMS[method.name]
        options = forms.options_form(kind, method.options, key=method.name, columns=columns)
        method = _generation(replace(method, options=options), outlook.domain_known(table))
        if outlook.domain_known(table) is not None:
            st.caption(text.size(outlook.size_of(table, mechanism_of(method))))
    project = replace(project, method=method)
    moved = allocate(table.schema, project.budget, method).options
    differing = {name: value for name, value in moved.items() if method.options.get(name) != value}
    if differing:
        labels = {o.name: forms.label_of(o) for o in options_of(MECHANISMS[method.name])}
        moved_to = ", ".join(f"{labels.get(name, name)} {value:g}" for name, value in differing.items())
        st.caption(text.MOVED.format(options=words.plain(moved_to)))
    if (sentence := trouble(table.schema, project.budget, method)) is not None:
        st.error(words.plain(sentence), icon=":material/error:")
    if project.start.path and not starting.can_start(method):
        st.error(text.CANNOT_START, icon=":material/error:")
    if outlook.domain_known(table) is not None:
        model = outlook.size_of(table, mechanism_of(method))
        for words_of in [text.too_wide] * bool(model.too_wide) + [text.near] * model.is_near:
            st.warning(words_of(model), icon=":material/open_in_full:")
    return project


def _generation(method: Method, domain: Domain | None) -> Method:
    """Draw the fields for the generator, its options, and merging rare values."""
    kind = MECHANISMS[method.name]
    offered = followers(kind)
    own = f"{generator_title(kind.generator)} (default of the method)"
    chosen = st.selectbox(
        "Generator",
        offered,
        offered.index(method.generator) if method.generator in offered else 0,
        format_func=lambda name: own if name == kind.generator else generator_title(name),
        key=f"generator-{method.name}",
    )
    note = st.empty()
    options = _generator_options(method, chosen)
    method = replace(
        method, generator=None if chosen == kind.generator else chosen, generator_options=options
    )
    note.caption(_run_time(method, domain))
    against = {g.title: why for g in GENERATORS.values() if (why := objection(kind, g.name)) is not None}
    if against:
        st.caption(text.not_offered(against))
    compress = kind.joins and st.toggle(
        "Merge rare values", method.compress, help=text.COMPRESS_HELP, key=f"compress-{method.name}"
    )
    return replace(method, compress=compress)


def _run_time(method: Method, domain: Domain | None) -> str:
    """Return the time of a run as configured, and as published if the method has such an option."""
    mechanism = mechanism_of(method)
    summary = GENERATORS[method.generator or mechanism.generator].summary
    published, times = outlook.as_published(method), outlook.of_run(mechanism, method, domain)
    if published is None or published == method:
        return text.run_time(summary, times, is_literal=published is not None)
    return text.run_time(summary, times, literal=outlook.of_run(mechanism, published, domain))


def _generator_options(method: Method, chosen: str) -> dict[str, Any]:
    """Draw the options of the generator, except those that the method also has."""
    kind = MECHANISMS[method.name]
    own = chosen == kind.generator
    without = {f.name for f in options_of(kind)} if own else set()
    before = method.generator_options if chosen == (method.generator or kind.generator) else {}
    if all(f.name in without for f in options_of(GENERATORS[chosen])):
        return {}
    key = f"generator-{method.name}-{chosen}"
    return forms.options_form(GENERATORS[chosen], before, key=key, without=without)


def extras(method: Method, table: Declared) -> Method:
    """Let the user choose further generators for the same measurements."""
    st.header("More tables (free)", anchor=False)
    kind, domain = MECHANISMS[method.name], outlook.domain_known(table)
    offered = [name for name in followers(kind) if name != (method.generator or kind.generator)]
    if not offered:
        st.caption("No other generator suits the chosen method.")
        return replace(method, extras=())
    seconds = {name: None if domain is None else GENERATORS[name]().seconds(domain) for name in offered}
    chosen = st.multiselect(
        "Further generators",
        offered,
        [name for name in method.extras if name in offered],
        format_func=lambda name: text.further(name, seconds[name]),
        help="\n".join(f"- **{GENERATORS[name].title}**: {GENERATORS[name].summary}" for name in offered),
        key="-".join(filter(None, ("extras", method.name, method.generator))),
    )
    st.caption(text.FREE_NOTE)
    return replace(method, extras=tuple(chosen))
