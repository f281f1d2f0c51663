"""Widgets of the Compare page."""
