"""Servers of the Model Context Protocol, as people name them."""
