"""The rule corpus: each line's tiers, mode and trust as a policy, and who decided."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from roocode.protocol.tools import Workspace
from roocode.security.permissions.check import check
from roocode.security.permissions.paths import pinned
from roocode.security.permissions.policy import TIERS, Policy, Rule
from roocode.security.permissions.rules import parse_rule

CORPORA = [Path(__file__).parent / "corpus" / f"rule_{name}.jsonl" for name in ("engine", "red_team")]
_WRITTEN_FOR = "/home/dev/proj"
_STRICTER = {"allow": 0, "ask": 1, "deny": 2}


@dataclass(frozen=True)
class Project:
    """A project and a home on disk, in the places that the corpus was written for."""

    root: Path
    home: Path

    def fill(self, text: str) -> str:
        return text.replace("{P}", str(self.root)).replace(_WRITTEN_FOR, str(self.root))


@contextmanager
def project(top: Path) -> Iterator[Project]:
    top = top.resolve()
    for path in (
        "proj/.git/HEAD",
        "proj/src/a.py",
        "proj/src/deep/a.py",
        "proj/README.md",
        "proj/.env",
        "home/x",
    ):
        (top / path).parent.mkdir(parents=True, exist_ok=True)
        (top / path).write_text("x\n")
    yield Project(top / "proj", top / "home")


def cases() -> list[dict[str, Any]]:
    return [json.loads(line) for file in CORPORA for line in file.read_text(encoding="utf-8").splitlines()]


def policy_of(case: Mapping[str, Any], there: Project) -> Policy:
    """The policy that the case's files would give; a list that cannot be read is an error of its tier."""
    rules: list[Rule] = []
    errors: list[str] = []
    for tier in TIERS:
        for verdict, texts in case["rules"][tier].items():
            if verdict not in ("allow", "ask", "deny") or not isinstance(texts, list):
                errors.append(f"{tier}: {verdict} cannot be read")
                continue
            errors.extend(f"{tier}: {text!r} is no text" for text in texts if not isinstance(text, str))
            rules.extend(
                parse_rule(there.fill(text), verdict, tier, tier) for text in texts if isinstance(text, str)
            )
    for text in case.get("agent", {}).get("lead_rules", {}).get("deny", ()):
        rules.append(parse_rule(text, "deny", "session", "lead"))
    return Policy(
        there.home, case["mode"], tuple(rules), trusted=case["trusted"], config_errors=tuple(errors)
    )


def answer(case: Mapping[str, Any], there: Project) -> dict[str, str]:
    """The verdict on the case's call, and on where it is redirected to: the stricter one."""
    for step in case.get("files", ()):
        assert step["op"] == "symlink"
        Path(there.fill(step["path"])).symlink_to(step["target"])
    policy, workspace = policy_of(case, there), pinned(Workspace(there.root))
    arguments = {
        key: there.fill(value) if isinstance(value, str) else value
        for key, value in case["call"]["input"].items()
    }
    answers = [check(case["call"]["tool"], arguments, policy, workspace)]
    if "redirect_to" in case:
        answers.append(check(case["call"]["tool"], {"url": case["redirect_to"]}, policy, workspace))
    return max(answers, key=lambda found: _STRICTER[found["decision"]])


def complaint(case: Mapping[str, Any], found: Mapping[str, str]) -> str:
    """What is wrong with an answer: the verdict, or who gave it."""
    if found["decision"] != case["expect"]:
        return f"expected {case['expect']}: {found}"
    decider, _, detail = case["decided_by"].partition(":")
    layers = {
        "hard_deny": {"dangerous"},
        "path_sandbox": {"sandbox"},
        "ssrf": {"sandbox"},
        "read_only": {"mode"},
        "mode": {"mode"},
        "default": {"mode", "sandbox"},
        "config_error": {"rules"},
    }.get(decider, {"rules"})
    if found["layer"] not in layers:
        return f"expected {case['decided_by']}: {found}"
    if decider.endswith("_rule") and found["source"] != detail:
        return f"expected a rule of {detail}: {found}"
    return ""


def score() -> tuple[Counter[str], Counter[str]]:
    """Cases whose verdict and decider are right, and all, by class."""
    right: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for case in cases():
        with TemporaryDirectory() as top, project(Path(top)) as there:
            total[case["class"]] += 1
            right[case["class"]] += not complaint(case, answer(case, there))
    return right, total
