"""Programs that change files: never proven, but their operands are known, so that paths can be judged."""

from __future__ import annotations

from collections.abc import Mapping

from roocode.security.permissions.effects.spec import Spec, changer

_COPY_TEXT = "-S --suffix -Z --context --sparse --reflink --backup --preserve --no-preserve"
_DELETES = changer("deletes files", operands="write")
_DOWNLOADS = changer(
    "uses the network",
    "-H -X -d -A -e -b -u -m -x -F -w -Y -y -r -z -C --data --data-raw --data-binary --header --request "
    "--user --user-agent --referer --max-time --connect-timeout --retry --proxy --form --write-out "
    "--cookie --url",
    "-T -K -E --upload-file --config --cert --key --cacert",
    "-o -c -D --output --cookie-jar --dump-header --output-dir",
    operands="url",
)
_RUNS = changer("runs code", leading=("read",), operands="text")

CHANGING_TOOLS: Mapping[str, Spec] = {
    **dict.fromkeys(["rm", "rmdir", "unlink", "srm", "trash", "trash-put", "rimraf", "del"], _DELETES),
    "shred": changer("deletes files", "-n -s --iterations --size", "--random-source", operands="write"),
    "cp": changer("copies files", _COPY_TEXT, "", "-t --target-directory", last="write"),
    "mv": changer("moves files", _COPY_TEXT, "", "-t --target-directory", operands="write"),
    "ln": changer("makes links", _COPY_TEXT, "", "-t --target-directory", last="write"),
    "link": changer("makes links", last="write"),
    "install": changer(
        "copies files", "-m -o -g -S --mode --owner --group", "", "-t --target-directory", last="write"
    ),
    "rsync": changer(
        "copies files",
        "-e -f --rsh --exclude --include --filter --chmod --bwlimit --timeout --port --max-size --min-size "
        "--info",
        "--exclude-from --include-from --files-from",
        "--log-file --backup-dir",
        last="write",
    ),
    "mkdir": changer("makes directories", "-m -Z --mode", operands="write"),
    "touch": changer("makes files", "-d -t -A --date --time", "-r --reference", operands="write"),
    "mkfifo": changer("makes files", "-m", operands="write"),
    "mknod": changer("makes files", "-m", leading=("write",), operands="text"),
    "mktemp": changer("makes files", "-p --suffix --tmpdir", operands="text"),
    "truncate": changer("changes files", "-s -o --size", "-r --reference", operands="write"),
    "fallocate": changer("changes files", "-l -o --length --offset", operands="write"),
    "tee": changer("writes files", operands="write"),
    "sponge": changer("writes files", operands="write"),
    "chmod": changer(
        "changes permissions",
        "",
        "--reference",
        leading=("text",),
        operands="write",
        lifts_leading=frozenset({"--reference"}),
    ),
    "chown": changer(
        "changes owners",
        "--from",
        "--reference",
        leading=("text",),
        operands="write",
        lifts_leading=frozenset({"--reference"}),
    ),
    "chgrp": changer("changes groups", "", "--reference", leading=("text",), operands="write"),
    "chattr": changer("changes attributes", "-v -p", leading=("text",), operands="write"),
    "chflags": changer("changes attributes", leading=("text",), operands="write"),
    "setfacl": changer("changes permissions", "-m -x -M -X --modify --remove", operands="write"),
    "xattr": changer("changes attributes", operands="write"),
    "patch": changer(
        "changes files", "-p -F -B -z -d -D --strip", "-i --input", "-o -r --output", operands="write"
    ),
    "split": changer(
        "writes files", "-a -b -l -n -C -d --additional-suffix", leading=("read",), operands="write"
    ),
    "csplit": changer("writes files", "-b -f -n", leading=("read",), operands="text"),
    "uniq": changer("writes files", "-f -s -w", leading=("read",), operands="write"),
    "xxd": changer("writes files", "-c -g -l -o -s", leading=("read",), operands="write", single=True),
    "sort": changer("writes files", "-k -t -S -T", "", "-o --output"),
    "shuf": changer("writes files", "-n -i", "", "-o --output"),
    "tree": changer("writes files", "-I -L -P", "", "-o"),
    "tar": changer(
        "unpacks or packs files", "--exclude --strip-components", "-T -X", "-f -C --file --directory"
    ),
    "zip": changer("packs files", "-x -i -P", leading=("write",)),
    "unzip": changer("unpacks files", "-x -P", "", "-d", leading=("read",), operands="text"),
    "7z": changer("unpacks or packs files", leading=("text", "write")),
    "gzip": changer("packs files", operands="write"),
    "gunzip": changer("unpacks files", operands="write"),
    "xz": changer("packs files", operands="write"),
    "bzip2": changer("packs files", operands="write"),
    "dos2unix": changer("changes files", operands="write"),
    "iconv": changer("writes files", "-f -t", "", "-o --output"),
    "ed": changer("changes files", "-p", operands="write"),
    "ex": changer("changes files", "-c", operands="write"),
    "vim": changer("changes files", "-c", operands="write"),
    "vi": changer("changes files", "-c", operands="write"),
    "nano": changer("changes files", operands="write"),
    "emacs": changer("changes files", "--eval", operands="write"),
    "gofmt": changer("changes files", "-r", operands="write", single=True),
    "curl": _DOWNLOADS,
    "wget": changer(
        "uses the network",
        "-e -t -T -w -Q -U --header --user --password --tries --timeout --method --body-data --post-data",
        "-i --input-file --body-file --post-file --certificate",
        "-O -o -a -P --output-document --output-file --directory-prefix",
        operands="url",
    ),
    **dict.fromkeys(["python", "python3", "perl", "ruby", "node", "php", "lua", "deno", "bun"], _RUNS),
    **dict.fromkeys(["bash", "sh", "zsh", "dash", "ksh", "fish", "source", "."], _RUNS),
    "make": changer("runs code", "-j -l -W --jobs", "-f -C --file --directory", operands="text"),
    "scp": changer("uses the network", "-i -l -o -P -S -F -J", last="write"),
    "ssh": changer("uses the network", "-i -l -o -p -F -J -L -R -D", operands="text"),
}
