"""What a steward declares, chooses, runs and publishes: plain logic that returns facts and codes."""
