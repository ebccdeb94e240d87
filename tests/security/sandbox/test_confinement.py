"""Shell lines in a real bubblewrap: what they reach, and what they do not."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
import pytest_asyncio

from roocode.protocol.errors import HostError
from roocode.security.sandbox.confinement import Confinement, limit_met, obstacle
from roocode.security.sandbox.descendants import alive, children
from roocode.security.sandbox.process import until
from roocode.security.sandbox.shell import LIMITS, Shells
from tests.gitrepo import Repo
from tests.processes import processes_of
from tests.security.sandbox.boxes import confined, needs_bubblewrap, premises_of

QUICK = replace(LIMITS, grace_s=0.3)
FETCH = (
    "python3 -c \"import urllib.request as u; print(u.urlopen('http://127.0.0.1:{port}/').read().decode())\""
)


class Box:
    """An agent's shell lines in a sandbox around `root`."""

    def __init__(self, root: Path, home: Path) -> None:
        env = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "GIT_AUTHOR_NAME": "A",
            "GIT_AUTHOR_EMAIL": "a@b",
        }
        env |= {"GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@b"}
        self.root = root
        self.confinement = confined(root, env, home=home)
        self.shells = Shells(env, spool=root / "spool", limits=QUICK, confinement=self.confinement)

    async def run(self, line: str, *, granted: bool = False) -> tuple[int, str]:
        """Exit code and output of a line."""
        job = await self.shells.start(line, cwd=self.root, granted=granted)
        ended = await job.wait(30)
        assert job.sandboxed
        return ended.code, job.output.read_text()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "person"
    (folder / ".ssh").mkdir(parents=True)
    (folder / ".ssh/id_rsa").write_text("private")
    (folder / ".cache").mkdir()
    return folder


@pytest_asyncio.fixture
async def box(tmp_path: Path, home: Path) -> AsyncIterator[Box]:
    box = Box(Repo.create(tmp_path).root, home)
    yield box
    await box.shells.close()


@contextmanager
def serving() -> Iterator[int]:
    """The port of a server of the host."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"from the host")

        def log_message(self, format: str, *args: object) -> None: ...

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()


pytestmark = [pytest.mark.asyncio, needs_bubblewrap]


async def test_the_project_is_writable_and_the_rest_is_not(box: Box, tmp_path: Path, home: Path) -> None:
    assert (await box.run("echo new > made; cat made")) == (0, "new\n")
    assert (box.root / "made").read_text() == "new\n"
    await box.run(f"echo x > '{tmp_path}/beside'")
    assert not (tmp_path / "beside").exists()
    for place in (home / ".bashrc", Path("/etc/roocode-test"), Path("/usr/roocode-test")):
        code, said = await box.run(f"echo x > '{place}'")
        assert code == 1
        assert "Read-only file system" in said
        assert not place.exists()


@pytest.mark.parametrize(
    "trap",
    [
        "echo x > .git/hooks/pre-commit",
        "git config core.fsmonitor ./evil",
        "echo x >> .git/config",
        "mv .git .git2",
        "mv .git/hooks .git/hooks2",
        "rm -rf .git/hooks && mkdir .git/hooks",
        "ln -sfn /elsewhere .git/hooks && false",
        "echo x > .git/info/attributes && mv .git/info .git/info2",
    ],
)
async def test_git_is_not_made_to_run_anything(box: Box, trap: str) -> None:
    before = (box.root / ".git/config").read_bytes(), sorted(os.listdir(box.root / ".git/hooks"))
    code, _ = await box.run(trap)
    after = (box.root / ".git/config").read_bytes(), sorted(os.listdir(box.root / ".git/hooks"))
    assert code != 0 or "ln" in trap
    assert {name: held for name, held in zip(after[1], after[1], strict=True) if name not in before[1]} == {}
    assert after[0] == before[0]
    assert (box.root / ".git").is_dir()


async def test_commits_work_in_a_main_checkout(box: Box) -> None:
    code, said = await box.run(
        "echo x > new && git add new && git commit -qm new && git checkout -qb b && git gc -q"
    )
    assert (code, said) == (0, "")
    code, said = await box.run(
        "git log --oneline --format=%s -1; git branch --show-current; git status --short -uno"
    )
    assert said == "new\nb\n"


async def test_commits_work_in_a_linked_worktree_and_reach_no_other(tmp_path: Path, home: Path) -> None:
    repo = Repo.create(tmp_path)
    for name in ("ann", "bob"):
        repo.git("worktree", "add", "-q", str(repo.root / ".roocode/worktrees" / name))
    box = Box(repo.root / ".roocode/worktrees/ann", home)
    assert await box.run("echo x > new && git add new && git commit -qm new && git pack-refs --all") == (
        0,
        "",
    )
    assert repo.git("log", "--format=%s", "-1", "ann") == "new"
    for place in (
        "../bob/a.txt",
        "../../../a.txt",
        "../../../.git/hooks/post-commit",
        "../../../.git/HEAD",
        ".git",
    ):
        code, said = await box.run(f"echo x > {place}")
        assert (code, "Read-only file system" in said) == (1, True), place
    assert (await box.run("cat ../bob/a.txt"))[0] == 0
    await box.shells.close()


async def test_a_spoofed_pointer_to_the_common_directory_is_taken_away(box: Box) -> None:
    job = await box.shells.start("echo ../evil > .git/commondir; echo '{}' > .mcp.json", cwd=box.root)
    await job.wait(20)
    assert set(job.novelties) == {f"{box.root}/.git/commondir", f"{box.root}/.mcp.json"}
    assert not (box.root / ".git/commondir").exists()
    assert (await box.run("echo x > .mcp.json"))[0] == 1


async def test_the_temporary_directory_is_the_agents_own(box: Box, tmp_path: Path) -> None:
    assert (await box.run("echo kept > /tmp/note; mktemp >/dev/null; echo x > /var/tmp/y"))[0] == 0
    assert await box.run("cat /tmp/note /tmp/y") == (0, "kept\nx\n")
    assert (premises_of(box.root).temporary / "note").read_text() == "kept\n"
    assert not Path("/tmp/note").exists()


async def test_sockets_of_others_cannot_be_reached(box: Box, tmp_path: Path) -> None:
    name = f"roocode-{os.getpid()}"
    listening = [socket.socket(socket.AF_UNIX) for _ in range(2)]
    for each, address in zip(listening, (f"/tmp/{name}", f"\0{name}"), strict=True):
        each.bind(address)
        each.listen()
    connect = "python3 -c \"import socket; socket.socket(socket.AF_UNIX).connect('{}')\""
    for address in (f"/tmp/{name}", rf"\\0{name}"):
        assert (await box.run(connect.format(address)))[0] != 0
    for each in listening:
        each.close()
    os.unlink(f"/tmp/{name}")
    assert (await box.run("ls /run/dbus /run/user"))[0] != 0


async def test_the_network_is_there_for_what_was_granted_alone(box: Box) -> None:
    with serving() as port:
        assert await box.run(FETCH.format(port=port), granted=True) == (0, "from the host\n")
        code, said = await box.run(FETCH.format(port=port))
    assert code == 1
    assert limit_met(said) == "network"
    assert (await box.run("cut -d: -f1 /proc/net/dev | tail -n +3 | tr -d ' \\n'")) == (0, "lo")


async def test_lines_of_one_agent_reach_each_others_servers_and_processes(box: Box) -> None:
    serve = (
        "python3 -c \"import socket; s = socket.create_server(('127.0.0.1', 8799)); print('up', flush=True);"
        " [s.accept()[0].sendall(b'hello') for _ in iter(int, 1)]\""
    )
    server = await box.shells.start(serve, cwd=box.root, background=True)
    assert await until(lambda: server.size > 0, 20)
    ask = (
        "python3 -c \"import socket; print(socket.create_connection(('127.0.0.1', 8799)).recv(9).decode())\""
    )
    assert await box.run(ask) == (0, "hello\n")
    assert (await box.run("pkill -f create_server"))[0] in (0, -signal.SIGTERM, 143)
    assert await until(lambda: server.ended is not None, 10)


async def test_left_processes_are_named_as_the_commands_see_them(box: Box) -> None:
    job = await box.shells.start("sleep 61 & echo $!", cwd=box.root)
    await job.wait(20)
    (left,) = job.leftovers()
    assert str(left.known_as) == job.output.read_text().strip()
    assert (await box.run(f"kill {left.known_as}"))[0] == 0
    assert await until(lambda: not alive(left.pid), 10)


async def test_secrets_are_hidden_until_granted(box: Box, home: Path) -> None:
    (home / ".netrc").write_text("secret")
    assert await box.run("cat ~/.netrc") == (0, "")
    assert (await box.run("cat ~/.ssh/id_rsa"))[0] == 1
    assert await box.run("cat ~/.ssh/id_rsa", granted=True) == (0, "private")
    assert (await box.run("echo x > ~/.ssh/authorized_keys", granted=True))[0] == 1


async def test_caches_are_open_to_what_was_granted_and_private_else(box: Box, home: Path) -> None:
    (home / ".cache/kept").write_text("kept")
    write = 'c=${GOCACHE:-$HOME/.cache/go-build}; mkdir -p "$c" && echo x > "$c/tool"'
    assert (await box.run(write))[0] == 0
    assert not (home / ".cache/go-build/tool").exists()
    assert await box.run("cat ~/.cache/kept") == (0, "kept")
    assert (await box.run("rm ~/.cache/kept"))[0] == 1
    assert (await box.run(write, granted=True))[0] == 0
    assert (home / ".cache/go-build/tool").exists()


async def test_a_granted_program_finds_the_cache_that_it_would_make(box: Box, home: Path) -> None:
    assert (await box.run("echo cargo > ~/.cargo/registry/x"))[0] == 1
    assert not (home / ".cargo").exists()
    assert (await box.run("echo cargo > ~/.cargo/registry/x", granted=True))[0] == 0
    assert not (home / "go").exists()


@pytest.mark.parametrize(
    "line",
    [
        "cat /proc/1/environ",
        "ls /proc/1/root/ /proc/2/root/",
        "cat /proc/1/maps",
        "[ -w /proc/sys/kernel/core_pattern ]",
        "mount -o remount,rw /",
        "umount .git/hooks",
        "nsenter -t 1 -m true",
        "unshare -m umount .git/hooks",
        "chroot / true",
        "mknod /tmp/disk b 8 0",
    ],
)
async def test_there_is_no_way_out_by_the_kernel(box: Box, line: str) -> None:
    assert (await box.run(line))[0] != 0


async def test_a_line_has_no_rights_and_sees_its_own_processes(box: Box) -> None:
    _, said = await box.run("grep -E 'CapEff|NoNewPrivs' /proc/self/status; ls -d /proc/[0-9]* | wc -l")
    assert said.split()[:4] == ["CapEff:", "0000000000000000", "NoNewPrivs:", "1"]
    assert int(said.split()[4]) < 10
    assert (await box.run(f"kill -0 {os.getpid()}"))[0] != 0 or os.getpid() < 50


async def test_output_and_start_file_cannot_be_exchanged(box: Box) -> None:
    """They are read outside of the sandbox: a link in their place would lead out."""
    code, said = await box.run(
        "cd .; for f in spool/*; do ln -sf /etc/passwd $f; rm -f $f; done; touch spool/x"
    )
    assert code == 1
    assert said.count("Read-only") + said.count("busy") > 2


async def test_all_that_runs_ends_with_the_sandbox(box: Box) -> None:
    lines = (
        "sleep 61 &",
        "setsid sleep 61 &",
        "env -i setsid sleep 61 &",
        "(setsid env -i sh -c 'sleep 61 &')",
    )
    for line in lines:
        await box.run(line)
    mark = "sleep\x0061"
    init = box.confinement.init
    assert init
    others = {pid for pid in children() if pid != init}
    await box.shells.close()
    assert not alive(init)
    assert init not in children()
    assert children() <= others
    assert not [pid for pid, words in processes_of(box.root).items() if mark in words]


async def test_what_hides_from_its_environment_ends_with_its_line(box: Box) -> None:
    job = await box.shells.start("env -i setsid sleep 61 & sleep 60", cwd=box.root, background=True)

    def hidden() -> list[int]:
        return [pid for pid in map(int, filter(str.isdecimal, os.listdir("/proc"))) if _is_hidden(pid)]

    def _is_hidden(pid: int) -> bool:
        try:
            words, status = Path(f"/proc/{pid}/cmdline").read_bytes(), Path(f"/proc/{pid}/status").read_text()
        except OSError:
            return False
        return words == b"sleep\x0061\x00" and len(status.partition("NSpid:")[2].split("\n")[0].split()) == 2

    assert await until(lambda: bool(hidden()), 10)
    await job.end()
    assert await until(lambda: not hidden(), 10)


async def test_a_line_that_kills_all_it_sees_does_not_stop_the_next(box: Box) -> None:
    await box.run("kill -9 -1")
    assert await box.run("echo again") == (0, "again\n")


async def test_many_lines_at_once(box: Box) -> None:
    codes = await asyncio.gather(*(box.run(f"exit {n}") for n in range(12)))
    assert [code for code, _ in codes] == list(range(12))


async def test_without_the_program_lines_run_as_they_are_or_not_at_all(tmp_path: Path) -> None:
    root, programs = tmp_path / "root", tmp_path / "programs"
    root.mkdir()
    programs.mkdir()
    env = {"PATH": str(programs)}
    auto = Shells(env, spool=root / "spool", confinement=confined(root, env, mode="auto"))
    job = await auto.start("exit 4", cwd=root)
    assert (await job.wait(20)).code == 4
    assert not job.sandboxed
    await auto.close()
    required = Shells(env, spool=root / "spool", confinement=confined(root, env))
    with pytest.raises(HostError, match="required and does not work: bwrap and nsenter not found") as caught:
        await required.start("true", cwd=root)
    assert "install bubblewrap" in caught.value.mend
    await required.close()


async def test_no_program_of_the_project_starts_the_sandbox(tmp_path: Path) -> None:
    root, extra = tmp_path / "root", tmp_path / "extra"
    for folder in (root, extra):
        folder.mkdir()
        for name in ("bwrap", "nsenter", "sh", "sleep"):
            (folder / name).write_text(f"#!/bin/sh\ntouch {tmp_path}/fired\n")
            (folder / name).chmod(0o755)
    env = {"PATH": f"{extra}:{root}:/nowhere"}
    confinement = Confinement("required", premises_of(root, extra), env)
    with pytest.raises(HostError, match="bwrap and nsenter not found"):
        await confinement.ready({})
    assert not (tmp_path / "fired").exists()


async def test_a_program_that_does_not_work_is_named_with_its_words(tmp_path: Path) -> None:
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho 'No permissions to create new namespace' >&2; exit 1\n")
    broken.chmod(0o755)
    refusal = await obstacle({"PATH": f"{tmp_path}:{os.environ['PATH']}"}, outside=Path("/nowhere"))
    assert refusal is not None
    assert "No permissions to create new namespace" in refusal.what
    assert "unprivileged_userns" in refusal.mend
    unseen = await obstacle({"PATH": f"{tmp_path}:/nowhere"}, outside=tmp_path)
    assert unseen is not None
    assert "not found" in unseen.what


async def test_off_means_off(tmp_path: Path) -> None:
    confinement = Confinement("off", premises_of(tmp_path), {"PATH": os.environ["PATH"]})
    assert not await confinement.ready({})
