"""The guide: notes on each step that explain what to do and why, until the user switches them off.

The setting is stored per person in this installation's folder and applies to all projects.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import streamlit as st

from synth.app.jobs import runner
from synth.app.jobs.store import Job, write
from synth.app.project.results import publication
from synth.app.project.store import Project
from synth.app.ui import login
from synth.app.ui.text import guide as text
from synth.core.system.places import home

KEY = "guide-switch"


def place_of(name: str) -> Path:
    """Return the path of a person's settings. The file name does not contain the person's name."""
    digest = hashlib.sha256(name.encode()).hexdigest()[:16]
    return home() / "people" / f"{digest}.json"


def is_on(name: str) -> bool:
    """Return whether the guide is on for this person. The default is on."""
    try:
        return bool(json.loads(place_of(name).read_text(encoding="utf-8"))["guide"])
    except (OSError, ValueError, KeyError, TypeError):
        return True


def keep(name: str, *, on: bool) -> None:
    """Store whether this person wants the guide."""
    place = place_of(name)
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write(place, json.dumps({"guide": on}), durable=False)


def switch() -> None:
    """Draw the switch in the sidebar of every page."""
    name = login.current().name
    chosen = st.toggle("Show guide", is_on(name), help=text.SWITCH_HELP, key=KEY)
    if chosen != is_on(name):
        keep(name, on=chosen)
        st.rerun()


def show(step: str, project: Project | None = None) -> None:
    """Draw the short and the long notes of a page. Draw nothing if the guide is off."""
    if step not in text.STEPS or not is_on(login.current().name):
        return
    if step in ("run", "release") and project is not None and is_over(step, project):
        return
    notes = text.STEPS[step]
    is_review = step == "run" and project is not None and project.drafting
    with st.container(border=True, horizontal=True, vertical_alignment="center", key="guide"):
        if not is_review:
            st.markdown("\n".join(f"- {line}" for line in notes.todo.splitlines()))
        with st.popover("Learn more", icon=":material/signpost:", type="tertiary"):
            st.markdown(notes.why)


def is_over(step: str, project: Project) -> bool:
    """Return whether the run has finished or the project is published, so that the notes no longer apply."""
    if step == "release":
        return bool(publication.count_published(project))
    started = project.runs and not project.drafting
    return bool(started) and runner.status(Job.find(project.runs[-1])).state.is_end
