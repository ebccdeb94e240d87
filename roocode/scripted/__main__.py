"""`python -m roocode.scripted SCENARIO`: plays a scenario until TERM or Ctrl+C."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import signal
import sys
from pathlib import Path

from roocode.protocol.errors import UserError
from roocode.scripted.server import ScriptedServer, running


def main() -> int:
    """Prints `listening on URL` and runs; exit code 1 where requests failed, 42 for a bad scenario."""
    parser = argparse.ArgumentParser(prog="python -m roocode.scripted", description=__doc__)
    parser.add_argument("scenario", type=Path, help="a YAML file, see SCENARIOS.md")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument(
        "--tasks-root", type=Path, help="the repository whose team's tasks.json conditions look at"
    )
    parser.add_argument("--log", type=Path, help="append one JSON object a request")
    options = parser.parse_args()
    try:
        with contextlib.ExitStack() as stack:
            log = stack.enter_context(options.log.open("a", encoding="utf-8")) if options.log else None
            server = ScriptedServer(
                options.scenario, tasks_root=options.tasks_root, log_file=log, port=options.port
            )
            asyncio.run(_until_term(server))
    except UserError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    except OSError as error:
        print(f"cannot start: {error}", file=sys.stderr)
        return UserError.exit_code
    for failure in server.failures:
        print(failure, file=sys.stderr)
    return 1 if server.failures else 0


async def _until_term(server: ScriptedServer) -> None:
    ended = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    async with running(server):
        print(f"listening on {server.url}", flush=True)
        await ended.wait()


if __name__ == "__main__":
    sys.exit(main())
