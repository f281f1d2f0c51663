"""Widgets of the compare page."""
