"""Files that are known by name to hold secrets: one list for file tools, searches and shell lines. Pure."""

from __future__ import annotations

import re

from roocode.security.permissions.protected import folded

_ENVIRONMENT = ".env .envrc .flaskenv"
_LOGINS = """
    .netrc _netrc .pgpass pgpass.conf .my.cnf .mylogin.cnf .pypirc .npmrc .git-credentials .htpasswd
    .dockercfg .dockerconfigjson .boto .s3cfg .vault-token .terraformrc .databrickscfg .smbcredentials
    kubeconfig terraform.tfstate terraform.tfstate.backup
"""
_CREDENTIALS = """
    credentials credentials.json credentials.yml credentials.yaml credentials.toml credentials.db
    application_default_credentials.json access_tokens.db
    secrets.yml secrets.yaml secrets.json secrets.toml secrets.env secret.yml secret.yaml secret.json
    serviceaccount.json service-account.json service_account.json master.key
"""
_SECRET = frozenset(f"{_ENVIRONMENT} {_LOGINS} {_CREDENTIALS}".split())
_PATTERNS = re.compile(
    r"\.env\..+|.+\.env|id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?(?:[._-].*)?"
    r"|(?:service[-_]?account|client[-_]?secret|firebase-adminsdk|gcp[-_]?key)s?[-_.].*json"
    r"|.*-firebase-adminsdk-.*\.json|.+\.tfvars(?:\.json)?|.+\.tfstate(?:\.\d+)?(?:\.backup)?"
    r"|.+\.(?:pem|key|p12|pfx|p8|jks|keystore|kdbx|ppk|asc\.key|ovpn|keytab|agekey)"
)
_SHOWN_TO_ALL = re.compile(
    r".*\.(?:pub|example|sample|template|dist|defaults|tmpl|tpl|enc|sops|age|gpg|d\.ts)"
    r"|.*[-_.]?example\.(?:env|tfvars)|(?:.*[-_.])?public\.(?:pem|key)|.*\.pub\.(?:pem|key)"
    r"|(?:ca-?cert|cacerts?|ca|ca-bundle|ca-certificates|chain|fullchain|dhparams?|.*[-_.]chain)\.pem"
    r"|(?:.*[-_.])?(?:example|sample)\.(?:pem|key)"
)
_IN_PLACES = """
    .docker/config.json .kube/config .git/config .git/credentials .config/gh/hosts.yml .config/hub
    .config/git/credentials .cargo/credentials .gem/credentials .config/rclone/rclone.conf .m2/settings.xml
    .m2/settings-security.xml .gradle/gradle.properties .composer/auth.json .subversion/auth etc/shadow
    .config/configstore/firebase-tools.json etc/gshadow
"""
_PLACES = tuple(tuple(place.split("/")) for place in _IN_PLACES.split())
_DIRECTORIES = (".ssh", ".aws", ".gnupg", ".azure", ".gcloud", ".config/gcloud", ".password-store")
_WELL_KNOWN = "known_hosts known_hosts.old authorized_keys authorized_keys2 allowed_signers"
_HARMLESS_BELOW = frozenset(_WELL_KNOWN.split())


def holds_secrets(path: str) -> bool:
    """Whether a file of this path or name is known to hold secrets: `.env` and its like, not `.env.example`.

    Names are compared as file systems that fold names compare them.
    """
    parts = [folded(part) for part in path.split("/") if part]
    if not parts:
        return False
    name = parts[-1]
    if name in _HARMLESS_BELOW or _SHOWN_TO_ALL.fullmatch(name):
        return False
    return (
        name in _SECRET
        or bool(_PATTERNS.fullmatch(name))
        or any(tuple(parts[-len(place) :]) == place for place in _PLACES)
        or is_full_of_secrets("/".join(parts[:-1]))
    )


def is_full_of_secrets(path: str) -> bool:
    """Whether a directory of this path is one for secrets alone: `.ssh`, `.aws` and their like."""
    whole = f"/{'/'.join(map(folded, path.split('/')))}/"
    return any(f"/{directory}/" in whole for directory in _DIRECTORIES)
