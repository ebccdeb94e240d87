"""Assignments that change nothing of what other programs do: an allow list of names, as for options."""

from __future__ import annotations

from roocode.security.permissions.shell.calls import Setting
from roocode.security.permissions.shell.programs import names

_OWN_WORDS = names(
    "DIR DIRS FILE FILES DB BASE ROOT SRC DST OUT OUTPUT INPUT REPO NAME NAMES PATTERN LOG LOGS MSG TEXT "
    "LINE COUNT NUM START END FROM TO BRANCH COMMIT SHA TAG TARGET TIMESTAMP BEFORE AFTER DATA "
    "PKG MOD CONN SCRATCH SPIKE WS"
)
_OWN_ENDS = ("_DIR", "_FILE", "_SHA", "_ID", "_NAME", "_LIST")
_OWN_STARTS = names("SRC DST OUT IN LOG REPO BASE HEAD TEST BUILD DATA SESSION AGENT TRANSCRIPT TARGET ROOT")
"""Names that lines use for themselves; no program on the lists looks at one of them."""

_LOCALES = names(
    "LC_ALL LC_COLLATE LC_CTYPE LC_MESSAGES LC_NUMERIC LC_TIME LANG LANGUAGE TZ NO_COLOR CLICOLOR "
    "FORCE_COLOR COLUMNS GIT_OPTIONAL_LOCKS GIT_TERMINAL_PROMPT"
)
"""Variables that change how something is shown, sorted or asked, where their value is a plain word."""


def sets_only_its_own(setting: Setting) -> bool:
    """Whether an assignment alone sets a variable of the line that no program looks at.

    A lower-case name is none, but for the proxies; of others only those that lines use for themselves.
    """
    name = setting.name
    if not setting.literal:
        return False
    if name.islower():
        return not name.endswith("_proxy")
    start, _, _ = name.partition("_")
    own = name in _OWN_WORDS or (start in _OWN_STARTS and name.endswith(_OWN_ENDS))
    return own or (len(name) == 1 and name.isupper())


def sets_nothing_that_runs(setting: Setting, program: str) -> bool:
    """Whether an assignment in front of a program only changes how it shows or splits something."""
    if not setting.literal:
        return False
    text = setting.value[0].text
    if setting.name == "IFS":
        return program == "read"
    return setting.name in _LOCALES and text.replace("-", "").replace(".", "").replace("_", "").isalnum()
