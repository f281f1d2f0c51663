"""Widgets of the Results page."""
