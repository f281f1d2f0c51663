"""Code that several methods share: the base class, measuring, the budget split, and combination with
generators.
"""
