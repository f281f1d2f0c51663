"""The accuracy check (verdict): measure the distance between a finished synthetic table and the private
table, using part of the budget.
"""
