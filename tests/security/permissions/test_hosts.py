from __future__ import annotations

import pytest

from roocode.security.permissions import hosts


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://docs.python.org/3/", "docs.python.org"),
        ("https://DOCS.python.org.:443/", "docs.python.org"),
        ("http://bücher.example/", "xn--bcher-kva.example"),
        ("https://evil.example/?u=docs.python.org", "evil.example"),
        ("https://docs.python.org@evil.example/", None),
        ("https://docs.python.org\\@evil.example/", None),
        ("https://docs.python.org\t.evil.example/", None),
        ("https://docs.python.org%2eevil.example/", None),
        ("ftp://docs.python.org/", None),
        ("docs.python.org", None),
        ("http://[::1", None),
        ("http://host:99999/", None),
    ],
)
def test_the_host_that_every_client_connects_to(url: str, host: str | None) -> None:
    assert hosts.host_of(url) == host


def test_a_deny_sees_every_host_that_some_client_may_connect_to() -> None:
    assert "evil.example" in hosts.possible_hosts("https://docs.python.org@evil.example/")
    assert {"docs.python.org", "evil.example"} <= hosts.possible_hosts(
        "https://docs.python.org\\@evil.example/"
    )
    assert hosts.possible_hosts("evil.example/x") == {"evil.example"}


@pytest.mark.parametrize(
    ("pattern", "host", "covers"),
    [
        ("docs.python.org", "docs.python.org", True),
        ("Docs.Python.org.", "docs.python.org", True),
        ("docs.python.org", "evildocs.python.org", False),
        ("docs.python.org", "docs.python.org.evil.example", False),
        ("*.python.org", "docs.python.org", True),
        ("*.python.org", "a.b.python.org", True),
        ("*.python.org", "python.org", False),
        ("*.python.org", "evilpython.org", False),
        ("docs*.python.org", "docs3.python.org", True),
        ("docs*.python.org", "docs.x.python.org", False),
        ("api.*.example", "api.eu.example", True),
        ("api.*.example", "api.a.b.example", False),
        ("bücher.example", "xn--bcher-kva.example", True),
        ("*", "docs.python.org", True),
        ("*", "localhost", True),
    ],
)
def test_domains_are_compared_by_labels(pattern: str, host: str, covers: bool) -> None:
    assert hosts.domain_covers(pattern, host) is covers


@pytest.mark.parametrize(
    "url",
    [
        "http://169.254.169.254/latest/meta-data/",
        "http://127.0.0.1:8000/",
        "http://127.1/",
        "http://2130706433/",
        "http://0x7f000001/",
        "http://localhost/",
        "http://app.localhost/",
        "http://10.0.0.1/",
        "http://[::1]/",
        "http://[::ffff:169.254.169.254]/",
        "http://metadata.google.internal/",
        "http://localhost.localdomain/",
        "http://[64:ff9b::7f00:1]/",
        "http://[::127.0.0.1]/",
        "http://224.0.0.1/",
        "http://255.255.255.255/",
        "http://[ff02::1]/",
    ],
)
def test_addresses_of_this_machine_and_network_are_refused(url: str) -> None:
    assert hosts.refusal(url)


@pytest.mark.parametrize(
    "url", ["https://docs.python.org/", "http://93.184.215.14/", "http://[2606:4700::1111]/"]
)
def test_public_addresses_are_not_refused(url: str) -> None:
    assert hosts.refusal(url) == ""


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("docs.python.org", "domain:docs.python.org"),
        ("https://docs.python.org/3", "domain:docs.python.org"),
        ("domain:", "domain:host"),
        ("domain:.python.org", "domain:python.org"),
        ("domain:python.org:443", "host alone"),
        ("domain:python.org/x", "host alone"),
        ("domain:a@python.org", "host alone"),
        ("domain:python..org", "host alone"),
        ("domain:*.python.org", ""),
        ("domain:python.org.", ""),
        ("domain:bücher.example", ""),
    ],
)
def test_patterns_that_can_match_no_host(spec: str, said: str) -> None:
    complaint = hosts.complaint(spec)

    assert said in complaint
    assert bool(complaint) is bool(said)
