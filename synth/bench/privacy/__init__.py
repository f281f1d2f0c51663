"""The privacy gate: replay methods and other libraries on neighbouring tables, and check their privacy
cost.
"""
