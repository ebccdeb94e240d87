"""Which parts of a line that must be asked about are dangerous rather than merely changing something."""

from __future__ import annotations

from roocode.security.permissions.parts import Part
from roocode.security.permissions.shell.programs import NETWORK, base_name, names

_SEVERE = names(
    "sudo doas su pkexec runuser rm rmdir unlink shred srm trash dd mkfs chmod chown chgrp chattr setfacl "
    "kill pkill killall crontab at batch systemctl launchctl service mount umount eval iptables ufw "
    "useradd userdel usermod passwd visudo chroot truncate wipefs fdisk parted cryptsetup insmod rmmod "
    "modprobe sysctl docker podman kubectl"
)
_SEVERE_GIT = names(
    "push reset clean checkout restore rebase filter-branch filter-repo gc prune reflog update-ref stash "
    "worktree branch tag fetch pull clone ls-remote"
)


def is_severe(part: Part) -> bool:
    """Whether a part that is not proven may destroy, send away or run what nobody has seen."""
    if part.read_only or not part.words:
        return False
    program = base_name(part.words[0])
    if program in _SEVERE or program in NETWORK or "$" in program or "`" in program:
        return True
    return program == "git" and any(word in _SEVERE_GIT for word in part.words[1:2])
