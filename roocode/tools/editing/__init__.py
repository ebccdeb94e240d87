"""Edits to texts: found exactly or by whitespace, spliced in without touching a byte beside them. Pure."""
