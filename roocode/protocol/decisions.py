"""What the guard says of a call, and what is asked of a person."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any, Literal, TypeAlias

from roocode.protocol.frozen import frozen

Verdict: TypeAlias = Literal["allow", "ask", "deny"]
Mode: TypeAlias = Literal["default", "acceptEdits", "plan", "bypassPermissions", "dontAsk"]
Layer: TypeAlias = Literal["dangerous", "sandbox", "rules", "mode", "person"]
Level: TypeAlias = Literal["safe", "modify", "danger", "blocked"]
Scope: TypeAlias = Literal["once", "session", "always"]
Store: TypeAlias = Literal["local", "user"]

MODES: tuple[Mode, ...] = ("default", "acceptEdits", "plan", "bypassPermissions", "dontAsk")


@frozen
class Decision:
    """A verdict with the layer, rule, source (file and line, or tier) and reason that gave it.

    `rule` is the rule's text and `source` where it stands ("~/.roocode/config.yaml:12"); both are empty
    where no rule decided.
    """

    verdict: Verdict
    layer: Layer
    reason: str
    rule: str = ""
    source: str = ""
    level: Level = "modify"

    @property
    def granted(self) -> bool:
        """Whether a rule or a person allowed it, not merely the mode."""
        return self.verdict == "allow" and self.layer in ("rules", "person")


@frozen
class QuestionPart:
    """One command of the line that is asked about, as the guard sees it.

    `asks` tells that the question is (also) about it: `layer` and `why` say who wants to know and why. Of
    any other part `why` says why it goes without a question. `inside` are the wrappers around it, outermost
    first.
    """

    text: str
    asks: bool = True
    why: str = ""
    layer: Layer = "mode"
    inside: tuple[str, ...] = ()


@frozen
class RuleProposal:
    """A rule that "always allow" would store for one part of a call.

    `about` is what it has to cover: a command's decoded words, a real path, a URL or the tool's name.
    `choices` are ready texts for it, the narrowest first; `text` is one of them.
    """

    text: str
    about: str = ""
    choices: tuple[str, ...] = ()


@frozen
class PermissionQuestion:
    """An open question to a person, about exactly one call.

    `digest` binds an answer to this call; `proposals` are what "always allow" would store, in one of
    `stores`: (scope, file as people write it). `root` is the agent's own directory and `directory` the one
    that the call runs in, both absolute. `parts` and `warnings` are what a person should see besides the
    preview. `asked_at` (ISO 8601 UTC) is set where the question waits in a team.
    """

    id: str
    agent: str
    tool: str
    input: Mapping[str, Any]
    preview: str
    reason: str
    layer: Layer
    digest: str
    proposals: tuple[RuleProposal, ...] = ()
    level: Level = "modify"
    rule: str = ""
    source: str = ""
    root: str = ""
    directory: str = ""
    parts: tuple[QuestionPart, ...] = ()
    warnings: tuple[str, ...] = ()
    stores: tuple[tuple[Store, str], ...] = ()
    asked_at: str = ""

    def to_json(self) -> dict[str, Any]:
        """As JSON values."""
        value = {field.name: getattr(self, field.name) for field in fields(self)}
        value["input"] = dict(self.input)
        value["proposals"] = [asdict(proposal) for proposal in self.proposals]
        value["parts"] = [asdict(part) for part in self.parts]
        return value

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> PermissionQuestion:
        """The inverse of `to_json`; what it does not know is left out, what is missing has its default.

        Raises TypeError, KeyError or ValueError where the value is no question.
        """
        known = _known(cls, value)
        known["warnings"] = tuple(map(str, known.get("warnings", ())))
        known["stores"] = tuple((scope, str(shown)) for scope, shown in known.get("stores", ()))
        known["parts"] = tuple(_part(part) for part in known.get("parts", ()))
        known["proposals"] = tuple(_proposal(each) for each in known.get("proposals", ()))
        return cls(**known)

    @property
    def place(self) -> str:
        """Where the call runs as people write it: below the agent's own directory relative, "" in it."""
        if self.directory == self.root:
            return ""
        below = self.root.rstrip("/") + "/"
        return self.directory.removeprefix(below) if self.directory.startswith(below) else self.directory

    @property
    def look(self) -> str:
        """All that a person sees of it but who asks: questions with the same look are answered as one.

        Paths below each agent's own directory count as the same, others only when they are equal.
        """
        shown = (self.tool, dict(self.input), self.preview, self.place, self.layer, self.level, self.reason)
        more = [[part.text, part.asks, part.why, part.layer, list(part.inside)] for part in self.parts]
        rules = [[each.text, list(each.choices)] for each in self.proposals]
        whole = [shown, self.rule, self.source, more, list(self.warnings), rules]
        return json.dumps(whole, sort_keys=True, ensure_ascii=True, default=repr)


@frozen
class PermissionAnswer:
    """A person's answer, or a policy's where nobody can be asked.

    `scope`: this call only, byte-exact repeats in this session, or always. What is stored then are `rules`,
    or all proposals where it names none; they go to `store`, and `stored` is the file that holds them
    already. `reason` is the person's word to the model.
    """

    allowed: bool
    scope: Scope = "once"
    reason: str = ""
    by: Literal["person", "policy"] = "person"
    rules: tuple[str, ...] = ()
    store: Store = "local"
    stored: str = ""


def _known(kind: type[Any], value: Mapping[str, Any]) -> dict[str, Any]:
    names = {field.name for field in fields(kind)}
    return {name: each for name, each in value.items() if name in names}


def _part(value: Mapping[str, Any]) -> QuestionPart:
    known = _known(QuestionPart, value)
    return QuestionPart(**{**known, "inside": tuple(map(str, known.get("inside", ())))})


def _proposal(value: Mapping[str, Any]) -> RuleProposal:
    known = _known(RuleProposal, value)
    return RuleProposal(**{**known, "choices": tuple(map(str, known.get("choices", ())))})
