"""Parts that several methods share: the base class, queries, the budget split, and combinations with
generators.
"""
