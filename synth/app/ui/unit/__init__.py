"""Widgets of the unit page."""
