"""Widgets of the Columns page."""
