"""Public and invented tables of the benchmark."""
