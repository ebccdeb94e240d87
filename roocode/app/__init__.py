"""The composition root: the one place where concrete parts meet, one module an entry."""

from __future__ import annotations

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


def run(request: RunRequest | Order) -> int:
    """Carries out a request and returns the exit code; imports only the module that this takes."""
    match request:
        case ChatRequest():
            from roocode.app.chat import chat

            return chat(request)
        case PrintRequest():
            from roocode.app.print import print_answer

            return print_answer(request)
        case TeamRequest() | TeamResume():
            from roocode.app.lead import lead

            return lead(request)
        case TeammateRequest():
            from roocode.app.teammate import teammate

            return teammate(request)
        case DemoRequest():
            from roocode.app.demo import demo

            return demo(request)
        case _:
            return _carry_out(request)


def _carry_out(order: Order) -> int:
    from roocode.app import orders

    return orders.carry_out(order)
