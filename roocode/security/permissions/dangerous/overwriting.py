"""Writing over disks and over the files that the system lives on."""

from __future__ import annotations

from roocode.security.permissions.dangerous.targets import Harm, lost_file, places
from roocode.security.permissions.effects.spec import Effect
from roocode.security.permissions.shell.calls import Call
from roocode.security.permissions.shell.options import parse_options
from roocode.security.permissions.shell.programs import names
from roocode.security.permissions.shell.wrappers import behind_wrapper, is_wrapper

_ONLY_TOUCHES = names("mkdir touch chmod chown chgrp chattr setfacl xattr find rm rmdir unlink")
_EDITORS = names("sed gsed patch vim vi nvim nano ed ex emacs")
_COPIERS = names("cp mv install ln")
_WRITES_NOTHING = names(": true truncate")


def overwriting(call: Call, effect: Effect) -> str:
    """Why a call is refused for the files that it would write, or ""; deleting is judged elsewhere."""
    harm: Harm = "empties" if _empties(call) else "writes"
    for target in call.targets:
        if target.writes and (lost := lost_file(target.path, call.cwds, "adds" if target.appends else harm)):
            return f"writes over {lost}"
    if call.name in _ONLY_TOUCHES:
        return ""
    if call.name in _EDITORS or (call.name == "tee" and {"-a", "--append"} & set(call.texts)):
        harm = "adds"
    for field in effect.writes:
        if lost := lost_file(field, call.cwds, harm):
            return f"writes over {lost}"
    lost = _into_directory(call, harm) if call.name in _COPIERS else ""
    return f"writes over {lost}" if lost else ""


def _empties(call: Call) -> bool:
    """Whether nothing, or next to nothing, is what the call writes."""
    if not call.argv or call.name in _WRITES_NOTHING or (is_wrapper(call.name) and not behind_wrapper(call)):
        return True
    if "/dev/null" in (*call.texts, *(target.path.text for target in call.targets if not target.writes)):
        return True
    if call.name in ("echo", "printf"):
        return not "".join(text for text in call.texts if not text.startswith("-")).strip()
    return call.name in ("cat", "tee") and any(not field.text.strip() for field in call.stdin)


def _into_directory(call: Call, harm: Harm) -> str:
    """`cp passwd /etc/`: the name of the source decides what is written over."""
    parsed = parse_options(call.arguments, names("-t -m -o -g -S --target-directory --mode"))
    given = parsed.values("-t", "--target-directory")
    operands = [*parsed.operands, *given]
    if len(operands) < 2:
        return ""
    for source in operands[:-1]:
        name = source.text.rstrip("/").rpartition("/")[2]
        for directory in places(operands[-1], call.cwds):
            if lost := lost_file(source.with_text(f"{directory}/{name}"), call.cwds, harm):
                return lost
    return ""
