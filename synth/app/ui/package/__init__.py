"""The page for one release package, without a project and a ledger."""
