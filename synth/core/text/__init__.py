"""Write texts in formats for people."""
