"""What to measure at which price: workloads, and decisions from noisy answers."""
