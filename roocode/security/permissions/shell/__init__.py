"""Reads a Bash line: what commands it runs, with which words, where, and on what input."""
