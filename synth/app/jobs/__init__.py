"""Background jobs. Each job runs in a process of its own."""
