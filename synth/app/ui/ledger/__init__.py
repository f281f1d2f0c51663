"""Widgets of the Ledger page."""
