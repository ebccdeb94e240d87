"""Asks an endpoint a few tiny questions, to find out where it differs from its protocol."""
