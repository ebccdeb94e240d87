"""How long the guard takes to judge a thousand Bash commands in one process."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from benchmarks.processes import wait_for_calm
from benchmarks.workbench import Samples, Workbench

COMMANDS = 1000
_CORPUS = Path(__file__).resolve().parents[2] / "tests" / "security" / "corpus"
_NOWHERE = "http://127.0.0.1:9"


def thousand(bench: Workbench, runs: int) -> Mapping[str, Samples]:
    """Seconds from the start of `roocode permissions check --jsonl FILE` to its end, COMMANDS lines in it."""
    calls = bench.repository.parent / "calls.jsonl"
    lines = [{"tool": "Bash", "input": {"command": command}} for command in _commands()]
    calls.write_text("".join(json.dumps(line) + "\n" for line in lines))
    walls = []
    for _ in range(runs):
        wait_for_calm(bench.patience_s)
        walls.append(bench.roocode(_NOWHERE, "permissions", "check", "--jsonl", str(calls)).finish())
    return {"guard": Samples(walls)}


def _commands() -> list[str]:
    """The corpora's commands, evenly taken from all of them."""
    found = [
        json.loads(line)["cmd"]
        for name in ("bash_commands.jsonl", "bash_variants.jsonl", "bash_red_team.jsonl")
        for line in (_CORPUS / name).read_text(encoding="utf-8").splitlines()
    ]
    return found[:: max(1, len(found) // COMMANDS)][:COMMANDS]
