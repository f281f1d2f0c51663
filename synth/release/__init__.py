"""The bundle that leaves the house."""
