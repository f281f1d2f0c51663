"""Widgets of the method page."""
