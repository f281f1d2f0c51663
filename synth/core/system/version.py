"""The version of the program."""

from __future__ import annotations

__version__ = "0.10.0.dev0"
