"""Looks background shells up by the id that the model gives."""

from __future__ import annotations

from roocode.protocol.errors import ModelError
from roocode.security.sandbox.job import Job
from roocode.tools.services import Shell


def job_of(shell: Shell, id: str) -> Job:
    """The background job with this id. Raises ModelError, naming those that there are."""
    job = shell.background.get(id)
    if job is None:
        known = ", ".join(shell.background) or "none"
        raise ModelError(f"There is no background shell {id!r}; known: {known}.")
    return job
