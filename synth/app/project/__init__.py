"""What a steward declares, chooses, runs and publishes, without any user interface."""
