"""Widgets of the steward page."""
