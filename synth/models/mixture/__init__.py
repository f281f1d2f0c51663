"""Mixtures of products and of trees, and other kinds of measurements to which they can be fitted."""
