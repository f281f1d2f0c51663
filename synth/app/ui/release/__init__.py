"""Widgets of the release page."""
