"""Programs that list and find files, or tell something of them."""

from __future__ import annotations

from collections.abc import Mapping

from roocode.security.permissions.effects.spec import Effect, Spec, reader
from roocode.security.permissions.shell.calls import Call
from roocode.security.permissions.shell.patterns import matches
from roocode.security.permissions.shell.programs import names
from roocode.security.permissions.shell.repeated import search
from roocode.security.permissions.shell.values import Field

_FILE_TESTS = names("-a -b -c -d -e -f -g -G -h -k -L -N -O -p -r -s -S -u -w -x -nt -ot -ef")
_FIND_FLAGS = names(
    "-print -print0 -prune -empty -depth -d -xdev -mount -follow -executable -readable -writable -true "
    "-false -not ! -o -or -a -and ( ) , -daystart -noleaf -nouser -nogroup -quit -ls -ignore_readdir_race "
    "-noignore_readdir_race -warn -nowarn -H -L -P -E -X -x -s"
)
_FIND_VALUES = names(
    "-name -iname -path -ipath -wholename -iwholename -regex -iregex -type -xtype -size -mtime -mmin "
    "-atime -amin -ctime -cmin -user -group -uid -gid -perm -maxdepth -mindepth -links -inum -lname "
    "-ilname -fstype -used -regextype -printf -context -newermt -newerat -newerct"
)
_FIND_ACTIONS = names("-exec -execdir -ok -okdir -delete -fprint -fprint0 -fprintf -fls -files0-from")
_FIND_READS = names("-newer -anewer -cnewer -samefile")


def find_effect(call: Call) -> Effect:
    """Reads a `find` by its grammar: tests with their arguments, so that `-name -delete` is a name."""
    found = search(call.arguments)
    reads = list(found.starts)
    at = 0
    unproven = ""
    while at < len(found.expression):
        field = found.expression[at]
        text = field.text
        at += 1
        if text in _FIND_VALUES or text in _FIND_READS:
            value = found.expression[at : at + 1]
            reads.extend(value if text in _FIND_READS else ())
            if not value or not value[0].known or _may_be_action(value[0]):
                unproven = unproven or f"find: the value of {text} may turn out as an action"
            at += 1
        elif text not in _FIND_FLAGS or not field.known:
            unproven = unproven or f"find: {field.spelling or text} is not known only to look"
    if any(start.text.startswith("\0") or _may_be_action(start) for start in found.starts):
        unproven = unproven or "find: an argument may turn out as an action"
    writes: list[Field] = list(found.starts) if any(f.text == "-delete" for f in found.expression) else []
    for place, field in enumerate(found.expression[:-1]):
        if field.text in ("-fprint", "-fprint0", "-fls", "-fprintf"):
            writes.append(found.expression[place + 1])
    return Effect(unproven, tuple(reads), tuple(writes))


def _may_be_action(field: Field) -> bool:
    return field.live and any(matches(action, field.text) for action in _FIND_ACTIONS)


def test_effect(call: Call) -> Effect:
    """`test` and `[`: what file operators look at is read; `-v` would evaluate a subscript."""
    words = list(call.arguments)
    if call.name == "[" and words and words[-1].text == "]":
        words.pop()
    texts = [word.text for word in words]
    reads = [word for before, word in zip(["", *texts], words, strict=False) if before in _FILE_TESTS]
    reads += [word for word, after in zip(words, texts[1:], strict=False) if after in ("-nt", "-ot", "-ef")]
    evaluates = any(text in ("-v", "-R") for text in texts)
    return Effect("test: evaluates a name" if evaluates else "", tuple(reads))


_LS = reader(
    "-a -A -b -B -c -C -d -D -e -f -F -g -G -h -H -i -k -l -L -m -n -N -o -O -p -P -q -Q -r -R -s -S -t -T "
    "-u -U -v -W -x -X -y -Z -1 -% -@ --all --almost-all --author --escape --ignore-backups --color "
    "--color= --directory --dired --classify --classify= --file-type --full-time --group-directories-first "
    "--no-group --human-readable --si --dereference-command-line --dereference --inode --kibibytes "
    "--numeric-uid-gid --literal --indicator-style= --hide-control-chars --show-control-chars --quote-name "
    "--quoting-style= --reverse --recursive --size --context --zero --sort= --time= --time-style= "
    "--format= --hyperlink --hyperlink= --help --version",
    "-I -w --hide --ignore --block-size --tabsize --width --time-style --sort --time --format",
    here=True,
    loose=True,
)

_FD = reader(
    "-a -F -g -H -i -I -L -p -q -s -u -0 -1 --hidden --no-ignore --no-ignore-vcs --glob --fixed-strings "
    "--ignore-case --case-sensitive --absolute-path --follow --full-path --print0 --quiet --unrestricted "
    "--color= --strip-cwd-prefix --relative-path --one-file-system",
    "-c -d -e -E -j -S -t --max-depth --min-depth --exact-depth --extension --exclude --type --size "
    "--color --max-results --threads --changed-within --changed-before --owner --and",
    "--base-directory --search-path",
    leading=("text",),
    here=True,
)

FILE_TOOLS: Mapping[str, Spec] = {
    "ls": _LS,
    "dir": _LS,
    "vdir": _LS,
    "gls": _LS,
    "stat": reader(
        "-f -F -L -l -n -q -r -s -x -t --dereference --file-system --terse --cached=",
        "-c --format --printf",
        loose=True,
    ),
    "tree": reader(
        "-a -A -c -C -d -D -f -F -g -h -i -J -l -n -N -p -q -Q -r -s -S -t -u -v -x -X --dirsfirst "
        "--filesfirst --prune --noreport --gitignore --du --si --inodes --device --metafirst --matchdirs "
        "--ignore-case --full-time",
        "-I -L -P --filelimit --charset --timefmt --sort --infofile",
        here=True,
    ),
    "du": reader(
        "-a -A -b -c -D -g -h -H -k -l -L -m -P -s -S -x -0 --all --apparent-size --bytes --total "
        "--human-readable --si --summarize --one-file-system --separate-dirs --count-links --inodes --time "
        "--time=",
        "-B -d -I -t --max-depth --block-size --exclude --threshold --time-style",
        "-X --exclude-from",
        here=True,
        numbers=True,
        loose=True,
    ),
    "df": reader(
        "-a -g -h -H -i -I -k -l -m -n -P -T -Y --all --human-readable --si --inodes --local --portability "
        "--print-type --total",
        "-B -t -x --type --exclude-type --block-size --output",
        operands="text",
        loose=True,
    ),
    "fd": _FD,
    "fdfind": _FD,
    "rg": reader(
        "-a -b -c -F -H -I -i -l -L -n -N -o -p -P -q -s -S -u -U -v -w -x -0 -. --text --byte-offset "
        "--count --count-matches --fixed-strings --with-filename --no-filename --ignore-case "
        "--case-sensitive --smart-case --files-with-matches --files-without-match --follow --line-number "
        "--no-line-number --only-matching --pretty --pcre2 --quiet --unrestricted --multiline "
        "--multiline-dotall --invert-match --word-regexp --line-regexp --null --hidden --no-hidden "
        "--no-ignore --no-ignore-vcs --no-ignore-parent --no-ignore-dot --no-ignore-global --no-config "
        "--no-heading --heading --column --no-column --files --type-list --trim --json --stats --passthru "
        "--vimgrep --no-messages --sort= --sortr= --color= --colors= --max-columns-preview "
        "--one-file-system --binary --no-binary --crlf --debug --trace --version --help -V -h "
        "--glob-case-insensitive --block-buffered --line-buffered --include-zero --no-unicode --no-mmap "
        "--mmap --auto-hybrid-regex --no-require-git --no-pcre2-unicode --null-data --no-stats "
        "--no-context-separator",
        "-A -B -C -d -e -E -g -j -m -M -r -t -T --after-context --before-context --context --regexp "
        "--encoding --glob --iglob --threads --max-count --max-columns --max-depth --max-filesize "
        "--replace --type --type-not --type-add --type-clear --sort --sortr --color --colors "
        "--context-separator --field-match-separator --field-context-separator --path-separator "
        "--dfa-size-limit --regex-size-limit --engine",
        "-f --file --ignore-file",
        leading=("text",),
        lifts_leading=frozenset({"-e", "--regexp", "-f", "--file", "--files", "--type-list", "--version"}),
        here=True,
    ),
    "ag": reader(
        "-a -c -f -F -H -i -l -L -n -o -Q -r -R -s -S -t -u -U -v -w -z --hidden --nocolor --nogroup "
        "--noheading --numbers --nonumbers --literal --count --files-with-matches --ignore-case "
        "--word-regexp --column --silent",
        "-A -B -C -G -m --depth --ignore --ignore-dir --after --before --context --file-search-regex",
        leading=("text",),
        here=True,
    ),
    "getfacl": reader("-a -c -d -e -E -n -p -R -s -t", loose=True),
    "lsattr": reader("-a -d -l -p -R -v -V", here=True, loose=True),
    "namei": reader("-l -m -n -o -v -x", loose=True),
    "zipinfo": reader("-1 -2 -s -m -l -v -h -t -z", operands="text", leading=("read",)),
}
