"""Slash commands: each module of this package whose `COMMAND` is one brings it; a new one edits no list."""
