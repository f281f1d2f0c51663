"""From a fitted model to a release package: rows, checks, documents, verification."""
