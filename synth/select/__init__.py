"""What to ask: workloads."""
