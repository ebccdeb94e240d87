"""Turns a command line into a request; nothing here carries one out."""
