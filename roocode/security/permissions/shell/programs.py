"""What is known of programs by their names: shells, interpreters, and those that reach the network."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from functools import lru_cache

from roocode.security.permissions.shell.patterns import matches
from roocode.security.permissions.shell.values import UNKNOWN, Field


def names(text: str) -> frozenset[str]:
    """A set of words."""
    return frozenset(text.split())


SHELLS = names(
    "sh bash zsh dash ksh mksh ash fish csh tcsh rbash yash elvish xonsh nu pwsh powershell iex "
    "invoke-expression"
)
"""Programs that run a shell script."""

INTERPRETERS = names(
    "python python2 python3 perl ruby node nodejs php lua luajit deno bun osascript tclsh wish rscript julia "
    "groovy jshell ipython irb pypy pypy3 guile racket scheme elixir erl ghci runghc swift awk gawk mawk nawk"
)
"""Programs that run a program in another language."""

NETWORK = names(
    "curl wget fetch aria2c axel lynx w3m links elinks http https xh xhs curlie httpie lwp-request get "
    "post nc ncat netcat socat telnet ftp tftp sftp scp ssh rsh rcp lftp ncftp dig host nslookup drill "
    "kdig delv whois ping ping6 traceroute tracepath mtr nmap masscan aws gcloud gsutil az doctl s3cmd "
    "s5cmd rclone gh glab hub kubectl helm oc terraform tofu pulumi ansible ansible-playbook heroku vercel "
    "netlify fly flyctl wrangler firebase smbclient mail mailx sendmail mutt msmtp swaks psql mysql mongo "
    "mongosh redis-cli mosquitto_pub mosquitto_sub grpcurl websocat wscat youtube-dl yt-dlp npx pnpx bunx "
    "uvx pipx openssl rsync croc magic-wormhole wormhole ngrok cloudflared tailscale docker podman skopeo "
    "crane iwr irm invoke-webrequest invoke-restmethod"
)
"""Programs whose output may be what another machine sent."""

DESTRUCTIVE = names(
    "rm srm rmdir unlink shred wipe scrub dd mkfs mke2fs mkswap wipefs blkdiscard fdisk sfdisk sgdisk "
    "gdisk cfdisk parted cryptsetup diskutil mkfs.ext2 mkfs.ext3 mkfs.ext4 mkfs.xfs mkfs.btrfs mkfs.vfat "
    "mkfs.fat mkfs.ntfs mkfs.exfat newfs chmod chown chgrp chattr setfacl mv cp ln install tee truncate "
    "rsync find shutdown reboot halt poweroff init telinit systemctl kill pkill killall git"
)
"""Programs that a wildcard in a program's name, or a wrapper that is not known, is taken to mean."""

TAKES_TEXT = names(
    "true false : echo printf git grep egrep fgrep zgrep rg ag ack sed awk cat ls man which type whatis "
    "apropos whereis hash tldr info help test [ expr basename dirname touch mkdir tee gh glab hub logger "
    "notify-send say wall banner figlet cowsay apt apt-get yum dnf brew pip pip3 npm pnpm yarn cargo gem "
    "pacman apk docker podman kubectl oc ssh scp rsync zip tar chmod chown chgrp cp mv ln install rm "
    "pgrep pkill killall kill ps alias unalias compgen complete dpkg rpm snap flatpak head tail wc sort "
    "uniq cut tr diff cmp stat file find fd jq yq curl wget export declare typeset local readonly set "
    "unset trap return exit let read cd pushd history bind shopt enable ulimit crontab go make cmake mvn "
    "gradle python python3 node ruby perl php"
)
"""Programs whose arguments are never a command, so that words in them are only text."""

_STANDARD_PLACES = (
    "/bin", "/usr/bin", "/usr/local/bin", "/sbin", "/usr/sbin", "/usr/local/sbin", "/opt/homebrew/bin",
)  # fmt: skip


@lru_cache(maxsize=4096)
def base_name(text: str) -> str:
    """The name of a program without its directory, folded as file systems that ignore case fold it."""
    name = posixpath.basename(posixpath.normpath(text)) if text else ""
    return name.removesuffix(".exe").lower()


def in_standard_place(text: str) -> bool:
    """Whether a program is named alone or by the directory that systems keep programs in."""
    return "/" not in text or posixpath.dirname(posixpath.normpath(text)) in _STANDARD_PLACES


def candidates(program: Field, known: Iterable[str]) -> tuple[str, ...]:
    """The programs that a name may stand for; a wildcard stands for those of `known` that it fits."""
    if UNKNOWN in program.text:
        return ()
    name = base_name(program.text)
    if not program.live or not any(mark in name for mark in "*?["):
        return (name,)
    return tuple(candidate for candidate in known if matches(candidate, name))


def is_interpreter(name: str) -> bool:
    """Whether a program runs code in another language; versions behind a name do not hide it."""
    return name in INTERPRETERS or name.rstrip("0123456789.-") in INTERPRETERS


def is_shell(name: str) -> bool:
    """Whether a program runs a shell script."""
    return name in SHELLS or name.rstrip("0123456789.-") in SHELLS
