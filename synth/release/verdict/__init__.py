"""The verdict: measure with part of the budget how far a finished synthetic table is from the private one."""
