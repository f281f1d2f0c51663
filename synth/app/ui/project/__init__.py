"""Widgets of the Project page."""
