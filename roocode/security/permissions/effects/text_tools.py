"""Programs that read text and write it changed on their output."""

from __future__ import annotations

from collections.abc import Mapping

from roocode.security.permissions.effects.spec import Parts, Spec, reader
from roocode.security.permissions.shell.calls import Call

_SUMS = reader(
    "-b -c -t -w -z --binary --check --text --tag --quiet --status --strict --warn --zero --ignore-missing",
    "-a --algorithm -l --length",
    loose=True,
)
_UNPACKING = reader(
    "-q -v -f -c -d -k --stdout --to-stdout --quiet --verbose --force --decompress --keep", loose=True
)
_GREP = reader(
    "-a -b -c -E -F -G -H -h -I -i -L -l -n -o -P -q -R -r -s -T -U -u -v -w -x -y -Z -z -V --text --count "
    "--extended-regexp --fixed-strings --basic-regexp --perl-regexp --with-filename --no-filename "
    "--ignore-case --no-ignore-case --files-with-matches --files-without-match --line-number "
    "--only-matching --quiet --silent --recursive --dereference-recursive --no-messages --invert-match "
    "--word-regexp --line-regexp --null --null-data --byte-offset --initial-tab --line-buffered --color "
    "--colour --color= --colour= --binary --unix-byte-offsets --version --help",
    "-A -B -C -D -d -e -m --after-context --before-context --context --regexp --max-count --binary-files "
    "--devices --directories --include --exclude --exclude-dir --include-dir --label --group-separator",
    "-f --file --exclude-from",
    leading=("text",),
    lifts_leading=frozenset({"-e", "--regexp", "-f", "--file", "--version", "--help", "-V"}),
    numbers=True,
    loose=True,
)


def _to_output(call: Call, parts: Parts) -> str:
    shown = parts.has("-c", "--stdout", "--to-stdout", "-l", "--list", "-t", "--test")
    return "" if shown or not parts.operands else f"{call.name}: replaces the file"


TEXT_TOOLS: Mapping[str, Spec] = {
    "cat": reader(
        "-A -b -e -E -n -s -t -T -u -v --show-all --number-nonblank --show-ends --number --squeeze-blank "
        "--show-tabs --show-nonprinting",
        loose=True,
    ),
    "tac": reader("-b -r --before --regex", "-s --separator", loose=True),
    "head": reader(
        "-q -v -z --quiet --silent --verbose --zero-terminated",
        "-c -n --bytes --lines",
        numbers=True,
        loose=True,
    ),
    "tail": reader(
        "-f -F -q -v -r -z --follow --follow= --retry --quiet --silent --verbose --zero-terminated",
        "-c -n -s -b --bytes --lines --sleep-interval --pid --max-unchanged-stats",
        numbers=True,
        loose=True,
    ),
    "wc": reader(
        "-c -l -L -m -w --bytes --chars --lines --max-line-length --words --total=",
        loose=True,
    ),
    "nl": reader(
        "-p --no-renumber",
        "-b -d -f -h -i -l -n -s -v -w --body-numbering --number-format --number-width --number-separator "
        "--starting-line-number --line-increment",
        loose=True,
    ),
    "sort": reader(
        "-b -c -C -d -f -g -h -i -M -m -n -R -r -s -u -V -z --ignore-leading-blanks --dictionary-order "
        "--ignore-case --general-numeric-sort --human-numeric-sort --ignore-nonprinting --month-sort "
        "--numeric-sort --random-sort --reverse --stable --unique --version-sort --zero-terminated --check "
        "--check= --merge --debug --sort=",
        "-k -t -S --key --field-separator --buffer-size --parallel --batch-size --sort",
        "--random-source",
    ),
    "uniq": reader(
        "-c -d -D -i -u -z --count --repeated --all-repeated --all-repeated= --ignore-case --unique "
        "--group --group=",
        "-f -s -w --skip-fields --skip-chars --check-chars",
        most=1,
    ),
    "cut": reader(
        "-n -s -z --complement --only-delimited --zero-terminated",
        "-b -c -d -f --bytes --characters --delimiter --fields --output-delimiter",
        loose=True,
    ),
    "tr": reader(
        "-c -C -d -s -t --complement --delete --squeeze-repeats --truncate-set1", operands="text", loose=True
    ),
    "paste": reader("-s -z --serial --zero-terminated", "-d --delimiters", loose=True),
    "join": reader(
        "-i --ignore-case --check-order --nocheck-order --header -z",
        "-a -e -j -o -t -v -1 -2",
        loose=True,
    ),
    "comm": reader(
        "-1 -2 -3 -i -z --check-order --nocheck-order --total --zero-terminated",
        "--output-delimiter",
        loose=True,
    ),
    "column": reader(
        "-t -n -x -e -J -L --table --fillrows --json --keep-empty-lines",
        "-s -c -o -N -R -H -T -O -W -E -l --separator --output-width --output-separator --table-columns "
        "--table-right",
        loose=True,
    ),
    "fold": reader("-b -s --bytes --spaces", "-w --width", loose=True),
    "fmt": reader(
        "-c -s -t -u --split-only --uniform-spacing", "-w -p -g --width --prefix", numbers=True, loose=True
    ),
    "expand": reader("-i --initial", "-t --tabs", loose=True),
    "unexpand": reader("-a --all --first-only", "-t --tabs", loose=True),
    "rev": reader("-0", loose=True),
    "tsort": reader(),
    "pr": reader("-a -d -f -F -J -m -r -t -T -v", "-D -h -l -o -w -W -N", numbers=True),
    "shuf": reader("-e -r -z --echo --repeat --zero-terminated", "-n -i --head-count --input-range"),
    "seq": reader(
        "-w --equal-width", "-s -f -t --separator --format", operands="text", numbers=True, loose=True
    ),
    "jot": reader("-r -n -c", "-w -b -s -p", operands="text", numbers=True),
    "od": reader(
        "-a -b -c -d -f -h -i -l -o -s -v -x -B -D -F -H -I -L -O -X --traditional --output-duplicates",
        "-A -j -N -t -w -S --address-radix --skip-bytes --read-bytes --format --width --strings --endian",
        loose=True,
    ),
    "xxd": reader(
        "-a -b -e -E -i -p -ps -plain -postscript -r -u -C -capitalize -autoskip -bits -include -revert "
        "-uppercase",
        "-c -cols -g -groupsize -l -len -n -name -o -s -seek",
        most=1,
        single=True,
    ),
    "hexdump": reader("-b -c -C -d -o -v -x", "-e -n -s --length --skip", "-f", loose=True),
    "hd": reader("-v", "-n -s", loose=True),
    "strings": reader(
        "-a -f -w -o --all --print-file-name", "-n -t -e -s --bytes --radix --encoding", numbers=True
    ),
    "file": reader(
        "-b -h -i -I -k -L -N -n -p -r -0 --brief --mime --mime-type --mime-encoding --dereference "
        "--no-dereference --keep-going --no-pad --raw --print0",
        "-F -e -P --separator --exclude",
        loose=True,
    ),
    "base64": reader("-d -D -i --decode --ignore-garbage", "-w -b --wrap --break", most=1),
    "base32": reader("-d -i --decode --ignore-garbage", "-w --wrap", most=1),
    "iconv": reader("-c -l -s --list --silent", "-f -t --from-code --to-code", loose=False),
    "dos2unix": reader("-i --info", loose=False, most=0),
    **dict.fromkeys(
        ["md5sum", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum", "b2sum", "shasum", "cksum"],
        _SUMS,
    ),
    "sum": reader("-r -s --sysv", loose=True),
    "md5": reader("-p -q -r -t -x -n", "-s -c", loose=True),
    "diff": reader(
        "-a -b -B -c -d -e -E -i -n -N -p -q -r -s -t -T -u -w -y -Z --brief --report-identical-files "
        "--context --context= --unified --unified= --ed --rcs --side-by-side --show-c-function "
        "--expand-tabs --initial-tab --suppress-common-lines --recursive --no-dereference --new-file "
        "--unidirectional-new-file --ignore-case --ignore-tab-expansion --ignore-trailing-space "
        "--ignore-space-change --ignore-all-space --ignore-blank-lines --text --strip-trailing-cr "
        "--minimal --speed-large-files --color --color= --normal --left-column",
        "-C -I -L -U -W -x -F --label --width --exclude --ignore-matching-lines --show-function-line "
        "--tabsize --horizon-lines",
        "-X -S --exclude-from",
        numbers=True,
    ),
    "cmp": reader(
        "-b -l -s -v --print-bytes --verbose --quiet --silent",
        "-i -n --ignore-initial --bytes",
        leading=("read", "read"),
        operands="text",
        loose=True,
    ),
    "diffstat": reader("-c -C -k -l -r -s -t -u -v", "-n -p -w", numbers=True),
    "zcat": _UNPACKING,
    "gzcat": _UNPACKING,
    "bzcat": _UNPACKING,
    "xzcat": _UNPACKING,
    "zstdcat": _UNPACKING,
    "lz4cat": _UNPACKING,
    "gunzip": reader("-c -d -f -q -v -l -t --stdout --to-stdout --list --test", further=_to_output),
    "gzip": reader(
        "-c -d -f -q -v -l -t --stdout --to-stdout --list --test --decompress", further=_to_output
    ),
    "xz": reader("-c -d -f -q -v -l -t --stdout --list --test --decompress --robot", further=_to_output),
    "grep": _GREP,
    "egrep": _GREP,
    "fgrep": _GREP,
    "zgrep": _GREP,
    "look": reader("-d -f -t -a", leading=("text",)),
    "nm": reader(
        "-a -A -C -D -g -l -n -o -p -r -S -s -u -V --demangle --dynamic --extern-only --undefined-only",
        loose=True,
    ),
    "size": reader("-A -B -t -x -d -o"),
    "objdump": reader(
        "-a -d -D -f -h -p -r -R -s -S -t -T -x -C -w --disassemble --syms", "-M -j -b -m --section"
    ),
    "readelf": reader(
        "-a -d -h -l -n -r -s -S -u -V -W -e -t -A -I --wide --all --headers --syms --dynamic", "-x -p"
    ),
    "otool": reader("-a -D -f -h -l -L -t -v -V", single=True),
}
