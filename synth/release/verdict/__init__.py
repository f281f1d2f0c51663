"""The verdict: measure how far a finished synthetic table is from the private one, with part of the budget."""
