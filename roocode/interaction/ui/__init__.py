"""Screens: each consumes the same events; none knows the engine."""
