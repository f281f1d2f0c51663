"""The default generator: several models of the same measurements, weighted by hold-out error."""
