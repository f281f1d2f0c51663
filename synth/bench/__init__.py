"""Honest measurements of speed and error."""
