"""The default generator, which combines several models of the same measurements with weights by hold-out
error.
"""
