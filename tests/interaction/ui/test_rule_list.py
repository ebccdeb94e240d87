"""The rules of an "always", before they are stored."""

from roocode.interaction.ui.terminal.rule_list import RuleList, RuleVerdict, unchecked
from roocode.interaction.ui.terminal.styles import unstyled
from roocode.protocol.decisions import PermissionAnswer, PermissionQuestion, RuleProposal
from tests.interaction.ui.samples import question

TWO = ("Bash(make test)", "Bash(git commit *)")


def check(_question: PermissionQuestion, _about: RuleProposal, text: str) -> RuleVerdict:
    if not text.startswith("Bash"):
        return RuleVerdict("it is not about Bash")
    return RuleVerdict(warning="it covers every command there is" if text == "Bash" else "")


def opened(*rules: str) -> RuleList:
    return RuleList(question(proposals=rules or TWO), check)


def shown(rules: RuleList, width: int = 80) -> str:
    return unstyled(rules.shown(width, with_keys=True))


def test_all_are_on_and_enter_stores_what_is_shown():
    rules = opened()
    assert shown(rules).split("\n")[:3] == [
        " Always allow  in .roocode/config.local.yaml:",
        " › 1 [x] Bash(make test)",
        "   2 [x] Bash(git commit *)",
    ]
    assert rules.enter() == PermissionAnswer(True, "always", rules=TWO, store="local")


def test_a_rule_is_left_out_narrowed_and_widened_by_keys():
    rules = opened()
    rules.press(" ")
    rules.press("down")
    rules.press("tab")
    assert rules.enter() == PermissionAnswer(True, "always", rules=("Bash(make *)",))
    rules.press("tab")
    rules.press("2")
    rules.press(" ")
    assert rules.enter() is None
    assert "no rule is on" in shown(rules)


def test_the_file_is_the_persons_choice_but_a_path_of_the_project_stays_there():
    rules = opened()
    rules.press("f")
    assert "in ~/.roocode/config.yaml:" in shown(rules)
    answer = rules.enter()
    assert answer is not None
    assert answer.store == "user"
    rules = opened("EditFile(/a.txt)")
    rules.press("f")
    assert "[f]ile" not in shown(rules)
    assert rules.enter() == PermissionAnswer(True, "always", rules=("EditFile(/a.txt)",), store="local")


def test_a_rule_that_was_written_is_checked_at_once():
    rules = opened("Bash(make test)")
    rules.press("e")
    assert rules.editing
    assert "it has to cover: make test" in shown(rules)
    assert not rules.write("ReadFile")
    assert "ReadFile: it is not about Bash" in shown(rules)
    assert rules.editing
    rules.leave()
    assert rules.enter() == PermissionAnswer(True, "always", rules=("Bash(make test)",))
    rules.press("e")
    assert rules.write("  Bash(make   t*) ")
    assert rules.enter() == PermissionAnswer(True, "always", rules=("Bash(make t*)",))


def test_one_that_is_too_wide_needs_a_second_yes_with_the_warning_in_sight():
    rules = opened("Bash(make test)")
    rules.press("e")
    assert rules.write("Bash")
    assert "it covers every command there is" in shown(rules)
    assert rules.enter() is None
    assert "once more, and it is stored" in shown(rules)
    rules.press("1")
    assert rules.enter() is None
    assert rules.enter() == PermissionAnswer(True, "always", rules=("Bash",))


def test_without_a_check_only_proposals_are_taken():
    rules = RuleList(question(), unchecked)
    rules.press("e")
    assert not rules.write("Bash")


def test_lines_do_what_keys_do():
    rules = opened()
    assert rules.say("1")
    assert rules.say("w2")
    assert rules.say("2 Bash(make *)")
    assert rules.enter() == PermissionAnswer(True, "always", rules=("Bash(make *)",))
    assert rules.say("f")
    assert not any(rules.say(line) for line in ("", "no", "3", "0", "x1", "ok"))


def test_the_list_keeps_to_a_narrow_screen():
    rules = opened("Bash(a-very-long-command --with many --options and more of them)")
    assert all(len(line) <= 40 for line in shown(rules, 40).split("\n"))
