"""Widgets of the Budget page."""
