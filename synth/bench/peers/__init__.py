"""Run other libraries, each in a separate environment, on the same tables, and evaluate them in the same
way.
"""
