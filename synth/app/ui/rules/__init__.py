"""Widgets of the rules page."""
