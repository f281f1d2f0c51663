"""Generators that search among tables of records, weight records, or swap their values."""
