"""Background jobs. Each job runs in its own process."""
