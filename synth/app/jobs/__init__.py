"""Run background jobs, each in its own process."""
