"""Widgets of the page Private evaluation."""
