"""The composition root: the one place where concrete parts meet, one module an entry."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from roocode.interaction.cli.requests import (
    ChatRequest,
    DemoRequest,
    PrintRequest,
    TeammateRequest,
    TeamRequest,
    TeamResume,
)

if TYPE_CHECKING:
    from roocode.interaction.cli.orders import Order
    from roocode.interaction.cli.requests import RunRequest
    from roocode.security.isolation.secrets import Secrets


def run(request: RunRequest | Order) -> int:
    """Carries out a request and returns the exit code; imports only the module that this takes."""
    from roocode.app.masking import guard_stderr, secrets_of

    secrets = secrets_of(os.environ)
    guard_stderr(secrets)
    match request:
        case ChatRequest():
            from roocode.app.chat import chat

            return chat(request, secrets)
        case PrintRequest():
            from roocode.app.print import print_answer

            return print_answer(request, secrets)
        case TeamRequest() | TeamResume():
            from roocode.app.lead import lead

            return lead(request, secrets)
        case TeammateRequest():
            from roocode.app.teammate import teammate

            return teammate(request, secrets)
        case DemoRequest():
            from roocode.app.demo import demo

            return demo(request)
        case _:
            return _carry_out(request, secrets)


def _carry_out(order: Order, secrets: Secrets) -> int:
    from roocode.app import orders

    return orders.carry_out(order, secrets)
