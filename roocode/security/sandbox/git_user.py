"""What of the person's own git configuration our pinned git carries on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from roocode.protocol.frozen import frozen

_CARRIED = ("core.autocrlf", "core.eol", "core.excludesfile", "core.attributesfile")
_REACHING = ("credential.", "http.", "url.", "core.sshcommand", "ssh.variant")
_PERSONAL = ("system", "global", "command")


@frozen
class Identity:
    """Who commits, as git itself would choose: environment over configuration, `author.*` over `user.*`."""

    author_name: str
    author_email: str
    committer_name: str
    committer_email: str

    def variables(self) -> dict[str, str]:
        """The environment variables that set it."""
        return {
            "GIT_AUTHOR_NAME": self.author_name,
            "GIT_AUTHOR_EMAIL": self.author_email,
            "GIT_COMMITTER_NAME": self.committer_name,
            "GIT_COMMITTER_EMAIL": self.committer_email,
        }


@frozen
class UserConfig:
    """Settings carried on: plain data, and which directories the person calls safe.

    `filters` names the content filters that are defined anywhere; our git runs none of them. `reaching` is
    how the person's git gets to other hosts: what they set themselves, for fetching alone.
    """

    identity: Identity | None = None
    carried: tuple[tuple[str, str], ...] = ()
    safe_directories: tuple[str, ...] = ()
    filters: frozenset[str] = field(default_factory=frozenset)
    reaching: tuple[tuple[str, str], ...] = ()


def parse(listing: str, environ: Mapping[str, str]) -> UserConfig:
    """Reads `git config --list --includes --show-scope -z`, which was run inside the repository.

    So `includeIf` in the person's files chooses as it does for them. What a repository sets counts
    where it is data (a name, line ends), as in any git; `safe.directory` counts only from the person.
    """
    values: dict[str, str] = {}
    safe: list[str] = []
    filters: set[str] = set()
    reaching: list[tuple[str, str]] = []
    fields = listing.split("\0")
    for scope, entry in zip(fields[::2], fields[1::2], strict=False):
        key, _, value = entry.partition("\n")
        values[key] = value
        if key == "safe.directory" and scope in _PERSONAL:
            safe.append(value)
        if key.startswith(_REACHING) and scope in _PERSONAL:
            reaching.append((key, value))
        if key.startswith("filter."):
            filters.add(key.removeprefix("filter.").rpartition(".")[0])
    carried = tuple((key, values[key]) for key in _CARRIED if key in values)
    return UserConfig(_identity(values, environ), carried, tuple(safe), frozenset(filters), tuple(reaching))


def _identity(values: Mapping[str, str], environ: Mapping[str, str]) -> Identity | None:
    def choose(role: str, part: str) -> str:
        return (
            environ.get(f"GIT_{role}_{part}".upper())
            or values.get(f"{role}.{part}")
            or values.get(f"user.{part}")
            or (environ.get("EMAIL", "") if part == "email" else "")
        ).strip()

    chosen = [choose(role, part) for role in ("author", "committer") for part in ("name", "email")]
    return Identity(*chosen) if all(chosen) else None
