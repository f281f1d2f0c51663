"""The verdict: measure the distance of a finished synthetic table from the private one, with part of the
budget.
"""
