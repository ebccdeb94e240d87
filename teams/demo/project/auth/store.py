"""Keeps users in memory."""


class Store:
    """Users by their e-mail address."""

    def __init__(self):
        self.users = {}

    def add(self, email, secret):
        self.users[email] = secret
