"""Which syntax errors an edit brings in."""

from __future__ import annotations

import json
import sysconfig
from pathlib import Path

import pytest

from roocode.tools.syntax.languages import PYTHON
from roocode.tools.syntax.news import LARGEST, Region, brought_in, changed, sentence
from roocode.tools.syntax.trees import tree_faults

GOOD = {
    "a.py": "def f(a):\n    if a:\n        return [1, 2]\n    return a\n",
    "a.js": "function f(a) {\n  return [1, `x${a}`];\n}\nexport default f;\n",
    "a.jsx": "const A = () => {\n  return <div>{[1, 2]}</div>;\n};\n",
    "a.ts": "interface A {\n  b: string;\n}\nconst x: A = { b: f<number>(1) };\n",
    "a.tsx": "const A = (p: Props) => {\n  return <B<string> a={p}>{f(1)}</B>;\n};\n",
    "a.go": "package a\n\nfunc f(a int) []int {\n\treturn []int{a, g(1)}\n}\n",
    "a.rs": "fn f(a: &str) -> Vec<i32> {\n    vec![1, g(a)?]\n}\n",
    "A.java": "class A {\n  int f(int a) {\n    return g(a);\n  }\n}\n",
    "a.c": "#define X(a) a\nX(int b)\nint f(void) {\n  return g(1);\n}\n",
    "a.h": "FOO_BEGIN\nnamespace a { class B { int f() const { return g(1); } }; }\nFOO_END\n",
    "a.cpp": "template <class T> int f(T a) {\n  return g<T>(a);\n}\n",
    "a.cs": "class A {\n  int F(int a) {\n    return G(a);\n  }\n}\n",
    "a.rb": "def f(a)\n  [1, 2].map { |x| g(x) }\nend\n",
    "a.php": "<?php\nfunction f($a) {\n  return g([1, $a]);\n}\n",
    "a.sh": 'f() {\n  if [[ $1 == a ]]; then\n    echo "$(g 1)"\n  fi\n}\n',
    "a.html": "<!DOCTYPE html>\n<div><p>1 > 0 & 2 < 3<br>\n<ul><li>a<li>b</ul></div>\n",
    "a.css": "a:hover {\n  color: red ! important;\n  width: calc(1px + 2em);\n}\n",
    "a.json": '{\n  "a": [1, {"b": null}]\n}\n',
    "a.ipynb": '{\n "cells": [{"source": ["a\\n"]}],\n "nbformat": 4\n}\n',
    "a.yaml": "a:\n  - !Ref b\n  - {c: [1, 2]}\n",
    "a.toml": '[a]\nb = ["c", 1]\n',
}
BAD = [
    ("a.py", "f(a):", "f(a:"),
    ("a.py", "        return [1, 2]\n", ""),
    ("a.py", "    return a\n", "      return a\n"),
    ("a.py", "[1, 2]", "[1, 2"),
    ("a.py", "if a:", "if a = :"),
    ("a.js", "}\nexport", "export"),
    ("a.js", "`x${a}`", "`x${a`"),
    ("a.jsx", "</div>", ""),
    ("a.jsx", "{[1, 2]}", "{[1, 2}"),
    ("a.ts", "  b: string;\n", "  b: string;\n  c:;\n"),
    ("a.tsx", "</B>", ""),
    ("a.go", "{a, g(1)}", "{a, g(1}"),
    ("a.go", "return ", "retrun "),
    ("a.rs", "g(a)?]", "g(a)?"),
    ("A.java", "g(a);", "g(a)"),
    ("a.c", "g(1);\n}", "g(1);"),
    ("a.h", "g(1); } }; }", "g(1); } };"),
    ("a.cpp", "(a);", "(a;"),
    ("a.cs", "G(a);\n  }", "G(a);\n"),
    ("a.rb", "\nend", "\n"),
    ("a.php", "[1, $a]", "[1, $a"),
    ("a.sh", "  fi\n", ""),
    ("a.sh", '1)"', '1)'),
    ("a.html", "</ul></div>", "</ul>"),
    ("a.html", "<div>", "<dvi>"),
    ("a.css", "2em);\n}", "2em);\n"),
    ("a.json", "null}]", "null},]"),
    ("a.ipynb", '"a\\n"]', '"a\n"]'),
    ("a.yaml", "[1, 2]}", "[1, 2}"),
    ("a.yaml", "  - {", "\t- {"),
    ("a.toml", '"c", 1]', '"c", 1'),
]  # fmt: skip


@pytest.mark.parametrize("path", GOOD)
def test_what_is_right_is_not_mentioned(path: str) -> None:
    assert brought_in(path, None, GOOD[path]) is None
    assert brought_in(path, GOOD[path], GOOD[path].replace("\n", "\r\n")) is None


@pytest.mark.parametrize(("path", "old", "new"), BAD)
def test_new_errors_are_found_near_the_edit_and_old_ones_are_not(path: str, old: str, new: str) -> None:
    good = GOOD[path]
    assert good.count(old) == 1
    bad = good.replace(old, new)
    found = brought_in(path, good, bad)
    assert found is not None
    assert 1 <= found.line <= bad.count("\n") + 1
    assert brought_in(path, None, bad) is not None
    assert brought_in(path, bad, good) is None
    assert brought_in(path, bad, bad + "\n") is None


def test_a_second_error_beside_an_old_one_is_new() -> None:
    before = "def f(:\n    pass\n\n\n\ndef g():\n    return [1]\n"
    found = brought_in("a.py", before, before.replace("[1]", "[1"))
    assert found is not None
    assert found.line >= 6
    moved = "# one more line\n" + before
    assert brought_in("a.py", before, moved) is None


def test_what_python_takes_is_no_error_whatever_the_grammar_says() -> None:
    """From the standard library's test_compile.py, which the grammar cannot read."""
    text = (
        "class A(B):\n        class M:\n                return list('xyz')\n        try:\n            f(g)\n"
        "        except NameError:\n            (bar.\n        baz(\n        ))\n        for source in [\n"
        '        ]:\n                self.a(types.CodeType)\n        snippet = """\n            """\n'
    )
    assert tree_faults(text, PYTHON)
    assert brought_in("a.py", None, text) is None


def test_words_for_the_model() -> None:
    text = "int f() {\n  return (1;\n}\n"
    found = brought_in("A.java", None, "class A {\n" + text + "}\n")
    assert found is not None
    assert sentence(found, "class A {\n" + text + "}\n") == "line 3: `)` is missing: return (1;"
    found = brought_in("a.py", None, "if a:\nb\n")
    assert found is not None
    assert sentence(found, "if a:\nb\n") == (
        "line 2: expected an indented block after 'if' statement on line 1: b"
    )


def test_comments_in_json_where_they_are_taken() -> None:
    commented = '{\n  // why\n  "a": "//x", /* b */\n  "c": [1, 2,],\n}\n'
    assert brought_in("tsconfig.json", None, commented) is None
    assert brought_in(".vscode/settings.json", None, commented) is None
    assert brought_in("a.jsonc", None, commented) is None
    assert brought_in("package.json", None, commented) is not None
    assert brought_in("package.json", commented, commented.replace("why", "what")) is None
    assert brought_in("package.json", commented, commented.replace("2,]", "2,")) is not None
    assert brought_in("tsconfig.json", None, '{"a": 1 // b\n "c": 2}') is not None


def test_conflict_markers() -> None:
    marked = "a = 1\n<<<<<<< HEAD\nb = 2\n=======\nb = (3\n>>>>>>> theirs\n"
    found = brought_in("a.py", "a = 1\nb = 2\n", marked)
    assert found is not None
    assert (found.line, found.says) == (2, "a conflict marker")
    assert brought_in("a.py", marked, marked.replace("a = 1", "a = (1")) is None


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("chart.yaml", "a: {{ .Values.b }}\n{{- if .c }}\nd: 1\n{{- end }}\n"),
        ("page.html", "{% if a %}<div>{% else %}<div class=b>{% endif %}</div>"),
        ("x.json", '{"name": {{ cookiecutter.name }}}'),
        ("style.css", "a { color: {{ color }; }"),
        ("notes.md", "def f(:"),
        ("x.j2", "{% if"),
        ("noname", "((("),
        ("zsh.sh", "#!/bin/zsh\nf() { ((("),
    ],
)
def test_templates_and_other_languages_are_left_alone(path: str, text: str) -> None:
    assert brought_in(path, None, text) is None


@pytest.mark.parametrize(
    ("path", "line"),
    [("tool", "#!/usr/bin/env python3"), ("run", "#!/bin/bash"), ("x", "#!/usr/bin/env -S node --a")],
)
def test_the_first_line_tells_the_language(path: str, line: str) -> None:
    assert brought_in(path, None, f"{line}\nx = (\n") is not None


def test_branches_of_a_preprocessor_open_brackets_twice() -> None:
    before = "int f() {\n  return 1;\n}\n"
    after = "#ifdef A\nint f() {\n#else\nint f(int a) {\n#endif\n  return 1;\n}\n"
    assert brought_in("a.c", before, after) is None
    assert brought_in("a.c", before, before + "int g() {\n") is not None


def test_large_and_hostile_texts_are_not_checked_for_long() -> None:
    assert brought_in("a.py", None, "(" * (LARGEST + 1)) is None
    for hostile in (
        '"' * 100_001,
        "<a" * 50_000,
        "<a '" * 50_000,
        "<!--" * 50_000,
        "(" * 100_000,
        "[" * 50_000,
    ):
        for path in ("a.js", "a.py", "a.json", "a.toml", "a.html"):
            brought_in(path, "", hostile)


def test_texts_that_are_no_unicode() -> None:
    assert brought_in("a.py", "x = 1\n", "x = '\udce9'\n") is None
    assert brought_in("a.py", "x = 1\n", "x = ('\udce9'\n") is not None


def test_the_changed_lines() -> None:
    assert changed("a\nb\nc", "a\nx\ny\nc") == Region(2, 3, 4)
    assert changed(None, "a\nb") == Region(1, 1, 3)
    assert changed("a", "a") == Region(2, 2, 2)
    region = Region(2, 3, 4)
    assert [region.moved(line) for line in (1, 2, 3)] == [1, None, 4]


def test_real_files_are_right_and_harmless_edits_stay_silent() -> None:
    library = Path(sysconfig.get_path("stdlib"))
    files = sorted(library.glob("*.py"))[::4] + sorted(library.glob("asyncio/*.py"))[::3]
    assert len(files) > 30
    for path in files:
        text = path.read_text(encoding="utf-8", errors="surrogateescape")
        assert brought_in(str(path), None, text) is None, path
        lines = text.split("\n")
        for at in range(0, len(lines), max(1, len(lines) // 3)):
            without = "\n".join([*lines[:at], *lines[at + 1 :]])
            assert brought_in(str(path), without, text) is None, (path, at)


def test_of_real_edits_the_one_that_broke_its_file_is_told(corpus: Path) -> None:
    """A rename everywhere made `func Testsessionid.EntireSessionID(` of a Go test's name."""
    told = {}
    for path in sorted(corpus.glob("claude-edit/*/case.json")):
        name = json.loads(path.read_text())["file_path"]
        before, after = ((path.parent / f"{which}.txt").read_bytes().decode() for which in ("pre", "post"))
        if (found := brought_in(name, before, after)) is not None:
            told[path.parent.name] = sentence(found, after)
    assert told == {"W9kdMKaYxc": "line 166: func Testsessionid.EntireSessionID(t *testing.T) {"}


def test_real_commits_of_text_files_are_silent(corpus: Path) -> None:
    done = 0
    for after in sorted(corpus.glob("git-text-commits/*/post/**/*")):
        before = Path(str(after).replace("/post/", "/pre/", 1))
        if after.is_file() and before.is_file():
            texts = [each.read_bytes().decode("utf-8", "surrogateescape") for each in (before, after)]
            assert brought_in(str(after), *texts) is None, after
            done += 1
    assert done > 30
