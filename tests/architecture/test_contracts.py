"""Each import contract is shown red once, on a skeleton of the package with one offending import."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())
CONTRACTS = {each["id"]: each["name"] for each in PROJECT["tool"]["importlinter"]["contracts"]}

OFFENCES = [
    ("layers", "protocol/errors.py", "import roocode.app"),
    ("layers", "security/guard.py", "import roocode.tools"),
    ("layers", "memory/__init__.py", "import roocode.tools"),
    ("layers", "scripted/__init__.py", "import roocode.security"),
    ("layers", "plugins/__init__.py", ""),
    ("acyclic", "protocol/errors.py", "def late():\n    import roocode.protocol.messages"),
    ("acyclic", "protocol/errors.py", "if TYPE_CHECKING:\n    import roocode.protocol.messages"),
    ("raw-tools", "app/__init__.py", "import roocode.tools.builtin"),
    ("processes", "engine/loop/__init__.py", "import subprocess"),
    ("screens", "interaction/ui/__init__.py", "import roocode.engine.loop"),
    ("vocabulary", "protocol/errors.py", "import os"),
    ("lead-tools", "engine/team/tools/__init__.py", "import roocode.security.sandbox"),
]


@pytest.fixture
def skeleton(tmp_path: Path) -> Path:
    """The package's modules, all empty but for one harmless import, under the real contracts."""
    (tmp_path / "pyproject.toml").write_bytes((REPOSITORY / "pyproject.toml").read_bytes())
    for source in (REPOSITORY / "roocode").rglob("*.py"):
        copy = tmp_path / source.relative_to(REPOSITORY)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.touch()
    (tmp_path / "roocode/protocol/messages.py").write_text("import roocode.protocol.errors\n")
    return tmp_path


def lint(where: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Runs lint-imports in a directory."""
    program = Path(sys.executable).with_name("lint-imports")
    return subprocess.run(
        [program, "--no-cache", *options], cwd=where, capture_output=True, text=True, check=False, timeout=60
    )


def verdicts(said: str) -> dict[str, str]:
    """Contract's name → KEPT or BROKEN."""
    return dict(re.findall(r"^(.+?) (KEPT|BROKEN)$", said, re.MULTILINE))


@pytest.mark.parametrize(("contract", "module", "offence"), OFFENCES)
def test_an_offence_breaks_its_contract(skeleton: Path, contract: str, module: str, offence: str) -> None:
    path = skeleton / "roocode" / module
    path.parent.mkdir(exist_ok=True)
    path.write_text(offence + "\n")

    done = lint(skeleton, "--contract", contract)

    assert verdicts(done.stdout) == {CONTRACTS[contract]: "BROKEN"}, done.stdout + done.stderr
    assert done.returncode == 1


def test_the_skeleton_alone_keeps_every_contract(skeleton: Path) -> None:
    done = lint(skeleton)

    assert verdicts(done.stdout) == dict.fromkeys(CONTRACTS.values(), "KEPT"), done.stdout + done.stderr


def test_the_package_keeps_every_contract() -> None:
    done = lint(REPOSITORY)

    assert verdicts(done.stdout) == dict.fromkeys(CONTRACTS.values(), "KEPT"), done.stdout + done.stderr


def test_every_contract_has_an_offence() -> None:
    assert {contract for contract, _, _ in OFFENCES} == CONTRACTS.keys()
