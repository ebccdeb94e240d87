"""Where tools keep what they download, and what lets somebody in: names below the person's home."""

from __future__ import annotations

CACHES = (
    ".cache",
    ".npm",
    ".yarn",
    ".bun/install/cache",
    ".cargo/registry",
    ".cargo/git",
    ".rustup/downloads",
    ".rustup/tmp",
    "go/pkg",
    ".gradle",
    ".m2/repository",
    ".ivy2",
    ".sbt",
    ".nuget/packages",
    ".pub-cache",
    ".composer/cache",
    ".cabal/packages",
    ".local/share/pnpm",
    ".local/share/uv",
    ".local/share/virtualenv",
)
"""Written by package managers and compilers; nothing here is run at login or found on PATH."""

MADE_BY = {
    "npm": (".npm",),
    "npx": (".npm",),
    "pnpm": (".local/share/pnpm",),
    "cargo": (".cargo/registry", ".cargo/git"),
    "go": ("go/pkg",),
    "gradle": (".gradle",),
    "mvn": (".m2/repository",),
    "dotnet": (".nuget/packages",),
    "uv": (".local/share/uv",),
}
"""The caches that a program makes where they are missing, and could not make in a read-only home."""

UNSHARED = {
    "GOCACHE": "go-build",
    "UV_CACHE_DIR": "uv",
    "CCACHE_DIR": "ccache",
    "SCCACHE_DIR": "sccache",
}
"""Variables that name a cache without which its program does not run at all, and a directory for each."""

CREDENTIALS = (
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".docker",
    ".oci",
    ".netrc",
    ".git-credentials",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    ".my.cnf",
    ".vault-token",
    ".password-store",
    ".terraform.d",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".gem/credentials",
    ".config/gh",
    ".config/glab-cli",
    ".config/hub",
    ".config/gcloud",
    ".config/doctl",
    ".config/op",
    ".config/rclone",
    ".config/git/credentials",
    ".config/google-chrome",
    ".config/chromium",
    ".mozilla",
    ".local/share/keyrings",
)
"""Stores of keys, tokens and passwords."""

SYSTEM_CREDENTIALS = ("/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/etc/ssh")
"""What root alone may read, so that it is hidden from a root without rights too."""

STATE_SECRETS = ("team-keys", "mcp-logins")
"""Below RooCode's own directory: keys that sign what a team obeys, and logins to servers.

They are hidden whatever was granted.
"""

START_UP = (
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".bash_aliases",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".config",
    ".ssh",
    ".gnupg",
    ".gitconfig",
    ".local/bin",
    ".cargo/bin",
    "bin",
    ".tmux.conf",
    ".inputrc",
    ".vimrc",
    ".xprofile",
)
"""Obeyed at the next login or found on PATH: never written, even where the home itself is the project."""

RUNTIME = ("/run/current-system", "/run/booted-system", "/run/wrappers", "/run/opengl-driver")
"""Below /run, and yet programs: NixOS."""
