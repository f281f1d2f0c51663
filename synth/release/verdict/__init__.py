"""The accuracy check (verdict): measure the distance between a finished synthetic table and the private one,
with part of the budget.
"""
