"""Which files hold secrets by their name, for every part of the guard alike."""

from __future__ import annotations

from pathlib import Path

import pytest

from roocode.protocol.tools import Touches, Workspace
from roocode.security.permissions.decide import decide
from roocode.security.permissions.paths import pinned
from roocode.security.permissions.policy import Policy
from roocode.security.permissions.secret_files import holds_secrets, is_full_of_secrets

SECRET = """
    .env .ENV .env.local .env.production .envrc config/.env prod.env .netrc _netrc .npmrc .pypirc .pgpass
    .git-credentials .htpasswd .vault-token id_rsa id_ed25519 id_ecdsa_sk id_rsa.bak server.pem privkey.pem
    tls.key cert.p12 cert.pfx app.jks release.keystore vault.kdbx putty.ppk AuthKey_1.p8 credentials.json
    service-account.json service-account-prod.json service_account_key.json client_secret_123.json
    app-firebase-adminsdk-x1.json terraform.tfvars prod.auto.tfvars terraform.tfstate terraform.tfstate.backup
    .aws/credentials .aws/config .ssh/config .docker/config.json .kube/config .config/gh/hosts.yml
    .config/gcloud/access_tokens.db secrets.yml config/secrets.yml config/master.key .e\u200bnv .env.
    .m2/settings.xml .gradle/gradle.properties .cargo/credentials.toml kubeconfig
"""
OPEN = """
    .env.example .env.sample .env.template .env.dist .envoy env.py .environment id_rsa.pub id_ed25519.pub
    id_generator.py server.crt ca.cer ca.pem cacert.pem fullchain.pem chain.pem public.pem jwt.public.key
    example.pem terraform.tfvars.example main.tf variables.tf credentials.py secrets.py test_secrets.py
    secret.ts keys.json key.py monkey config.json docker/config.json settings.xml gradle.properties
    package.json tokens.json .ssh/id_rsa.pub .ssh/known_hosts token.go hosts.yml .npmignore .pem pem
"""


@pytest.mark.parametrize("path", SECRET.split())
def test_it_holds_secrets(path: str) -> None:
    assert holds_secrets(path)
    assert holds_secrets(f"/home/dev/project/{path}")


@pytest.mark.parametrize("path", OPEN.split())
def test_it_holds_none(path: str) -> None:
    assert not holds_secrets(path)


def test_directories_for_secrets_alone() -> None:
    assert is_full_of_secrets("/home/dev/.aws")
    assert is_full_of_secrets("backup/.ssh")
    assert not is_full_of_secrets("src/ssh")


@pytest.mark.parametrize(
    "path", [".env", "id_rsa", "deploy.pem", "terraform.tfvars", ".npmrc", "cfg/prod.env"]
)
@pytest.mark.parametrize("is_there", [True, False])
def test_file_tools_and_shell_lines_ask_for_the_same_files(tmp_path: Path, path: str, is_there: bool) -> None:
    if is_there:
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text("x")
    workspace = pinned(Workspace(root=tmp_path))
    policy = Policy(home=tmp_path / "home", mode="acceptEdits")

    def verdict(tool: str, touches: Touches, **arguments: str) -> str:
        return decide(tool, arguments, touches, policy, workspace).verdict

    assert verdict("ReadFile", Touches(reads=(path,)), path=path) == "ask"
    assert verdict("Grep", Touches(reads=(path,)), pattern="x", path=path) == "ask"
    for line in (f"cat {path}", f"grep -n x {path}", f"head -5 ./{path}", f"sort < {path}", f"base64 {path}"):
        assert verdict("Bash", Touches(command=line), command=line) == "ask", line


@pytest.mark.parametrize("path", [".env.example", "server.crt", "id_rsa.pub", "src/secrets.py"])
def test_what_only_looks_like_one_is_read_without_a_question(tmp_path: Path, path: str) -> None:
    workspace = pinned(Workspace(root=tmp_path))
    policy = Policy(home=tmp_path / "home")
    read = decide("ReadFile", {"path": path}, Touches(reads=(path,)), policy, workspace)
    shown = decide("Bash", {"command": f"cat {path}"}, Touches(command=f"cat {path}"), policy, workspace)
    assert (read.verdict, shown.verdict) == ("allow", "allow")
