"""Files that a shell line would read secrets from, by their names."""

from __future__ import annotations

from collections.abc import Iterator

from roocode.security.permissions.parts import Part
from roocode.security.permissions.secret_files import holds_secrets
from roocode.security.permissions.shell.patterns import is_live, matches
from roocode.security.permissions.shell.programs import base_name, names

_EXAMPLES = (
    ".env", ".env.local", ".env.production", ".envrc", ".netrc", ".npmrc", ".pypirc", ".git-credentials",
    "id_rsa", "id_ed25519", "server.key", "cert.pem", "credentials.json", "secrets.yml", "prod.env",
    "terraform.tfvars", "terraform.tfstate", "service-account.json", "keystore.jks", "cert.p12", ".htpasswd",
)  # fmt: skip
_LOOKERS = names(
    "ls dir vdir gls stat test [ du tree realpath readlink find gfind fd fdfind df file cd pushd which"
)
_LOOKING_GIT = names("check-ignore check-attr ls-files ls-tree status")


def secret_read(part: Part) -> str:
    """A path that the part would read secrets from, or "". Programs that only look at names read none."""
    return "" if looks_only(part) else next(filter(None, map(_secret, part.reads)), "")


def looks_only(part: Part) -> bool:
    """Whether a command looks at names and sizes alone, never at what files hold."""
    program = base_name(part.words[0]) if part.words else ""
    return program in _LOOKERS or (
        program == "git" and part.words[1:2] != () and part.words[1] in _LOOKING_GIT
    )


def _secret(path: str) -> str:
    return path if any(map(holds_secrets, _meant(path))) else ""


def _meant(path: str) -> Iterator[str]:
    """The path; where its last name is a pattern that says something, the secret files that it may mean."""
    directory, _, name = path.rpartition("/")
    yield path
    if is_live(name) and (len(name.strip("*?")) > 1 or name.startswith(".")):
        yield from (f"{directory}/{example}" for example in _EXAMPLES if matches(example, name))
