"""Widgets of the Release page."""
