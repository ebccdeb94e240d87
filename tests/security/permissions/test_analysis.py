"""What the analysis says of a line beside its level: parts, paths, directory, and why."""

from __future__ import annotations

import subprocess
import sys

import pytest

from roocode.security.permissions.analysis import LONGEST, Analysis, Part, analyse


def _analyse(line: str, **more: object) -> Analysis:
    return analyse(line, cwd="/home/dev/proj", home="/home/dev", **more)  # type: ignore[arg-type]


def _parts(line: str) -> list[tuple[str, tuple[str, ...]]]:
    return [(part.text, part.inside) for part in _analyse(line).parts]


def _part(line: str) -> Part:
    return _analyse(line).parts[0]


def test_every_command_of_a_line_is_a_part_with_what_is_around_it() -> None:
    assert _parts("git add -A && sudo env X=1 rm a.txt | cat") == [
        ("git add -A", ()),
        ("sudo env X=1 rm a.txt", ()),
        ("env X=1 rm a.txt", ("sudo",)),
        ("rm a.txt", ("sudo", "env")),
        ("cat", ()),
    ]


@pytest.mark.parametrize(
    ("line", "inside"),
    [
        ("bash -c 'rm a.txt'", "bash -c"),
        ("eval rm a.txt", "eval"),
        ("echo $(rm a.txt)", "$()"),
        ("echo `rm a.txt`", "$()"),
        ("cat <(rm a.txt)", "<()"),
        ("ls > >(rm a.txt)", ">()"),
        ("find . -exec rm a.txt \\;", "find -exec"),
        ("echo a.txt | xargs rm", "xargs"),
        ("git -c alias.z='!rm a.txt' z", "git alias"),
        ("bash <<< 'rm a.txt'", "bash <"),
        ("f() { rm a.txt; }", "f()"),
        ("time rm a.txt", ""),
        ("if true; then rm a.txt; fi", ""),
        ("for i in 1; do rm a.txt; done", ""),
        ("case x in x) rm a.txt;; esac", ""),
        ("while rm a.txt; do :; done", ""),
        ("(rm a.txt)", ""),
        ("{ rm a.txt; } &", ""),
        ("coproc X { rm a.txt; }", ""),
        ("cat <<X\n$(rm a.txt)\nX", "$()"),
    ],
)
def test_commands_are_found_wherever_they_stand(line: str, inside: str) -> None:
    """P8."""
    found = [part.inside for part in _analyse(line).parts if part.text == "rm a.txt"]

    assert found == [(inside,) if inside else ()]


def test_a_rule_sees_decoded_words_and_the_line_s_own_spelling_of_the_rest() -> None:
    assert _part("""r"m"  -r''f  "a b" $X""").words == ("rm", "-rf", "a b", "$X")
    assert _part("/bin/rm a").text == "rm a"
    assert _part("./rm a").text == "./rm a"


def test_a_deny_rule_also_sees_what_variables_and_paths_stand_for() -> None:
    assert "rm a.txt" in _analyse("X=rm; $X a.txt").parts[1].resolved
    assert _part("./git push").resolved == ("git push",)
    assert _part("git push").resolved == ()


@pytest.mark.parametrize(
    "line",
    [
        "git $ARGS", "X=1 git log", "git log > out", "./git log", "/tmp/git log", "sudo git log",
        "git log | tee x", "g* log", "timeout 5 git log", "$(cat x) log",
    ],
)  # fmt: skip
def test_no_allow_rule_covers_an_opaque_part(line: str) -> None:
    assert any(part.opaque or part.text.startswith("tee") for part in _analyse(line).parts)


@pytest.mark.parametrize(
    "line",
    [
        "ls $X", "ls ${HOME:-x}", "ls $(pwd)", "ls `pwd`", "echo $((1))", "$CMD", "l? a", "{ls,-l}",
        "cat <(ls)", "echo ${!x}", "echo ${x@P}", "ls $IFS$X", "cat <<X\n$Y\nX", "cat <<< $X", "ls < $X",
        "[[ $(id) ]]", "for x in $(ls); do ls; done", "case `id` in x) ls;; esac", "x=$(id)",
        "echo {a,b}$X",
    ],
)  # fmt: skip
def test_expansions_never_pass_silently(line: str) -> None:
    """P10."""
    assert _analyse(line).level in ("modify", "danger")


@pytest.mark.parametrize(
    "line", ["ls $HOME/proj", 'cat "$PWD/a"', "x=a; cat $x", "cat *.py", "echo $?", "ls ~/proj"]
)
def test_expansions_that_are_known_do(line: str) -> None:
    """P10."""
    assert _analyse(line).level == "safe"


@pytest.mark.parametrize("mark", [">", ">>", ">|", "&>", "&>>", "2>", "<>", ">&", "3>"])
def test_output_redirections_are_writes(mark: str) -> None:
    """P11."""
    assert _part(f"ls {mark} out").writes == ("/home/dev/proj/out",)
    assert _analyse(f"ls {mark} out").level == "modify"
    assert _analyse(f"ls {mark} /dev/null").level == "safe"


def test_assignments_are_looked_past_by_refusals_only() -> None:
    """P13."""
    assert _analyse("A=1 B=2 rm -rf /").level == "blocked"
    assert "rm x" in (_part("A=1 rm x").text, *_part("A=1 rm x").resolved)
    for line in ("A=1 ls", "export A=1; ls", "declare A=1; ls", "PAGER=1; ls", "A=$B; ls"):
        assert _analyse(line).level == "modify", line


@pytest.mark.parametrize(
    "line", ["curl x", "dig x", "nslookup x", "ping x", "git fetch", "gh pr list", "nc x 1", "ssh x"]
)
def test_no_program_that_reaches_a_network_is_silent(line: str) -> None:
    """P16."""
    assert _analyse(line).level == "danger"


def test_a_plain_part_is_not_opaque() -> None:
    for line in (
        "git log",
        "/usr/bin/git log",
        "git   log 2>&1",
        "git log >/dev/null",
        "npm test -- --watch",
    ):
        assert _part(line).opaque == "", line


@pytest.mark.parametrize(
    ("line", "reads", "writes"),
    [
        ("cat a b/c", ["/home/dev/proj/a", "/home/dev/proj/b/c"], []),
        ("cat ~/x $HOME/y", ["/home/dev/x", "/home/dev/y"], []),
        ("cd src && cat a", ["/home/dev/proj/src/a"], []),
        ("cp a b c", ["/home/dev/proj/a", "/home/dev/proj/b"], ["/home/dev/proj/c"]),
        ("mv a b", [], ["/home/dev/proj/a", "/home/dev/proj/b"]),
        ("rm -rf a", [], ["/home/dev/proj/a"]),
        ("tee -a a < b", ["/home/dev/proj/b"], ["/home/dev/proj/a"]),
        ("sed -i s/a/b/ x", ["/home/dev/proj/x"], ["/home/dev/proj/x"]),
        ("sed 'w out' x", ["/home/dev/proj/x"], ["/home/dev/proj/out"]),
        ("echo hi >> x 2> y", [], ["/home/dev/proj/x", "/home/dev/proj/y"]),
        ("grep -f p foo.txt", ["/home/dev/proj/foo.txt", "/home/dev/proj/p"], []),
        ("dd if=a of=b", ["/home/dev/proj/a"], ["/home/dev/proj/b"]),
        ("find src lib -name x", ["/home/dev/proj/src", "/home/dev/proj/lib"], []),
        ("git -C sub log", ["/home/dev/proj/sub"], []),
        ("curl -o out https://x.example", [], ["/home/dev/proj/out"]),
        ("tar -xf a.tar -C d", [], ["/home/dev/proj/a.tar", "/home/dev/proj/d"]),
    ],
)
def test_paths_of_operands(line: str, reads: list[str], writes: list[str]) -> None:
    part = _analyse(line).parts[-1]

    assert [path for path in part.reads if path != "/home/dev/proj"] == reads
    assert list(part.writes) == writes


def test_a_path_that_cannot_be_known_is_said_so() -> None:
    assert _part("cat $X").paths_unknown
    assert _analyse('cd "$X" && cat a').parts[-1].paths_unknown
    assert not _part("cat a").paths_unknown


def test_a_cd_that_may_have_failed_leaves_both_directories_open() -> None:
    """P6: only behind `&&` is the new directory sure."""
    assert _analyse("cd src && cat ../a").level == "safe"
    assert _analyse("cd src; cat ../a").level == "modify"
    assert _analyse("cd src; cat a").level == "safe"


def test_where_a_line_leads() -> None:
    assert _analyse("cd src && ls").final_cwd == "/home/dev/proj/src"
    assert _analyse("(cd src)").final_cwd == "/home/dev/proj"
    assert _analyse("cd $X").final_cwd is None
    assert _analyse("cd /tmp; pushd /var; popd").final_cwd == "/tmp"


def test_urls_are_told() -> None:
    assert _part("curl -s https://a.example/x http://b.example").urls == (
        "https://a.example/x",
        "http://b.example",
    )


def test_roots_are_where_reading_asks_for_nothing() -> None:
    assert _analyse("cat /srv/data/a").level == "modify"
    assert _analyse("cat /srv/data/a", roots=("/home/dev/proj", "/srv/data")).level == "safe"
    assert _analyse("cat /srv/database", roots=("/srv/data",)).level == "modify"


def test_protected_branches_are_those_that_are_named() -> None:
    assert _analyse("git push -f origin trunk").level == "danger"
    assert _analyse("git push -f origin trunk", protected_branches=("trunk",)).level == "blocked"


def test_what_cannot_be_parsed_asks_and_says_why() -> None:
    """P12."""
    for line in ('echo "x', "ls &&", "(ls", "ls )", "if ls", "cat <<X\na"):
        answer = _analyse(line)
        assert (answer.parsed, answer.level) == (False, "danger"), line
        assert answer.opaque == answer.reason != ""


def test_dangerous_commands_count_in_a_line_that_cannot_be_parsed() -> None:
    for line in ("ls &&\nrm -rf /\n(", "rm -rf / ; )", "foo( ; rm -rf /", "rm -rf /\necho 'x"):
        assert _analyse(line).level == "blocked", line


def test_a_line_that_is_longer_than_bash_takes_is_refused() -> None:
    assert _analyse("echo " + "a" * LONGEST).level == "blocked"
    assert _analyse("echo " + "a" * (LONGEST - 5)).level == "safe"


def test_a_nul_never_hides_a_command() -> None:
    assert _analyse("rm\0 -rf /").level == "blocked"
    assert _analyse("ls\0").level == "danger"


def test_the_grammar_is_loaded_only_when_a_line_is_judged() -> None:
    program = (
        "import sys; from roocode.security.permissions.analysis import analyse; "
        "assert 'tree_sitter' not in sys.modules; analyse('ls', cwd='/', home='/h'); "
        "assert 'tree_sitter' in sys.modules"
    )

    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
