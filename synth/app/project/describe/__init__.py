"""What a steward declares: who is protected, the columns, and the rules."""
