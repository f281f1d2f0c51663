"""Values that travel between packages: schemas, encodings, noisy measurements, privacy accounting."""
