"""Commands about a finished release package."""
