"""Widgets of the page Who is protected."""
