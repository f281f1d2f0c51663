"""Questions to a release package, answered from its noisy measurements. Reads no private file."""
