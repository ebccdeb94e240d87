"""Asking a program for its version or its help, where that runs nothing of the project (P15)."""

from __future__ import annotations

from collections.abc import Mapping

from roocode.security.permissions.shell.calls import Call
from roocode.security.permissions.shell.programs import names

_TELLS_VERSION = names(
    "git curl wget pip pip3 python python2 python3 node npm deno bun uv java javac gcc g++ cc c++ clang "
    "clang++ ld make gmake cmake ninja ruby gem perl php lua luajit docker podman tmux screen bash zsh "
    "fish dash grep sed awk gawk find tar gzip xz zstd zip unzip rg fd ag jq yq tree less vim nvim nano "
    "emacs ssh openssl rsync sqlite3 psql mysql redis-cli mongosh ffmpeg convert magick pandoc gh glab "
    "helm aws gcloud brew apt apt-get dpkg dnf yum pacman snap flatpak systemctl crontab strace ltrace "
    "gdb lldb valgrind shellcheck shfmt direnv rustup-init zig nim ghc julia R Rscript octave erl elixir "
    "swift kotlinc groovy tsc-wrapper protoc flatc hyperfine watch parallel diff patch file stat ls "
    "cat cp mv rm mkdir touch ln chmod chown date uname sort uniq wc head tail cut tr tee xargs bat exa "
    "eza delta fzf htop pipx virtualenv nproc id env timeout dd df du free ps uptime whoami code ip sudo "
    "hostname bc dc xxd od base64 sha256sum md5sum tac nl paste comm join column lsof nc socat dig git-lfs "
    "mktemp kill"
)
"""Programs that are on the system, and say their version without reading the project's files."""

_TELLS_HELP = names(
    "curl wget tmux grep sed awk gawk find tar gzip xz zip unzip rg fd jq tree ssh rsync openssl diff "
    "patch file stat ls cat cp mv rm rmdir mkdir touch ln chmod chown chgrp date uname sort uniq wc head "
    "tail cut tr tee xargs dd df du free ps uptime kill truncate shred split nl od xxd base64 sha256sum "
    "md5sum seq sleep timeout env nohup nice id who whoami hostname readlink realpath basename dirname "
    "mktemp mkfifo install sync tac paste comm join fold fmt expand column shuf uuidgen getopt watch lsof "
    "lsblk mount umount shutdown reboot mkfs pip pip3 python python3 node ruby perl php bash zsh docker "
    "gcc clang make cmake java strace gdb git"
)

_SHORT: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(
        ["python", "python2", "python3", "pip", "pip3", "tmux", "ssh", "curl", "uv", "rg", "jq"], names("-V")
    ),
    **dict.fromkeys(
        ["node", "npm", "php", "ruby", "perl", "lua", "docker", "pip", "git", "bun", "gcc", "nginx"],
        names("-v"),
    ),
    "java": names("-version"),
    "javac": names("-version"),
    "ffmpeg": names("-version"),
    "convert": names("-version"),
    "sqlite3": names("-version"),
    "erl": names("-version"),
    "openssl": names("version"),
    "docker": names("-v version"),
    "git": names("version -v"),
    "helm": names("version"),
    "zig": names("version"),
    "gem": names("-v"),
    "lua": names("-v"),
    "pip": names("-V"),
    "bun": names("-v"),
}


def is_probe(call: Call) -> bool:
    """Whether the call only asks for the version or the help text, and nothing else stands in it."""
    if len(call.arguments) != 1 or not call.arguments[0].known:
        return False
    asked = call.arguments[0].text
    if asked == "--version":
        return call.name in _TELLS_VERSION
    if asked == "--help":
        return call.name in _TELLS_HELP
    return asked in _SHORT.get(call.name, frozenset())
