"""A commit is fetched as data: what it names, by whom, and that nothing of its repository runs."""

from __future__ import annotations

import base64
import contextlib
import gzip
import http.server
import shlex
import shutil
import ssl
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from roocode.protocol.errors import HostError, UserError
from roocode.security.sandbox.git_fetch import Fetched, fetch
from roocode.security.sandbox.git_transport import transport
from roocode.security.sandbox.git_user import UserConfig, parse
from tests.gitrepo import Repo
from tests.traps import armed, sprung, trapped


async def fetched(repo: Repo, ref: str = "", *, url: str = "", reach: str = "disk", **env: str) -> Fetched:
    into = repo.root.parent / "into"
    into.mkdir(exist_ok=True)
    place = url or str(repo.root)
    how = "disk" if reach == "disk" else "host"
    return await fetch(place, ref, how, into=into, cwd=repo.root, environ={**repo.env, **env})


@pytest.mark.asyncio
@pytest.mark.parametrize("ref", ["", "main", "v1", "light", "{head}", "{first}", "{short}"])
async def test_whatever_names_a_commit_is_resolved_to_it(tmp_path: Path, ref: str) -> None:
    repo = Repo.create(tmp_path)
    first = repo.head()
    head = repo.commit("second", **{"c.txt": "c\n"})
    repo.git("tag", "-a", "v1", "-m", "annotated")
    repo.git("tag", "light")
    named = ref.format(head=head, first=first, short=first[:8])

    found = await fetched(repo, named)

    assert found.commit == (first if ref in ("{first}", "{short}") else head)
    assert not (tmp_path / "into/a.txt").exists()


@pytest.mark.asyncio
async def test_what_is_not_there_is_named(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path)
    with pytest.raises(UserError, match="no branch or tag 'nope'"):
        await fetched(repo, "nope")
    with pytest.raises(HostError, match="cannot fetch from"):
        await fetched(repo, url=str(tmp_path / "nothing"))


@pytest.mark.asyncio
async def test_files_are_read_to_the_byte_and_links_and_submodules_are_told(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path)
    (repo.root / "bytes").write_bytes(b"\x00\xff\r\nx\n" * 1000)
    (repo.root / "sub dir").mkdir()
    (repo.root / "sub dir/empty").write_bytes(b"")
    (repo.root / "run").write_text("#!/bin/sh\n")
    (repo.root / "run").chmod(0o755)
    (repo.root / "link").symlink_to("/etc/passwd")
    repo.git("add", "--all")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{repo.head()},module")
    repo.git("commit", "-q", "-m", "all kinds")

    found = await fetched(repo)
    entries = await found.entries()
    assert entries is not None
    kinds = {each.path: each.kind for each in entries}
    contents = await found.contents([each for each in entries if each.kind != "submodule"])

    assert kinds["run"] == "program"
    assert kinds["link"] == "link"
    assert kinds["module"] == "submodule"
    assert contents["bytes"] == b"\x00\xff\r\nx\n" * 1000
    assert contents["link"] == b"/etc/passwd"
    assert contents["sub dir/empty"] == b""
    inner = await found.entries("sub dir")
    assert inner is not None
    assert [each.path for each in inner] == ["empty"]
    assert await found.entries("nothing") is None
    assert await found.entries("link") is None


@pytest.mark.asyncio
async def test_a_repository_full_of_traps_runs_nothing(tmp_path: Path) -> None:
    repo = trapped(tmp_path)
    path = armed(repo)

    found = await fetched(repo, PATH=path)
    entries = await found.entries()
    assert entries is not None
    contents = await found.contents([each for each in entries if each.kind != "submodule"])

    assert contents["a.txt"] == b"one\ntwo\nthree\n"
    assert sprung(repo) == set()


@pytest.mark.asyncio
async def test_a_partial_clone_does_not_fetch_by_a_program_of_its_own(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path)
    trap = f"touch {shlex.quote(str(tmp_path / 'sprung'))}; git-upload-pack"
    repo.git("config", "core.repositoryFormatVersion", "1")
    repo.git("config", "extensions.partialClone", "origin")
    repo.git("config", "remote.origin.promisor", "true")
    repo.git("config", "remote.origin.url", str(repo.root))
    repo.git("config", "remote.origin.uploadpack", trap)
    repo.git("config", "uploadpack.packObjectsHook", trap)
    blob = repo.git("rev-parse", "HEAD:a.txt")
    (repo.root / ".git/objects" / blob[:2] / blob[2:]).unlink()

    with pytest.raises(HostError, match="cannot fetch from"):
        await fetched(repo)

    assert not (tmp_path / "sprung").exists()


@pytest.mark.asyncio
async def test_only_the_protocols_of_the_reach_are_spoken(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path)
    trap = tmp_path / "sprung"
    for url in (f"ext::sh -c touch% {trap}", "http://127.0.0.1:9/x", "git://127.0.0.1:9/x", str(repo.root)):
        with pytest.raises(HostError, match="not allowed"):
            await fetched(repo, url=url, reach="host")
    assert not trap.exists()


@pytest.mark.asyncio
async def test_ssh_is_the_persons_and_never_a_projects(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path)
    log = tmp_path / "asked"
    ssh = tmp_path / "ssh"
    ssh.write_text(f'#!/bin/sh\necho "$@" >>{log}\nfor last; do :; done\nexec sh -c "$last"\n')
    ssh.chmod(0o755)
    url = f"ssh://host{repo.root}".replace(" ", "%20")
    found = await fetched(repo, url=url, reach="host", GIT_SSH_COMMAND=str(ssh))
    assert found.commit == repo.head()
    assert "git-upload-pack" in log.read_text()

    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    way = transport("host", "git", UserConfig(), {"PATH": f"{project}/bin:/usr/bin"}, outside=project)
    assert way.variables["PATH"] == "/usr/bin"


def test_only_what_the_person_set_reaches_hosts() -> None:
    listing = "".join(
        f"{scope}\0{key}\n{value}\0"
        for scope, key, value in (
            ("global", "credential.helper", "store"),
            ("global", "url.git@example.com:.insteadof", "https://example.com/"),
            ("system", "http.sslcainfo", "/etc/ca.pem"),
            ("local", "credential.helper", "!evil"),
            ("local", "core.sshcommand", "evil"),
            ("worktree", "http.proxy", "evil"),
        )
    )
    assert parse(listing, {}).reaching == (
        ("credential.helper", "store"),
        ("url.git@example.com:.insteadof", "https://example.com/"),
        ("http.sslcainfo", "/etc/ca.pem"),
    )


@pytest.mark.asyncio
@pytest.mark.skipif(not shutil.which("openssl"), reason="there is no openssl to make a certificate")
async def test_https_with_the_certificate_and_credentials_that_the_person_set(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path)
    head = repo.commit("second", **{"c.txt": "c\n"})
    with https(repo, tmp_path) as (address, certificate):
        with pytest.raises(HostError, match="certificate"):
            await fetched(repo, url=address, reach="host")
        shutil.rmtree(tmp_path / "into")
        helper = "!f() { echo username=uma; echo password=secret; }; f"
        for key, value in (("http.sslCAInfo", str(certificate)), ("credential.helper", helper)):
            repo.git("config", "--global", key, value)

        found = await fetched(repo, url=address, reach="host")

        assert found.commit == head
        shutil.rmtree(tmp_path / "into")
        assert (
            await fetched(repo, repo.git("rev-parse", "HEAD~1"), url=address, reach="host")
        ).commit != head


@contextlib.contextmanager
def https(repo: Repo, folder: Path) -> Iterator[tuple[str, Path]]:
    """Serves a repository by git's own program for that, to those who know the password."""
    certificate, key = folder / "cert.pem", folder / "key.pem"
    making = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
    making += " -days 2 -subj /CN=localhost"
    names = ["-addext", "subjectAltName=DNS:localhost", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run([*making.split(), *names], check=True, capture_output=True)
    known = base64.b64encode(b"uma:secret").decode()
    backend = Path(repo.git("--exec-path"), "git-http-backend")
    env = repo.env | {"GIT_PROJECT_ROOT": str(repo.root), "GIT_HTTP_EXPORT_ALL": "1"}

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            if self.headers["Authorization"] != f"Basic {known}":
                self.send_response(401)
                self.send_header("WWW-Authenticate", 'Basic realm="x"')
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            path, _, query = self.path.partition("?")
            body = self.rfile.read(int(self.headers["Content-Length"] or 0))
            if self.headers["Content-Encoding"] == "gzip":
                body = gzip.decompress(body)
            cgi = {
                "PATH_INFO": path,
                "QUERY_STRING": query,
                "REQUEST_METHOD": self.command,
                "CONTENT_TYPE": self.headers["Content-Type"] or "",
                "CONTENT_LENGTH": str(len(body)),
                "GIT_PROTOCOL": self.headers["Git-Protocol"] or "",
            }
            said = subprocess.run([backend], env=env | cgi, input=body, capture_output=True).stdout
            head, _, rest = said.partition(b"\r\n\r\n")
            self.send_response(200)
            for line in head.decode().splitlines():
                name, _, value = line.partition(": ")
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(rest)))
            self.end_headers()
            self.wfile.write(rest)

        do_GET = do_POST  # noqa: N815

        def log_message(self, *_: object) -> None:
            return

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    server.handle_error = lambda *_: None  # type: ignore[method-assign]
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"https://localhost:{server.server_port}/.git", certificate
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
