"""Registers users and logs them in."""

from auth.store import Store


class Service:
    """What the rest of the program talks to."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def register(self, email: str, password: str) -> None:
        """Adds a user."""
        self.store.add(email, password)

    def login(self, email: str, password: str) -> bool:
        """Says whether this is a user with this password."""
        return self.store.users.get(email) == password
