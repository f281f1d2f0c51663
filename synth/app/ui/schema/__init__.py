"""Widgets of the schema page."""
