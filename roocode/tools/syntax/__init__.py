"""Tells an edit's syntax errors: only those that were not there before. Grammars are loaded when needed."""
