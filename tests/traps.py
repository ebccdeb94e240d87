"""A repository whose own configuration tries to run a program in every way that we know."""

from __future__ import annotations

import shlex
from pathlib import Path

from tests.gitrepo import Repo

HOOKS = (
    "applypatch-msg",
    "commit-msg",
    "fsmonitor-watchman",
    "post-applypatch",
    "post-checkout",
    "post-commit",
    "post-index-change",
    "post-merge",
    "post-rewrite",
    "pre-applypatch",
    "pre-auto-gc",
    "pre-commit",
    "pre-merge-commit",
    "prepare-commit-msg",
    "reference-transaction",
)
SIGNATURE = "\n".join(
    ["gpgsig -----BEGIN PGP SIGNATURE-----", " ", " iHUEABYKAB0WIQ", " -----END PGP SIGNATURE-----", ""]
)


def sprung(repo: Repo) -> set[str]:
    """The traps that ran so far."""
    log = repo.root.parent / "sprung"
    return set(log.read_text().split()) if log.exists() else set()


def trapped(folder: Path, *, filtered: bool = True) -> Repo:
    """A repository with harmless content and every trap set, in its configuration and in its files."""
    filters = " filter=evil\nprocess.* filter=proc.x=y" if filtered else ""
    repo = Repo.create(
        folder,
        **{
            "a.txt": "one\ntwo\nthree\n",
            "b.txt": "b\n",
            ".gitattributes": f"* merge=evil diff=evil{filters}\n",
            "process.dat": "p\n",
        },
    )
    _sign_head(repo)
    hooks = repo.root / ".git" / "hooks"
    for name in HOOKS:
        _trap(repo, hooks / name, f"hook-{name}")
    (repo.root / ".git" / "more.inc").write_text(_config(repo, hooks))
    repo.git("config", "include.path", "more.inc")
    return repo


def _trap(repo: Repo, path: Path, name: str) -> Path:
    """A program that notes its name and hands its input on, so that nothing else breaks."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(f'#!/bin/sh\necho "{name}" >>"{repo.root.parent}/sprung"\n[ -t 0 ] || cat\n')
    path.chmod(0o755)
    return path


def _config(repo: Repo, hooks: Path) -> str:
    settings = {
        "core.fsmonitor": "fsmonitor",
        "core.pager": "pager",
        "core.sshCommand": "ssh",
        "core.editor": "editor",
        "core.askPass": "askpass",
        "core.gitProxy": "proxy",
        "sequence.editor": "sequence-editor",
        "credential.helper": "credential",
        "diff.external": "diff-external",
        "diff.evil.command": "diff-command",
        "diff.evil.textconv": "textconv",
        "filter.evil.clean": "clean",
        "filter.evil.smudge": "smudge",
        "filter.proc.x=y.process": "process",
        "merge.evil.driver": "merge-driver",
        "gpg.program": "gpg",
        "hook.evil.command": "config-hook",
        "interactive.diffFilter": "diff-filter",
        "alias.status": "alias-status",
        "alias.merge-ours2": "alias-strategy",
        "pager.status": "pager-status",
        "pager.log": "pager-log",
    }
    lines = []
    for key, name in settings.items():
        section, _, variable = key.rpartition(".")
        first, _, second = section.partition(".")
        head = f'[{first} "{second}"]' if second else f"[{first}]"
        bang = "!" if key.startswith(("alias.", "credential.")) else ""
        trap = shlex.quote(str(_trap(repo, repo.root.parent / "traps" / name, name)))
        lines += [head, f"\t{variable} = {bang}{trap}"]
    return "\n".join(
        [
            *lines,
            f'[core]\n\thooksPath = "{hooks}"',
            '[filter "evil"]\n\trequired = true',
            '[hook "evil"]\n\tevent = pre-commit\n\tevent = post-checkout\n\tevent = reference-transaction',
            "[commit]\n\tgpgSign = true\n\tverbose = true",
            "[merge]\n\tverifySignatures = true\n\tdefault = evil\n\tautoStash = true\n\trenormalize = true",
            '[branch "main"]\n\tmergeOptions = -s ours',
            '[branch "roocode-team/t"]\n\tmergeOptions = -s ours',
            "[pull]\n\ttwohead = ours",
            "[log]\n\tshowSignature = true",
            "[gc]\n\tauto = 1",
            "[protocol]\n\tallow = always",
            "",
        ]
    )


def _sign_head(repo: Repo) -> None:
    """Puts a signature on the first commit, so that something would verify it."""
    head, _, rest = repo.git("cat-file", "commit", "HEAD").partition("\n\n")
    signed = repo.root.parent / "signed"
    signed.write_text(f"{head}\n{SIGNATURE}\n{rest}\n")
    repo.git("update-ref", "HEAD", repo.git("hash-object", "-t", "commit", "-w", str(signed)))
