"""The privacy gate: replay methods and other libraries on neighbouring tables, and check what they spend."""
