"""Computed on the real table, for the steward alone: nothing here can be released."""
