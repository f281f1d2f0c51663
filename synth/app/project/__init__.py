"""The steward's declarations, choices, runs and publications. There is no user interface here."""
