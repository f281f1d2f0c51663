"""The privacy budget: its split, the expected error, the choice of a method, and the ledger."""
