"""Instruction files: what a person and a project want every agent to know."""
