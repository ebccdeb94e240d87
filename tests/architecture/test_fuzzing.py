"""`scripts/fuzz`: what it says of a failure repeats it."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module of the command line."""
    monkeypatch.syspath_prepend(str(REPOSITORY / "scripts"))
    from fuzzing import command

    return command


@pytest.mark.parametrize("first", range(4))
def test_the_seed_of_a_failure_brings_it_again_at_once(command: ModuleType, first: int) -> None:
    def is_sound(_number: int) -> None:
        pass

    def fails(number: int) -> None:
        raise ValueError(f"line of {number}")

    def failure(seed: int) -> str:
        with pytest.raises(command.Failed) as failed:
            command.search({"shaped": is_sound, "changed": is_sound, "printing": fails}, seed, 60)
        return str(failed.value)

    said = re.search(r"--seed (\d+)", failure(first))
    assert said is not None
    assert failure(int(said[1])).startswith(f"printing lines failed in round 0 ({said[0]}): ValueError")
