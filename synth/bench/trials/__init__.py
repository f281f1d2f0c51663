"""Run one trial in a process of its own, and measure it."""
