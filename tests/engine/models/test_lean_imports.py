"""What a process loads: no HTTP library before a connection is made, no SDK on the default transport."""

from __future__ import annotations

import json
import subprocess
import sys

HEAVY = {"httpx2", "anthropic", "openai", "pydantic", "yaml"}


def loaded_by(code: str) -> set[str]:
    show = "import sys, json; print(json.dumps([m for m in sys.modules if '.' not in m]))"
    run = subprocess.run(
        [sys.executable, "-c", f"{code}\n{show}"], capture_output=True, text=True, check=True
    )
    return set(json.loads(run.stdout)) & HEAVY


def test_modules_load_nothing_heavy() -> None:
    names = "catalog", "connect", "endpoint", "retry", "assemble"
    assert loaded_by("\n".join(f"import roocode.engine.models.{name}" for name in names)) == set()


def test_a_connection_loads_httpx2_alone() -> None:
    make = "connect(Endpoint('p', '{}', 'http://127.0.0.1:1'))"
    lines = [
        "from roocode.engine.models.connect import connect",
        "from roocode.engine.models.endpoint import Endpoint",
        make.format("anthropic"),
        make.format("openai"),
    ]
    assert loaded_by("\n".join(lines)) == {"httpx2"}
