"""Widgets of the ledger page."""
