"""What all tests share: the scripted model server."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from roocode.scripted.scenario import Scenario
from roocode.scripted.server import ScriptedServer, serve


@pytest.fixture
def scripted() -> Iterator[Callable[..., ScriptedServer]]:
    """Starts servers: `scripted(scenario, tasks_root=None, expects_failures=False)`.

    A server's failures fail the test when it ends, unless it said that it expects some.
    """
    strict: list[ScriptedServer] = []
    with contextlib.ExitStack() as stack:

        def start(
            scenario: Scenario | Path | Mapping[str, Any],
            *,
            tasks_root: Path | None = None,
            expects_failures: bool = False,
        ) -> ScriptedServer:
            server = stack.enter_context(serve(scenario, tasks_root=tasks_root))
            if not expects_failures:
                strict.append(server)
            return server

        yield start
    assert [failure for server in strict for failure in server.failures] == []
