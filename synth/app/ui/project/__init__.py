"""Widgets of the project page."""
