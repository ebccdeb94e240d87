"""A process that has servers, as an agent has them: says what becomes of each until its input ends."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from pathlib import Path

from roocode.security.isolation.masking import unmasked
from roocode.tools.mcp.config import ServerConfig
from roocode.tools.mcp.ports import Host
from roocode.tools.mcp.servers import Servers


def say(**told: object) -> None:
    print(json.dumps(told), flush=True)


async def main(folder: Path, quirks: list[str]) -> None:
    script = str(Path(__file__).parents[1] / "tools" / "mcp" / "quirky.py")
    configs = [
        ServerConfig(
            f"s{number}",
            "stdio",
            "user",
            "here",
            command=sys.executable,
            args=(script, quirk),
            legacy=True,
        )
        for number, quirk in enumerate(quirks)
    ]
    host = Host(
        root=folder,
        home=folder,
        state=folder,
        env={"PATH": os.environ["PATH"]},
        mask=unmasked,
        pauses_s=(0.05,) * 3,
    )
    servers = Servers(configs, host)
    say(mark=f"ROOCODE_MCP={servers.token}.")
    servers.ready.append(lambda connection: say(server=connection.config.name, status=connection.status))
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, ended.set)
    loop.add_reader(0, lambda: os.read(0, 1) or ended.set())
    servers.start()
    try:
        await ended.wait()
    finally:
        await servers.close()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2:]))
