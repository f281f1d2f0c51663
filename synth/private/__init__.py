"""The only package that reads rows: queries, exact counts, noise, and the ledger that charges them."""
