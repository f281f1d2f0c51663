"""Widgets of the Rules page."""
