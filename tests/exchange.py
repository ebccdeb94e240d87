"""A process that goes on exchanging names while a test works: for races on a real disk."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_EXCHANGE = """
import ctypes, itertools, os, random, sys, time
libc, here, flag = ctypes.CDLL(None, use_errno=True), -100, 2
name, *others = map(os.fsencode, sys.argv[1:])
print("ready", flush=True)
for other in itertools.cycle(others):
    for _ in range(2):
        if libc.renameat2(here, name, here, other, flag):
            sys.exit(os.strerror(ctypes.get_errno()))
        if random.random() < 0.1:
            time.sleep(random.random() / 500)
"""
"""Exchanges a name with each of others in turn, and back, in one step, mostly without a rest."""


@contextmanager
def exchanging(*names: Path) -> Iterator[None]:
    """Another process that goes on exchanging the first name with the others until the end."""
    argv = [sys.executable, "-c", _EXCHANGE, *map(str, names)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        try:
            yield
            assert process.poll() is None, "the other process ended too early"
        finally:
            process.kill()
