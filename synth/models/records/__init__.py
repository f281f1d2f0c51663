"""Generators that search for a table of records, fit weights of records, or swap values between them."""
