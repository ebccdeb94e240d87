"""A small login module."""
