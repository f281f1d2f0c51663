"""Widgets of the run page."""
