"""Domains estimated from the data with part of the budget."""
