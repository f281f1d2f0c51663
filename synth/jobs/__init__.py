"""One process per run."""
