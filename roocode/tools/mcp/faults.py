"""What went wrong with a server, in words."""

from __future__ import annotations

from roocode.protocol.errors import HostError


class ServerDown(HostError):
    """A server is not there, or went away in the middle of a request."""


class LoginNeeded(HostError):
    """A server wants the person to log in."""


def login_needed(server: str) -> LoginNeeded:
    """The error with its mend."""
    return LoginNeeded(f"{server} wants you to log in", f"roocode mcp test {server} --login")


def in_words(error: BaseException) -> str:
    """The first real cause in an error of the SDK, which nests them in groups."""
    while isinstance(error, BaseExceptionGroup) and error.exceptions:
        error = error.exceptions[0]
    said = str(error).strip() or type(error).__name__
    if isinstance(error, HostError):
        return error.what
    return said.splitlines()[0][:500]


def find(error: BaseException, kind: type[BaseException]) -> BaseException | None:
    """An error of this kind in an error or among those that it holds or came of."""
    seen: list[BaseException] = [error]
    for each in seen:
        if isinstance(each, kind):
            return each
        inner = each.exceptions if isinstance(each, BaseExceptionGroup) else ()
        seen += [more for more in (*inner, each.__cause__) if more is not None and more not in seen]
    return None
