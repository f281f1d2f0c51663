"""The steward's declarations, choices, runs and publications, without a user interface."""
