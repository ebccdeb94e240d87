"""Undo: what the files of a project were before an agent's turn, and how they become that again."""
