"""Turn a fitted model into a release package: rows, checks, documents and verification."""
