"""Tasks, each in a process of its own; `kinds` lists them."""
