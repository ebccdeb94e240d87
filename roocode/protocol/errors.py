"""One small tree of errors, split by whose fault it is.

RooCodeError                 what happened, and the mend
├── UserError                the person's input or configuration        exit 42
│   └── UsageError           the command line itself                    exit 2
├── ModelError               the model misused the protocol or a tool   exit 1
├── ProviderError            the model's service                        exit 1
│   ├── ProviderRefused      key, model name or request refused         exit 42
│   │   └── WindowExceeded   the conversation is too long for the model exit 42
│   ├── ProviderBusy         limiting, overloaded or down               exit 75
│   └── StreamCut            an answer that ended before its last event exit 75
├── HostError                the machine: git, tmux, disk, processes    exit 1
├── LimitReached             turns, tokens, money or time               exit 53
└── Interrupted              the person or a signal                     exit 130 or 143
"""

from __future__ import annotations


class RooCodeError(Exception):
    """Base of all errors that RooCode raises on purpose.

    `what` names the thing and the cause; `mend` says what the person can do about it.
    """

    exit_code = 1

    def __init__(self, what: str, mend: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.mend = mend

    def __str__(self) -> str:
        return f"{self.what}\n{self.mend}" if self.mend else self.what


class UserError(RooCodeError):
    """Bad input or configuration."""

    exit_code = 42


class UsageError(UserError):
    """A command line that cannot be understood."""

    exit_code = 2


class ModelError(RooCodeError):
    """The model did something that a run cannot go on from."""


class ProviderError(RooCodeError):
    """The model's service answered with an error.

    `status` is the HTTP status, or None where there was no response; `retry_after` is in seconds.
    """

    def __init__(
        self, what: str, mend: str = "", *, status: int | None = None, retry_after: float | None = None
    ) -> None:
        super().__init__(what, mend)
        self.status = status
        self.retry_after = retry_after


class ProviderRefused(ProviderError):
    """The service refuses the key, the model or the request: trying again does not help."""

    exit_code = 42


class WindowExceeded(ProviderRefused):
    """The conversation is longer than the model's window: a shorter one would be taken."""


class ProviderBusy(ProviderError):
    """The service is limiting, overloaded or cannot be reached: worth trying again."""

    exit_code = 75


class StreamCut(ProviderError):
    """A stream ended without its last event; what came of it is never used as an answer."""

    exit_code = 75


class HostError(RooCodeError):
    """Something on this machine is missing or failed: git, tmux, a disk, a process."""


class LimitReached(RooCodeError):
    """A limit on turns, tokens, money or time was reached."""

    exit_code = 53


class Interrupted(RooCodeError):
    """The run was ended by the person (130) or by a signal (143)."""

    def __init__(self, what: str = "interrupted", mend: str = "", *, exit_code: int = 130) -> None:
        super().__init__(what, mend)
        self.exit_code = exit_code
