"""The steward's declarations: who is protected, the columns, and the rules."""
