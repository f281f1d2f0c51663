"""The page for one release package, which needs neither a project nor a ledger."""
