"""Identify users and their permissions. Without a login, there is one local steward, who may do everything.

Streamlit provides the login (OpenID Connect, `[auth]` in `.streamlit/secrets.toml`); roles are read from
`[roles]` in the same file. Streamlit keeps its identity cookie for thirty days and ignores the expiry of the
identity, so this module checks its age. Access is denied by default: a user without a role cannot open any
page, and with MARGINALIA_LOGIN=required but without `[auth]`, no one can open the app.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import streamlit as st

from synth.app.project import journey
from synth.app.project.store import Project
from synth.app.ui.text import frame as text

_HOURS = 10.0
"""Default maximum age of an identity in hours, after which the user must log in again. `[roles]` can change
it.
"""


class Role(StrEnum):
    """A permission of a user."""

    STEWARD = "steward"
    APPROVER = "approver"
    VIEWER = "viewer"


@dataclass(frozen=True, kw_only=True)
class Person:
    """A user of the app. `name` comes from the identity provider and is empty for the local steward."""

    name: str = ""
    roles: frozenset[Role] = frozenset(Role)

    @property
    def is_local(self) -> bool:
        return not self.name

    @property
    def may_approve(self) -> bool:
        return Role.APPROVER in self.roles

    @property
    def may_begin(self) -> bool:
        """Return whether this person may create projects."""
        return Role.STEWARD in self.roles

    def owns(self, project: Project) -> bool:
        """Return whether this person owns the project. Only the owner may change it and see its private
        side.
        """
        return Role.STEWARD in self.roles and project.owner == self.name

    def may_see(self, project: Project) -> bool:
        """Return whether this person may see the project, for example after opening its address."""
        return self.owns(project) or bool(self.roles & {Role.APPROVER, Role.VIEWER})

    def may_open(self, page: str, project: Project | None) -> bool:
        """Return whether this person may see a page with this project."""
        if not self.roles:
            return False
        step = journey.BY_NAME[page]
        if step.aside or (project is None and self.may_begin):
            return True
        if project is None:
            return page == "project"
        return self.owns(project) or (step.public and self.may_see(project))

    def signed(self, words: str) -> str:
        """Return a text for the ledger, with the name of its author if there is a login."""
        return f"{words.strip()} ({self.name})" if words.strip() and self.name else words.strip()


def _settings() -> Mapping[str, Any]:
    """Return the secrets as a mapping, which is empty if there are none."""
    return st.secrets.to_dict() if st.secrets.load_if_toml_exists() else {}


def is_required(given: Mapping[str, Any]) -> bool:
    """Return whether a login is configured or required."""
    return "auth" in given or "roles" in given or os.environ.get("MARGINALIA_LOGIN") == "required"


def current() -> Person:
    """Return the user of this session, who has no roles if no one is logged in."""
    given = _settings()
    if not is_required(given):
        return Person()
    user = st.user.to_dict()
    if "auth" not in given or not user.get("is_logged_in") or is_stale(user, given.get("roles", {})):
        return Person(name="nobody", roles=frozenset())
    return person_of(user, given.get("roles", {}))


def person_of(user: Mapping[str, Any], roles: Mapping[str, Any]) -> Person:
    """Return the name and roles of a user. `roles["claim"]` names the claim whose values the lists of roles
    contain.
    """
    if user.get("email_verified") is False:
        return Person(name="nobody", roles=frozenset())
    claim = user.get(str(roles.get("claim", "email")), "")
    held = {str(value) for value in claim} if isinstance(claim, list) else {str(claim)} - {""}
    granted = frozenset(role for role in Role if held & {str(name) for name in roles.get(role.value, ())})
    name = str(user.get("email") or user.get("sub") or "")
    return Person(name=name, roles=granted) if name else Person(name="nobody", roles=frozenset())


def is_stale(user: Mapping[str, Any], roles: Mapping[str, Any], *, now: float | None = None) -> bool:
    """Return whether the identity is too old. An identity without a time counts as too old."""
    given = user.get("iat")
    moment = time.time() if now is None else now
    hours = float(roles.get("hours", _HOURS))
    return not isinstance(given, (int, float)) or moment - given > hours * 3600


def approvers() -> str:
    """Return the names of the approvers in words."""
    names = _settings().get("roles", {}).get(Role.APPROVER.value, ())
    return ", ".join(str(name) for name in names) or "your administrator"


def gate() -> Person:
    """Return the user if they have a role. Otherwise, show how to log in and stop the page."""
    person = current()
    if not person.roles:
        _login_page(_settings())
        st.stop()
    if not person.is_local:
        with st.sidebar:
            st.caption(text.here(person.name, sorted(role.value for role in person.roles)))
            st.button(text.LEAVE, icon=":material/logout:", on_click=st.logout, key="logout")
    return person


def _login_page(given: Mapping[str, Any]) -> None:
    st.title("Marginalia", anchor=False)
    user = st.user.to_dict()
    if "auth" not in given:
        st.error(text.NOT_SET_UP, icon=":material/error:")
    elif not user.get("is_logged_in"):
        st.markdown("This installation requires a login.")
        if st.button("Log in", type="primary", icon=":material/login:", key="login"):
            st.login()
    else:
        sentence = text.STALE if is_stale(user, given.get("roles", {})) else text.NO_ROLE
        st.warning(sentence, icon=":material/lock:")
        st.button(text.LEAVE, icon=":material/logout:", on_click=st.logout, key="logout")
