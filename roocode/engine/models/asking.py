"""What the wire protocols share in asking: the key, the session, the effort, and what refusals teach."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from typing import Any

from roocode.engine.models import adapting, effort
from roocode.engine.models.bodies import MessageBytes
from roocode.engine.models.endpoint import Endpoint
from roocode.engine.models.profiles import Profile
from roocode.protocol.errors import ProviderRefused
from roocode.protocol.messages import Message, ToolResult
from roocode.protocol.models import Effort, ModelRequest

_ERROR = "Error:"


class Asking:
    """How one endpoint is asked: `profile` is what it has taught so far, `messages` encodes the history."""

    def __init__(
        self, endpoint: Endpoint, profile: Profile, wanted: Effort | None, encode: Callable[[Message], bytes]
    ) -> None:
        self.endpoint = endpoint
        self.profile = profile
        self.messages = MessageBytes(encode)
        self._wanted = wanted
        self._model = ""
        self._asked: effort.EffortForm | None = None

    @property
    def call_ids(self) -> AbstractSet[str]:
        """The ids of all calls in the requests so far."""
        return self.messages.call_ids

    def effort(self, request: ModelRequest, *, budget: bool = True) -> dict[str, Any]:
        """The members that ask for the effort, if it is wanted and taken; `budget` says that one may be."""
        self._model, self._asked = request.model, None
        form = effort.form_for(request.model, self.profile.efforts)
        if self._wanted is None or form is None:
            return {}
        if form == "budget" and self._wanted != "off" and not budget:
            return {}
        members = effort.params(self._wanted, form, request.model, request.max_tokens)
        self._asked = form if members else None
        return members

    def adapt(self, refusal: ProviderRefused) -> bool:
        """Learns from a refusal what is not taken there; false if it says nothing of the kind."""
        changed = adapting.adapted(self.profile, self._complaint(refusal), self._asked)
        if changed is None:
            return False
        if adapting.changes_history(self.profile, changed):
            self.messages.forget()
        self.profile = changed
        return True

    def _complaint(self, refusal: ProviderRefused) -> str:
        """The refusal without the names in it: a model or a host may be called as a field is."""
        names = {self._model, self._model.rpartition("/")[2], self.endpoint.place} - {""}
        known = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
        return re.sub(rf"(?<![\w-])(?:{known})(?![\w-])", "", refusal.what, flags=re.IGNORECASE)


def headers_of(
    endpoint: Endpoint, fixed: Mapping[str, str] | None = None, *, bearer: bool = True
) -> dict[str, str]:
    """The key, where there is one, between what is fixed and what a person has added."""
    headers = {**(fixed or {}), "content-type": "application/json"}
    if endpoint.api_key and bearer:
        headers["authorization"] = f"Bearer {endpoint.api_key}"
    elif endpoint.api_key:
        headers["x-api-key"] = endpoint.api_key
    return {**headers, **endpoint.extra_headers}


def session_of(request: ModelRequest) -> str:
    """The session that a request belongs to, as its headers say; "" where they do not."""
    return request.headers.get("X-RooCode-Session", "")


def failed_text(result: ToolResult) -> str:
    """A result's text, never empty; of a failed call it begins with `Error:`."""
    content = result.content if result.content.strip() else "(no output)"
    return f"{_ERROR} {content}" if result.is_error and not content.startswith(_ERROR) else content
