"""Widgets of the budget page."""
