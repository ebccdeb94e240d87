"""Turns passwords into what is stored, and checks them."""


def protect(password: str) -> str:
    """Returns what is stored for a password."""
    return password


def matches(password: str, stored: str) -> bool:
    """Says whether a password belongs to what is stored."""
    return password == stored
