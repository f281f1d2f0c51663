"""Texts of the Help page around the documentation."""

from __future__ import annotations

LEAD = (
    "Marginalia turns a private table into synthetic data with a differential privacy guarantee. "
    "The glossary explains every term."
)

EMPTY = "This installation has no documentation. Read it in the repository, under assets/docs."
