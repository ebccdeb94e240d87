from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from roocode.protocol.decisions import MODES, Decision, Mode, Verdict
from roocode.protocol.messages import Arguments
from roocode.protocol.tools import Touches, Workspace
from roocode.security.permissions import holding
from roocode.security.permissions.check import check
from roocode.security.permissions.decide import decide, digest_of, examine
from roocode.security.permissions.expansion import MOST
from roocode.security.permissions.grants import Grants
from roocode.security.permissions.hidden import hides
from roocode.security.permissions.names import presumed_touches
from roocode.security.permissions.policy import Policy, Rule, Tier
from roocode.security.permissions.proposals import proposals
from roocode.security.permissions.rules import parse_rule


class Desk:
    """A project with a home, and short ways to ask the guard about calls in it."""

    def __init__(self, top: Path) -> None:
        self.top = top
        self.workspace = Workspace(top / "proj", scratch=top / "scratch")
        self.policy = Policy(top / "home", trusted=True, plan_file=top / "home/plan.md")

    def with_rules(self, *rules: Rule, mode: Mode = "default") -> None:
        self.policy = replace(self.policy, rules=rules, mode=mode)

    def ask(self, tool: str, arguments: Arguments, *, touches: Touches | None = None) -> Decision:
        touches = touches or presumed_touches(tool, arguments)
        return decide(tool, arguments, touches, self.policy, self.workspace)

    def bash(self, command: str, cwd: str | None = None) -> Decision:
        return self.ask("Bash", {"command": command}, touches=Touches(command=command, cwd=cwd))

    def propose(self, tool: str, arguments: Arguments) -> tuple[str, ...]:
        touches = presumed_touches(tool, arguments)
        call = examine(tool, arguments, touches, self.policy, self.workspace)
        return tuple(each.text for each in proposals(call, self.policy))


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    top = tmp_path.resolve()
    for directory in ("proj/src", "proj/.git", "outside", "home", "scratch"):
        (top / directory).mkdir(parents=True)
    (top / "proj/src/a.py").write_text("x")
    (top / "proj/.env").write_text("KEY=1")
    return Desk(top)


@pytest.fixture
def top_heavy(desk: Desk) -> Path:
    """A directory with more files than are looked at one by one."""
    directory = desk.top / "proj/many"
    directory.mkdir()
    for number in range(holding.MOST + 1):
        (directory / str(number)).touch()
    return directory


def _rule(text: str, verdict: Verdict = "allow", tier: Tier = "local") -> Rule:
    return parse_rule(text, verdict, tier, f"{tier}.yaml:1")


@pytest.mark.parametrize("mode", MODES)
def test_tools_that_touch_nothing_go_in_every_mode(desk: Desk, mode: Mode) -> None:
    desk.with_rules(mode=mode)

    assert desk.ask("TaskList", {}).verdict == "allow"


def test_tools_that_touch_nothing_can_be_ruled(desk: Desk) -> None:
    desk.with_rules(_rule("SendMessage", "ask"), _rule("TaskList", "deny"))

    assert desk.ask("SendMessage", {}).verdict == "ask"
    assert desk.ask("TaskList", {}).verdict == "deny"


@pytest.mark.parametrize(
    ("mode", "edit", "fetch", "plan"),
    [
        ("default", "ask", "ask", "allow"),
        ("acceptEdits", "allow", "ask", "allow"),
        ("plan", "ask", "ask", "allow"),
        ("dontAsk", "deny", "deny", "allow"),
        ("bypassPermissions", "allow", "allow", "allow"),
    ],
)
def test_modes(desk: Desk, mode: Mode, edit: Verdict, fetch: Verdict, plan: Verdict) -> None:
    desk.with_rules(mode=mode)

    assert desk.ask("ReadFile", {"path": "src/a.py"}).verdict == "allow"
    assert desk.ask("EditFile", {"path": "src/a.py"}).verdict == edit
    assert desk.ask("WebFetch", {"url": "https://example.org/"}).verdict == fetch
    assert desk.ask("WriteFile", {"path": str(desk.policy.plan_file)}).verdict == plan


@pytest.mark.parametrize("mode", ["default", "acceptEdits", "bypassPermissions"])
@pytest.mark.parametrize(
    "path", [".vscode/tasks.json", ".github/workflows/ci.yml", ".roocode/skills/x/SKILL.md"]
)
def test_what_is_obeyed_later_is_asked_about_in_every_mode_whatever_rules_say(
    desk: Desk, mode: Mode, path: str
) -> None:
    desk.with_rules(_rule("Edit(**)"), _rule("Bash(*)"), mode=mode)

    decision = desk.ask("WriteFile", {"path": path})

    assert (decision.verdict, decision.layer) == ("ask", "sandbox")
    assert desk.bash(f"cp src/a.py {path}").verdict == "ask"


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "command",
    ["echo x > .git/hooks/pre-commit", "cp src/a.py .roocode/config.yaml", "tee .mcp.json", "rm -r .git"],
)
def test_protected_places_are_closed_to_bash_in_every_mode(desk: Desk, mode: Mode, command: str) -> None:
    desk.with_rules(_rule("Bash(*)"), mode=mode)

    assert desk.bash(command).verdict == "deny"


@pytest.mark.parametrize("mode", MODES)
def test_dangerous_commands_are_denied_first(desk: Desk, mode: Mode) -> None:
    desk.with_rules(_rule("Bash(*)", tier="session"), mode=mode)

    decision = desk.bash("rm -rf /")

    assert (decision.verdict, decision.layer, decision.level) == ("deny", "dangerous", "blocked")


def test_bash_that_leaves_the_allowed_directories_asks_though_it_only_reads(desk: Desk) -> None:
    desk.with_rules(_rule("Bash(cat *)"), _rule("Bash(make)"))

    decision = desk.bash("cat ../outside/x")

    assert decision.verdict == "ask"
    assert "outside the allowed directories" in decision.reason
    assert desk.bash("cat src/a.py").verdict == "allow"
    assert desk.bash("ls", cwd=str(desk.top / "outside")).verdict == "ask"
    assert desk.bash("make", cwd=str(desk.top / "outside")).verdict == "ask"
    assert desk.bash("make", cwd="src").verdict == "allow"


def test_the_working_directory_of_a_call_is_where_its_paths_start(desk: Desk) -> None:
    desk.with_rules(_rule("Read(.env)", "deny"))

    assert desk.bash("cat ../.env", cwd="src").verdict == "deny"


def test_dots_behind_a_link_lead_where_the_kernel_goes(desk: Desk) -> None:
    (desk.top / "outside/deep").mkdir()
    (desk.top / "proj/link").symlink_to(desk.top / "outside/deep")

    assert desk.bash("cat link/../x").verdict == "ask"
    assert desk.bash("cd link && cat ../x").verdict == "ask"
    assert desk.bash("cd src && cat ../README.md").verdict == "allow"
    assert desk.bash("echo x > link/../../proj/.git/config").verdict == "deny"


def test_links_in_bash_operands_are_followed(desk: Desk) -> None:
    (desk.top / "proj/link").symlink_to(desk.top / "outside")
    (desk.top / "proj/innocent").symlink_to(".git/config")

    assert desk.bash("cat link/x").verdict == "ask"
    assert desk.bash("tee innocent").verdict == "deny"


@pytest.mark.parametrize(
    "call",
    [
        ("ReadFile", {"path": ".env"}),
        ("EditFile", {"path": ".env"}),
        ("Grep", {"pattern": "x", "path": ".env"}),
        ("Bash", {"command": "cat .env"}),
        ("Bash", {"command": "true; sort < .env"}),
        ("Bash", {"command": "cp .env src/b"}),
    ],
)
def test_a_read_deny_holds_for_edits_searches_and_bash(desk: Desk, call: tuple[str, Arguments]) -> None:
    desk.with_rules(_rule("Read(.env)", "deny"), _rule("Bash(*)"), mode="bypassPermissions")

    assert desk.ask(*call).verdict == "deny"


def test_an_edit_deny_holds_for_bash_but_not_for_reading(desk: Desk) -> None:
    desk.with_rules(_rule("Edit(src/**)", "deny"), mode="bypassPermissions")

    assert desk.bash("echo x > src/a.py").verdict == "deny"
    assert desk.ask("ReadFile", {"path": "src/a.py"}).verdict == "allow"


def test_files_with_secrets_are_asked_about(desk: Desk) -> None:
    assert desk.ask("ReadFile", {"path": ".env"}).verdict == "ask"
    assert desk.bash("cat .env").verdict == "ask"
    desk.with_rules(_rule("Read(.env)"))
    assert desk.ask("ReadFile", {"path": ".env"}).verdict == "allow"


def test_one_part_that_asks_makes_the_line_ask_and_every_part_must_be_allowed(desk: Desk) -> None:
    desk.with_rules(_rule("Bash(npm test)"), _rule("Bash(git push *)", "ask"))

    assert desk.bash("git status && npm test").verdict == "allow"
    assert desk.bash("npm test && npm publish").verdict == "ask"
    assert desk.bash("npm test && git push").rule == "Bash(git push *)"


def test_a_tiers_ask_beats_its_allow_and_a_higher_allow_beats_both(desk: Desk) -> None:
    ask, allow = _rule("Bash(make)", "ask", "user"), _rule("Bash(make)", "allow", "user")
    desk.with_rules(allow, ask)
    assert desk.bash("make").verdict == "ask"

    desk.with_rules(allow, ask, _rule("Bash(make)", "allow", "session"))
    assert desk.bash("make").verdict == "allow"


def test_plan_mode_lets_no_rule_change_things(desk: Desk) -> None:
    rules = [_rule("Bash(make)"), _rule("Edit"), _rule("WebFetch"), _rule("mcp__s")]
    desk.with_rules(*rules, mode="plan")

    assert desk.bash("make").verdict == "ask"
    assert desk.ask("EditFile", {"path": "src/a.py"}).verdict == "ask"
    assert desk.ask("mcp__s__t", {}).verdict == "ask"
    assert desk.ask("WebFetch", {"url": "https://example.org/"}).verdict == "allow"


def test_exact_commands_run_byte_for_byte(desk: Desk) -> None:
    desk.policy = replace(desk.policy, exact_commands=frozenset({"PYTHONPATH=. pytest -q > out.txt"}))

    assert desk.bash("PYTHONPATH=. pytest -q > out.txt").verdict == "allow"
    assert desk.bash("PYTHONPATH=. pytest -q > out2.txt").verdict == "ask"
    desk.policy = replace(desk.policy, mode="plan")
    assert desk.bash("PYTHONPATH=. pytest -q > out.txt").verdict == "ask"


def test_exact_commands_and_grants_do_not_lift_what_is_denied(desk: Desk) -> None:
    command, grants = "echo x > .git/config", Grants()
    desk.policy = replace(desk.policy, exact_commands=frozenset({command, "rm -rf /"}))
    call = examine("Bash", {"command": command}, Touches(command=command), desk.policy, desk.workspace)
    grants.add(digest_of(call))

    assert desk.bash(command).verdict == "deny"
    assert desk.bash("rm -rf /").verdict == "deny"
    touches = Touches(command=command)
    decision = decide("Bash", {"command": command}, touches, desk.policy, desk.workspace, grants)
    assert decision.verdict == "deny"


def test_a_grant_is_for_the_same_call_in_the_same_directory(desk: Desk) -> None:
    grants = Grants()

    def verdict(arguments: Arguments, cwd: str | None = None) -> Verdict:
        touches = Touches(command=str(arguments["command"]), cwd=cwd)
        return decide("Bash", arguments, touches, desk.policy, desk.workspace, grants).verdict

    call = examine("Bash", {"command": "make"}, Touches(command="make"), desk.policy, desk.workspace)
    grants.add(digest_of(call))

    assert verdict({"command": "make"}) == "allow"
    assert verdict({"command": "make "}) == "ask"
    assert verdict({"command": "make", "timeout": 5}) == "ask"
    assert verdict({"command": "make"}, "src") == "ask"
    desk.with_rules(_rule("Bash(make)", "deny", "user"))
    assert verdict({"command": "make"}) == "deny"


def test_a_deny_rule_that_cannot_be_understood_stops_allow_rules(desk: Desk) -> None:
    desk.with_rules(_rule("Bash(make)"), _rule("bash(rm *)", "deny", "user"))

    decision = desk.bash("make")

    assert (decision.verdict, decision.layer) == ("ask", "rules")
    assert "user.yaml:1: deny rule bash(rm *): there is no tool called bash" in decision.reason


def test_a_local_rule_allows_only_in_a_trusted_directory(desk: Desk) -> None:
    desk.with_rules(_rule("Bash(make)"))
    desk.policy = replace(desk.policy, trusted=False)
    assert desk.bash("make").verdict == "ask"

    desk.with_rules(_rule("Bash(make)", tier="user"))
    assert desk.bash("make").verdict == "allow"


@pytest.mark.parametrize(
    ("text", "arguments", "verdict"),
    [
        ("Bash(run_in_background:true)", {"command": "ls", "run_in_background": True}, "deny"),
        ("Bash(run_in_background:true)", {"command": "ls", "run_in_background": False}, "allow"),
        ("Bash(run_in_background:true)", {"command": "ls"}, "allow"),
        ("Bash(timeout:6*)", {"command": "ls", "timeout": 600}, "deny"),
    ],
)
def test_a_rule_about_one_field(desk: Desk, text: str, arguments: Arguments, verdict: Verdict) -> None:
    desk.with_rules(_rule(text, "deny"))

    assert desk.ask("Bash", arguments).verdict == verdict


def test_agents_skills_and_servers_by_name(desk: Desk) -> None:
    desk.with_rules(_rule("Task(Explore)", "deny"), _rule("Skill(review:*)", "deny"), _rule("mcp__s", "deny"))

    assert desk.ask("Agent", {"subagent_type": "Explore"}).verdict == "deny"
    assert desk.ask("Agent", {"subagent_type": "Plan"}).verdict == "allow"
    assert desk.ask("LoadSkill", {"name": "review"}).verdict == "deny"
    assert desk.ask("LoadSkill", {"name": "reviewer"}).verdict == "allow"
    assert desk.ask("mcp__s__t", {}).verdict == "deny"
    assert desk.ask("mcp__s2__t", {}).verdict == "ask"


def test_the_programs_own_acts_need_a_grant_of_their_exact_input(desk: Desk) -> None:
    arguments, touches = {"server": "x", "command": "run"}, Touches(other=True)
    grants = Grants()
    desk.with_rules(_rule("mcp__x"), mode="bypassPermissions")
    call = examine("__start_mcp__", arguments, touches, desk.policy, desk.workspace)

    assert desk.ask("__start_mcp__", arguments, touches=touches).verdict == "deny"
    grants.add(digest_of(call))
    assert decide("__start_mcp__", arguments, touches, desk.policy, desk.workspace, grants).verdict == "allow"
    swapped = {"server": "x", "command": "other"}
    assert decide("__start_mcp__", swapped, touches, desk.policy, desk.workspace, grants).verdict == "deny"


@pytest.mark.parametrize(
    "arguments",
    [
        {"pattern": "../../**/*.pem"},
        {"pattern": "/etc/*"},
        {"pattern": "src/{a,..}/../../x"},
        {"pattern": "**/../../*"},
        {"pattern": "~/.ssh/*"},
        {"pattern": "*.py", "path": ".."},
    ],
)
def test_a_search_that_leaves_the_directory_is_denied(desk: Desk, arguments: Arguments) -> None:
    assert desk.ask("Glob", arguments).layer == "sandbox"
    assert desk.ask("Glob", {"pattern": "src/../src/**/*.py"}).verdict == "allow"
    assert desk.ask("Grep", {"pattern": "x", "glob": "../*.py"}).verdict == "deny"


def test_an_obscure_url_asks_in_every_mode(desk: Desk) -> None:
    desk.with_rules(_rule("WebFetch"), mode="bypassPermissions")

    assert desk.ask("WebFetch", {"url": "https://a.example@b.example/"}).verdict == "ask"
    assert desk.ask("WebFetch", {"url": "http://169.254.169.254/"}).verdict == "deny"


def test_a_decision_says_layer_rule_source_reason_and_level(desk: Desk) -> None:
    desk.with_rules(_rule("Bash(git push *)", "deny", "user"))

    answer = check("Bash", {"command": "git push"}, desk.policy, desk.workspace)

    assert answer == {
        "decision": "deny",
        "layer": "rules",
        "rule": "Bash(git push *)",
        "source": "user.yaml:1",
        "reason": "denied by Bash(git push *) (user.yaml:1)",
        "level": "danger",
    }


@pytest.mark.parametrize(
    ("tool", "arguments", "expected"),
    [
        ("Bash", {"command": "git commit -m 'x y' && npm test"}, ("Bash(git commit *)", "Bash(npm test *)")),
        ("Bash", {"command": "ls && make lint"}, ("Bash(make lint *)",)),
        ("Bash", {"command": "pytest -q 'tests/[a]*'"}, (r"Bash(pytest -q tests/[a]\*)",)),
        ("Bash", {"command": "make > out.txt"}, ()),
        ("Bash", {"command": "sudo make"}, ()),
        ("Bash", {"command": "cp a ../outside/b"}, ()),
        ("Bash", {"command": "; ".join(f"tool{n} x" for n in range(6))}, ()),
        ("EditFile", {"path": "src/a.py"}, ("EditFile(/src/a.py)",)),
        ("WebFetch", {"url": "https://example.org/x"}, ("WebFetch(domain:example.org)",)),
        ("mcp__s__t", {}, ("mcp__s__t",)),
        ("Bash", {"command": "python x.py"}, ("Bash(python x.py)",)),
        ("Bash", {"command": "git push origin x"}, ("Bash(git push origin x)",)),
        ("Bash", {"command": "uv run pytest"}, ()),
        ("Bash", {"command": "X=1 make"}, ()),
        ("Bash", {"command": "cd ../outside && make"}, ()),
        ("Bash", {"command": "make &&"}, ()),
    ],
)
def test_proposals(desk: Desk, tool: str, arguments: Arguments, expected: tuple[str, ...]) -> None:
    found = desk.propose(tool, arguments)

    assert found == expected
    if found:
        desk.with_rules(*(_rule(text) for text in found))
        assert desk.ask(tool, arguments).verdict == "allow"


def test_the_reason_is_one_of_a_part_that_no_rule_allows(desk: Desk) -> None:
    desk.with_rules(_rule("Bash(make *)"))
    assert desk.bash("make all && npm test").reason == "npm: not known only to read"
    assert desk.bash("npm test && make all").reason == "npm: not known only to read"


def test_a_part_that_a_rule_allows_already_needs_no_proposal(desk: Desk) -> None:
    desk.with_rules(_rule("Bash(make *)"))
    assert desk.propose("Bash", {"command": "make all && npm test"}) == ("Bash(npm test *)",)


def test_a_proposal_is_anchored_where_its_file_anchors_it(desk: Desk) -> None:
    """RooCode runs in a directory below the one whose configuration holds the rule."""
    touches = presumed_touches("EditFile", {"path": "src/a.py"})
    call = examine("EditFile", {"path": "src/a.py"}, touches, desk.policy, desk.workspace)
    [proposal] = proposals(call, desk.policy, str(desk.top))
    assert (proposal.text, proposal.choices[1]) == ("EditFile(/proj/src/a.py)", "EditFile(/proj/src/**)")
    for text in proposal.choices:
        desk.with_rules(parse_rule(text, "allow", "local", "x", str(desk.top)))
        assert desk.ask("EditFile", {"path": "src/a.py"}).verdict == "allow"


def test_the_choices_go_from_narrow_to_wide_and_all_cover_the_part(desk: Desk) -> None:
    for command, expected in {
        "git commit -m x": ("Bash(git commit -m x)", "Bash(git commit *)"),
        "pytest -q": ("Bash(pytest -q)", "Bash(pytest *)"),
        "rm old": ("Bash(rm old)",),
        "git push": ("Bash(git push)",),
    }.items():
        call = examine("Bash", {"command": command}, Touches(command=command), desk.policy, desk.workspace)
        [proposal] = proposals(call, desk.policy)
        assert (proposal.about, proposal.choices) == (command, expected)
        for text in proposal.choices:
            desk.with_rules(_rule(text))
            assert desk.bash(command).verdict == "allow"
            desk.with_rules()


def test_files_that_a_rule_hides(desk: Desk) -> None:
    desk.with_rules(_rule("Read(.env)", "deny"), _rule("Edit(src/**)", "deny"), _rule("Read(*.py)", "ask"))
    is_hidden = hides(desk.policy, desk.workspace)

    assert is_hidden(str(desk.top / "proj/deep/.env"))
    assert not is_hidden(str(desk.top / "proj/src/a.py"))


def test_wildcards_in_bash_operands_are_looked_up(desk: Desk) -> None:
    desk.with_rules(_rule("Bash(cat *)"), _rule("Bash(tee *)"), _rule("Read(secret.txt)", "deny"))
    for name in ("secret.txt", ".git/config"):
        (desk.top / "proj" / name).write_text("x")
    (desk.top / "proj/out.txt").symlink_to(desk.top / "outside")

    assert desk.bash("cat .e*").verdict == "ask"
    assert desk.bash("cat sec[qrs]et.txt").verdict == "deny"
    assert desk.bash("cat s*.txt").verdict == "deny"
    assert desk.bash("cat ou*").verdict == "ask"
    assert desk.bash("tee .gi[[:alpha:]]/config").verdict == "deny"
    assert desk.bash("cat src/*.py").verdict == "allow"


def test_wildcards_that_match_too_much_ask(desk: Desk) -> None:
    for number in range(MOST + 1):
        (desk.top / f"proj/src/{number}.txt").touch()

    assert "too many files" in desk.bash("cat src/*.txt").reason


@pytest.mark.parametrize("mode", ["default", "bypassPermissions"])
def test_removing_what_holds_a_repository_is_asked_about_in_every_mode(desk: Desk, mode: Mode) -> None:
    desk.with_rules(_rule("Bash(rm *)"), mode=mode)
    (desk.top / "proj/src/deep").mkdir()

    assert desk.bash(f"rm -rf {desk.top}/proj").layer in ("sandbox", "dangerous")
    assert desk.bash("rm -rf src/deep").verdict == "allow"


def test_system_information_is_read_by_bash_without_a_question(desk: Desk) -> None:
    assert desk.bash("cat /etc/os-release && cat /proc/cpuinfo > /dev/null").verdict == "allow"
    assert desk.bash("cat /proc/self/environ").verdict == "ask"


def test_a_directory_too_large_to_look_through_may_hold_what_is_denied(desk: Desk, top_heavy: Path) -> None:
    desk.with_rules(_rule("Read(secret)", "deny"), _rule("Bash(*)"))

    assert desk.bash(f"grep -r x {top_heavy}").verdict == "deny"
    assert desk.bash(f"ls {top_heavy}").verdict == "allow"


def test_a_wrapper_that_changes_nothing_is_what_it_runs_to_an_allow_rule(desk: Desk) -> None:
    desk.with_rules(_rule("Bash(npm test)"))

    assert desk.bash("timeout 60 ls").verdict == "allow"
    assert desk.bash("timeout 60 ls && npm test").verdict == "allow"
    assert desk.bash("timeout 60 npm test").verdict == "allow"
    assert desk.bash("timeout 60 sudo npm test").verdict == "ask"
    assert desk.bash("timeout 60 npm publish").verdict == "ask"


def test_git_that_reads_somebody_elses_repository_asks(desk: Desk) -> None:
    (desk.top / "outside/.git").mkdir()
    (desk.top / "proj/sub").mkdir()
    assert desk.bash("git -C sub log -p").verdict == "allow"

    (desk.top / "proj/sub/.git").write_text(f"gitdir: {desk.top}/outside/.git\n")

    for line in ("git -C sub log -p", "cd sub && git show"):
        assert desk.bash(line).verdict == "ask"
        assert "outside" in desk.bash(line).reason
    assert desk.bash("git log -p").verdict == "allow"
