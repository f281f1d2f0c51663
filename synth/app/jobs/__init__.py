"""Background jobs, each in a process of its own."""
