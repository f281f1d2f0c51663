"""Widgets of the results page."""
