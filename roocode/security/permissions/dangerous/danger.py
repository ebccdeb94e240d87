"""All that a call may be refused for."""

from __future__ import annotations

from roocode.security.permissions.dangerous.code import dangerous_code
from roocode.security.permissions.dangerous.disks import disk_damage
from roocode.security.permissions.dangerous.force_push import force_push
from roocode.security.permissions.dangerous.forging import forged
from roocode.security.permissions.dangerous.overwriting import overwriting
from roocode.security.permissions.dangerous.own_commands import own_command
from roocode.security.permissions.dangerous.permissions import recursive_permissions
from roocode.security.permissions.dangerous.power import power_state
from roocode.security.permissions.dangerous.removal import removal
from roocode.security.permissions.dangerous.targets import Surroundings
from roocode.security.permissions.effects.spec import Effect
from roocode.security.permissions.shell.calls import Call


def danger(call: Call, effect: Effect, around: Surroundings) -> str:
    """Why a call is refused in every mode, or ""."""
    return (
        overwriting(call, effect)
        or removal(call, around)
        or disk_damage(call)
        or recursive_permissions(call, around)
        or power_state(call)
        or force_push(call, around)
        or dangerous_code(call, around)
        or own_command(call)
        or forged(call, effect)
    )
