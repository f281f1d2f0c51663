"""The documents of a release package: report, statement, data dictionary."""
