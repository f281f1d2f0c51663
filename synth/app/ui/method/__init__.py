"""Widgets of the Method page."""
