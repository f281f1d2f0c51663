"""Define types that all packages use: schemas, encodings, noisy measurements, privacy accounting."""
