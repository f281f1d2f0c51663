"""Run each trial in a separate process, and measure it."""
