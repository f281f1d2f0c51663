"""Widgets of the Run page."""
