"""One release package on a page of its own, without a project and a ledger."""
