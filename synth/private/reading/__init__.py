"""Read private files and databases as text or values."""
