"""P8 to P16: what a shell line is."""

from __future__ import annotations

import pytest

from tests.security.bash_cases import rank
from tests.security.properties.conftest import Scene
from tests.security.properties.running import arguments_of

ALLOW, ASK, DENY = 0, 1, 2

DESTROYS = "rm -rf /"
AROUND = [
    "true; {}",
    "true && {}",
    "false || {}",
    "true | {}",
    "true |& {}",
    "true & {}",
    "true\n{}",
    "({})",
    "{{ {}; }}",
    "f() {{ {}; }}; f",
    "if true; then {}; fi",
    "while true; do {}; done",
    "for x in 1; do {}; done",
    "case x in x) {};; esac",
    "echo $({})",
    "echo `{}`",
    "cat <<E\n$({})\nE",
    "cat <({})",
    "bash -c '{}'",
    "sh <<'E'\n{}\nE",
    "bash <<< '{}'",
    "eval '{}'",
    "sudo {}",
    "env A=1 {}",
    "nohup {}",
    "timeout 5 {}",
    "nice -n 3 {}",
    "time {}",
    "command {}",
    "exec {}",
    "echo x | xargs {}",
    "find . -exec {} \\;",
]


@pytest.mark.parametrize("around", AROUND)
def test_p08_no_nesting_and_no_wrapper_hides_a_command(around: str) -> None:
    assert rank(around.format(DESTROYS)) == DENY
    assert rank(around.format("touch x")) == ASK


def test_p08_only_a_few_wrappers_keep_a_reading_program_silent() -> None:
    assert [rank(line) for line in ("time ls", "timeout 5 ls", "command ls")] == [ALLOW] * 3
    assert [rank(line) for line in ("sudo ls", "nohup ls", "nice ls", "bash -c ls")] == [ASK] * 4


@pytest.mark.parametrize("padding", ["true; " * 500, "echo " + "x" * 20_000 + "; ", " " * 50_000, "( " * 40])
def test_p09_no_length_and_no_count_makes_less_of_a_deny(padding: str) -> None:
    assert rank(padding + DESTROYS + ")" * padding.count("(")) == DENY


@pytest.mark.parametrize(
    "line",
    [
        "$X .",
        "l${x}s",
        "ls $(pwd)",
        "cat ${x@P}",
        "head -n $((1+a[0])) f",
        "cat ~other/f",
        "ls ${!x}",
        "wc ${x:=y}",
    ],
)
def test_p10_an_expansion_that_matters_is_never_silent(line: str) -> None:
    assert rank(line) == ASK


def test_p10_home_directory_and_plain_patterns_of_reading_programs_are_silent() -> None:
    assert rank("ls $PWD") == ALLOW
    assert rank("wc -l src/*.py") == ALLOW


@pytest.mark.parametrize("operator", [">", ">>", ">|", "&>", "&>>", "<>", "2>", "1>"])
def test_p11_output_that_goes_to_a_file_is_a_write(scene: Scene, operator: str) -> None:
    assert rank(f"cat a {operator} out.txt") == ASK
    assert scene.bash(f"cat a {operator} .git/config", "bypassPermissions") == "deny"
    assert rank("cat a 2>/dev/null >&2") == ALLOW


@pytest.mark.parametrize(
    "line", ["echo 'open", 'echo "open', "if true", "ls )", "cat <<E\nno end", "echo $(ls", "ls\0pwd"]
)
def test_p12_what_is_not_whole_bash_asks(line: str) -> None:
    assert rank(line) == ASK


def test_p12_what_runs_is_byte_for_byte_what_was_judged() -> None:
    line = "read -r _ <gate; printf '%s' \u00e4 \\\n  \"$'x'\" # end"
    assert arguments_of(line)[-1] == line
    assert arguments_of(line)[1:5] == ["--norc", "--noprofile", "-c", "--"]


def test_p13_a_deny_looks_past_assignments_and_an_allow_does_not(scene: Scene) -> None:
    scene.add("allow", "Bash(pytest *)")
    scene.add("deny", "Bash(git push *)")
    assert scene.bash("pytest -q") == "allow"
    assert scene.bash("PYTHONPATH=. pytest -q") == "ask"
    assert scene.bash("export LD_PRELOAD=./x.so; ls") == "ask"
    for line in (
        "A=1 git push origin x",
        "export A=1; git push origin x",
        "declare A=1; B=2 git push origin",
    ):
        assert scene.bash(line) == "deny"


@pytest.mark.parametrize(
    "line",
    [
        "sort --compress-program=./x f",
        "rg --pre ./x p",
        "rg --pr=./x p",
        "sed 's/a/b/e' f",
        "sed -n 'w out' f",
        "awk 'BEGIN{system(\"x\")}'",
        "find . -fprintf out x",
        "find . -delete",
        "git log --output=x",
        "git grep -Oless x",
        "git ls-remote --upload-pa=./x .",
        "man --html=./x ls",
        "tree -o out",
        "uniq a b",
        "date -s 2020-01-01",
        "xxd -r a b",
    ],
)
def test_p14_a_reading_program_reads_only_with_options_that_are_known_to(line: str) -> None:
    assert rank(line) >= ASK
    assert rank("sort -u f") == ALLOW


@pytest.mark.parametrize("program", ["yarn", "npx", "pytest", "./gradlew", "bundle", "rails"])
def test_p15_asking_for_a_version_may_run_code_of_the_project(program: str) -> None:
    assert rank(f"{program} --version") == ASK
    assert rank("git --version") == ALLOW


@pytest.mark.parametrize(
    "program", ["curl", "wget", "dig", "nslookup", "host", "ping", "nc", "ssh", "scp", "gh pr view"]
)
def test_p16_no_program_that_uses_the_network_only_reads(program: str) -> None:
    assert rank(f"{program} example.com") == ASK
