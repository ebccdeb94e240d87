"""Conversations on disk: an append-only log, its replay, and the pairing of calls and results."""
