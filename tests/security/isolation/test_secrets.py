"""What is masked, what is not, and that a mask changes nothing else."""

from __future__ import annotations

import base64
import json
import string
from collections.abc import Callable
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roocode.protocol.events import Notice
from roocode.protocol.messages import Message, Reply, Text, Thinking, ToolCall, ToolResult
from roocode.security.isolation.masking import MASK, masked, masks_in
from roocode.security.isolation.secrets import Secrets

ALNUM = string.ascii_letters + string.digits
BODY = "Kd8Wq2Lm6Xv1Rb9Yc5Nh3Pj7Sf0Ga2Te4Uz8Io1"
HEX = "9f8e7d6c5b4a39281706f5e4d3c2b1a0"
PEM_BODY = (
    "MIIEpAIBAAKCAQEA2Kd8Wq2Lm6Xv1Rb9Yc5Nh3Pj7Sf0Ga2Te4Uz8Io1QwErTyUi\nOpAsDfGhJkLzXcVbNm1234567890==\n"
)
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"

SHAPES = {
    "Anthropic key": [f"sk-ant-api03-{BODY}-{BODY}AA"],
    "OpenAI key": [f"sk-proj-{BODY}_{BODY}", f"sk-svcacct-{BODY}"],
    "API key": [f"sk-{BODY}", f"sk-{HEX}"],
    "GitHub token": [f"{kind}_{BODY[:36]}" for kind in ("ghp", "gho", "ghu", "ghs", "ghr")]
    + [f"github_pat_11ABCDEFG0{BODY}_{BODY}"],
    "GitLab token": [f"glpat-{BODY[:20]}"],
    "Slack token": [f"xoxb-123456789012-{BODY[:24]}", f"xoxp-1-2-3-{HEX}"],
    "Google key": [f"AIza{BODY[:35]}"],
    "Google token": [f"ya29.a0{BODY}"],
    "Google secret": [f"GOCSPX-{BODY[:28]}"],
    "Stripe key": [f"sk_live_{BODY[:24]}", f"rk_live_{BODY[:24]}"],
    "npm token": [f"npm_{BODY[:36]}"],
    "PyPI token": [f"pypi-AgEIcHlwaS5vcmc{BODY}{BODY}"],
    "Hugging Face token": [f"hf_{BODY[:34]}"],
    "SendGrid key": [f"SG.{BODY[:22]}.{BODY}"],
    "Twilio key": [f"SK{HEX}"],
    "DigitalOcean token": [f"dop_v1_{HEX}{HEX}"],
    "AWS access key": ["AKIAQ7WZ3MRT8KXN5VBD", "ASIAQ7WZ3MRT8KXN5VBD"],
    "JWT": [JWT],
}

IN_CONTEXT = {
    f"Authorization: Bearer {BODY}": "Authorization: Bearer [secret: authorization",
    f"'authorization': 'Basic {base64.b64encode(b'me:pass word1').decode()}'": "'authorization': 'Basic [",
    f'curl -H "x-api-key: {BODY}" https://a.b': 'curl -H "x-api-key: [secret: API key',
    "postgres://app:s3cr3t-Pw@db.local/x": "postgres://app:[secret: password in URL",
    "redis://:s3cr3t-Pw@cache:6379/0": "redis://:[secret: password in URL",
    "Server=db;User Id=sa;Password=Ab9$kd83;Encrypt=1": "Server=db;User Id=sa;Password=[secret: password",
    f"AccountName=a;AccountKey={BODY}{BODY}==;": "AccountName=a;AccountKey=[secret: account key",
    f"aws_secret_access_key = {BODY[:20]}/{BODY[:19]}": "aws_secret_access_key = [secret: aws_",
    f'"secretAccessKey": "{BODY[:20]}/{BODY[:19]}"': '"secretAccessKey": "[secret: secretAccessKey',
    "DB_PASSWORD=tr0ub4dor": "DB_PASSWORD=[secret: DB_PASSWORD",
    "export API_TOKEN='abcd-1234'": "export API_TOKEN='[secret: API_TOKEN",
    "     3\tAPI_TOKEN=abcd-1234": "     3\tAPI_TOKEN=[secret: API_TOKEN",
    ".env:2:API_TOKEN=abcd-1234": ".env:2:API_TOKEN=[secret: API_TOKEN",
    "  POSTGRES_PASSWORD: tr0ub4dor-3": "  POSTGRES_PASSWORD: [secret: POSTGRES_PASSWORD",
    f"//registry.npmjs.org/:_authToken={BODY}": "//registry.npmjs.org/:_authToken=[secret: authToken",
    "machine api.x.com login me password hunter2-x": "machine api.x.com login me password [secret: password",
    '"auth": "bWU6aHVudGVyMi14"': '"auth": "[secret: registry login',
    f"https://hooks.slack.com/services/T0ABCDEF1/B0ABCDEF2/{BODY[:24]}": "https://hooks.slack.com/services/[secret",
}

STAYS = [
    "sk-... or sk-xxxxxxxxxxxxxxxxxxxxxxxx, your-api-key",
    "ANTHROPIC_API_KEY=sk-ant-your-key-goes-here-please",
    "AKIAIOSFODNN7EXAMPLE",
    "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "commit 3a44b21d0f6e8c7b9a1d2e3f4a5b6c7d8e9f0a1b",
    "id: 123e4567-e89b-12d3-a456-426614174000",
    '"integrity": "sha512-QwErTyUiOpAsDfGhJkLzXcVbNm1234567890QwErTyUiOpAsDfGhJkLzXcVbNm12345678==",',
    "pytest==8.3.4 --hash=sha256:965370d062bce11e73868e0335abac31b4d3de0e82f4007408d242b4f8610761",
    "![x](data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==)",
    "token = get_token()", "password: str | None = None", "API_KEY = os.environ['API_KEY']",
    "TOKEN=$(cat token.txt)", 'export TOKEN="$1"', "PASSWORD=${PASSWORD:-}", "SECRET_KEY=settings.SECRET_KEY",
    "const token = await createAccessToken(user);", "secret: process.env.CLIENT_SECRET,",
    "max_tokens: 8192, token_count=1234567890123", 'cache_key = "user:1234:profile:v2"',
    "primary_key=True, foreign_key='users.id'", "postgres://postgres:postgres@localhost:5432/app",
    "http://user:password@host", "https://github.com/a/b@v1.2.3", "git@github.com:a/b.git",
    "PWD=/home/dev/project",
    'class="sk-toggleable__label sk-toggleable__label-arrow sk-estimator-doc-link"', "sk-folding-cube",
    "npm_config_registry=https://registry.npmjs.org npm_package_json", "hf_hub_download",
    "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA\n-----END PUBLIC KEY-----",
    "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
    "jsonwebtoken@npm:9.0.2 resolved 0123456789", "csrf_token: Token", "the password is on the desk",
    "Authorization: Bearer $TOKEN", "Authorization: Bearer <token>", "Authorization: Bearer ${token}",
    "eyJhbGciOiJIUzI1NiJ9 alone", "the secret: do not tell",
]  # fmt: skip


@pytest.fixture(scope="module")
def secrets() -> Secrets:
    return Secrets("salt")


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, texts in SHAPES.items() for text in texts])
@pytest.mark.parametrize("around", ["{}", "key: {}.", '{{"a": "{}"}}', "({})", "a={}&b=1", "\n{}\n", "`{}`"])
def test_known_shapes(secrets: Secrets, kind: str, text: str, around: str) -> None:
    hidden = secrets(around.format(text))
    [mask] = MASK.findall(hidden)
    assert kind in mask
    assert hidden == around.format(mask)


@pytest.mark.parametrize(("text", "begins"), IN_CONTEXT.items())
def test_secrets_by_what_stands_around_them(secrets: Secrets, text: str, begins: str) -> None:
    hidden = secrets(text)
    assert hidden.startswith(begins)
    assert secrets(hidden) == hidden


@pytest.mark.parametrize("text", STAYS)
def test_what_is_no_secret_stays(secrets: Secrets, text: str) -> None:
    assert secrets(text) is text


@pytest.mark.parametrize(
    "kind", ["RSA PRIVATE KEY", "PRIVATE KEY", "OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK"]
)
def test_private_keys(secrets: Secrets, kind: str) -> None:
    key = f"-----BEGIN {kind}-----\n{PEM_BODY}-----END {kind}-----"
    assert MASK.sub("*", secrets(f"a\n{key}\nb\n{key}c")) == "a\n*\nb\n*c"
    assert MASK.sub("*", secrets(json.dumps({"key": key}))) == '{"key": "*"}'
    numbered = "\n".join(f"{number:6}\t{line}" for number, line in enumerate(key.split("\n"), 1))
    assert MASK.sub("*", secrets(numbered)) == "     1\t*"
    torn = numbered.rpartition("\n")[0]
    assert MASK.sub("*", secrets(f"{torn}\n[PARTIAL: more]")) == "     1\t*\n[PARTIAL: more]"
    found = "\n".join(f"id_rsa-{number}-{line}" for number, line in enumerate(key.split("\n")[:-1], 1))
    assert PEM_BODY[:40] not in secrets(found)


def learned(**env: str) -> Secrets:
    secrets = Secrets("salt")
    secrets.learn(env)
    return secrets


def test_values_of_variables_whose_names_say_that_they_are_secret() -> None:
    secrets = learned(MY_TOKEN="plain-looking-1", HOME="/home/somebody", KEY_FILE="/etc/ssl/private/a.key")
    assert MASK.sub("*", secrets("it is plain-looking-1, in /home/somebody, /etc/ssl/private/a.key")) == (
        "it is *, in /home/somebody, /etc/ssl/private/a.key"
    )
    assert secrets("plain-looking-1").startswith("[secret: MY_TOKEN ")
    assert secrets("plain-looking-12") == "plain-looking-12"


def test_a_variable_is_a_secret_where_it_is_named_as_one() -> None:
    secrets = Secrets("salt")
    secrets.learn({"WORK_LLM": "plain-looking-1"}, names=("WORK_LLM",))
    assert secrets("plain-looking-1").startswith("[secret: WORK_LLM ")


def test_passwords_inside_of_addresses_are_learned() -> None:
    secrets = learned(DATABASE_URL="postgres://app:tr0ub4dor-3@db/x")
    assert secrets("tr0ub4dor-3").startswith("[secret: DATABASE_URL ")


@pytest.mark.parametrize("value", ["scripted", "postgres", "12345678", "changeme", "short", "", "/etc/x.pem"])
def test_values_that_would_be_found_everywhere_are_left_out(value: str) -> None:
    assert learned(SOME_PASSWORD=value)(f"a {value} b") == f"a {value} b"


SPELLINGS: dict[str, Callable[[str], str]] = {
    "plain": lambda value: value,
    "json": lambda value: json.dumps(value)[1:-1],
    "json, not ascii": lambda value: json.dumps(value, ensure_ascii=False)[1:-1],
    "url": lambda value: quote(value, safe=""),
    "python": lambda value: repr(value)[1:-1],
    "base64": lambda value: base64.b64encode(value.encode()).decode().rstrip("="),
    "base64 behind five": lambda value: base64.b64encode(f"user:{value}".encode()).decode(),
    "base64 behind three": lambda value: base64.b64encode(f"us:{value}:x".encode()).decode(),
    "base64 of URLs": lambda value: base64.urlsafe_b64encode(f"u:{value}>>?".encode()).decode(),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("value", ["pass word/with+signs&more", 'quo"ted\\back slash12', "ünïcödé-gehéim 12"])
def test_other_spellings_of_a_value(spelling: str, value: str) -> None:
    text = f"<{SPELLINGS[spelling](value)}>"
    hidden = learned(SOME_SECRET=value)(text)
    assert "[secret: SOME_SECRET " in hidden
    assert value not in hidden


def test_each_long_line_of_a_value() -> None:
    secrets = learned(SIGNING_KEY="first line of it 1\nsecond line of it\n")
    assert "second" not in secrets("7\tsecond line of it")


def test_two_secrets_are_told_apart_and_the_digits_say_nothing() -> None:
    one, two = (f"ghp_{BODY[:35]}{end}" for end in "ab")
    first, second = Secrets("salt")(one), Secrets("salt")(two)
    assert first != second
    assert first == Secrets("salt")(f"{one}")
    assert first != Secrets("other")(one)


def test_a_value_that_is_another_ones_name_comes_to_an_end() -> None:
    secrets = learned(ALPHA_TOKEN="BETA_TOKEN_12", BETA_TOKEN_12="ALPHA_TOKEN")
    assert len(secrets("ALPHA_TOKEN and BETA_TOKEN_12")) < 200


PIECES = st.one_of(
    st.text(max_size=20),
    st.sampled_from([text for texts in SHAPES.values() for text in texts]),
    st.sampled_from(
        [*IN_CONTEXT, *STAYS, "plain-looking-1", "correct horse battery 1", "-----BEGIN PRIVATE KEY-----"]
    ),
    st.sampled_from(
        ["=", ": ", '"', "'", " ", "\n", "@", "://", "TOKEN=", "password: ", "[secret: ", "]", "eyJ", "sk-"]
    ),
    st.text("Aa0_-./=:\"' \n", max_size=30),
)
KNOWN = learned(MY_TOKEN="plain-looking-1", PHRASE_SECRET="correct horse battery 1")


@given(st.lists(PIECES, max_size=8).map("".join))
def test_masking_twice_is_masking_once(text: str) -> None:
    once = KNOWN(text)
    assert KNOWN(once) == once


@given(st.text())
def test_any_text_without_a_secret_stays_byte_for_byte(text: str) -> None:
    hidden = KNOWN(text)
    assert hidden == text or MASK.search(hidden)


@given(st.text(max_size=30), st.text(max_size=30), st.text(ALNUM, min_size=36, max_size=36))
def test_a_secret_is_gone_whatever_stands_around_it(before: str, after: str, body: str) -> None:
    if len(set(body)) < 12 or not any(c.isdigit() for c in body[5:20]):
        return
    token = f"ghp_{body}"
    hidden = KNOWN(f"{before} {token} {after}")
    assert token not in hidden or "xxxx" in body.lower() or "example" in body.lower() or "0000" in body


@pytest.mark.parametrize(
    "unit",
    ["a", "sk-", "eyJ", "eyJaaaaaaaa.", "token=", 'SECRET="', "-----BEGIN PRIVATE KEY-----", "://a:b", "://",
     "Authorization: Bearer ", "ghp_", "password ", "login a password ", ";Password=", "AKIA", "_KEY=",
     "A_KEY: ",
     "-----BEGIN RSA PRIVATE KEY-----\n", "xoxb-", "SG.aaaaaaaaaaaaaaaa.", "\n", "token: ", '"auth": "'],
)  # fmt: skip
def test_no_input_takes_for_ever(unit: str) -> None:
    """Megabytes of what begins like a secret: with a quadratic expression this would not end."""
    text = unit * (1_000_000 // len(unit))
    assert KNOWN(f"{text} plain-looking-1").endswith("]")


def test_a_whole_value_is_masked_and_an_innocent_one_is_the_same_object() -> None:
    token = SHAPES["GitHub token"][0]
    reply = Reply(
        Message("assistant", (Text(f"a {token}"), ToolCall("c1", "Bash", {"command": [token], "n": 1}))),
        "tools",
    )
    hidden = masked(reply, KNOWN)
    assert token not in repr(hidden)
    assert hidden.message.calls[0].arguments == {"command": [KNOWN(token)], "n": 1}
    assert len(masks_in(hidden)) == 2
    innocent = Notice(text="nothing here")
    assert masked(innocent, KNOWN) is innocent
    kept = Message("user", (ToolResult("c1", "fine"), Text("fine")))
    assert masked(kept, KNOWN) is kept


def test_reasoning_loses_its_signature_with_its_secret_and_encrypted_reasoning_stays() -> None:
    token = SHAPES["GitHub token"][0]
    assert masked(Thinking(token, "signed"), KNOWN) == Thinking(KNOWN(token), None)
    assert masked(Thinking("fine", "signed"), KNOWN) == Thinking("fine", "signed")
    assert masked(Thinking(token, redacted=True), KNOWN) == Thinking(token, redacted=True)
