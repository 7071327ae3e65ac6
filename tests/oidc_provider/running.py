"""Starting and stopping the provider of the tests."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from config.oidc import Provider
from tests.conftest import ROOT, free_port

CLIENT, SECRET, PASSWORD = "kakurenbo", "a secret of the tests between both", "there is another battery"
PEOPLE = {"hana": ("hana@example.org", PASSWORD), "House": ("oni@example.org", PASSWORD)}


def new_key() -> str:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ).decode()


@dataclass
class RealProvider:
    """The provider's process, and what a site has to know to use it."""

    folder: Path
    port: int
    redirect_uris: Sequence[str]
    process: subprocess.Popen[str] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def settings(self) -> dict[str, Provider]:
        scopes = ("openid", "email", "profile")
        name = "campus"
        return {
            name: Provider(name, f"{self.url}/o", CLIENT, SECRET, "The Campus", "キャンパス", scopes),
        }

    def start(self) -> None:
        """Serve, with a new key each time."""
        file = self.folder / "provider.json"
        given = {
            "folder": str(self.folder), "port": self.port, "key": new_key(), "client_id": CLIENT,
            "client_secret": SECRET, "redirect_uris": list(self.redirect_uris), "people": PEOPLE,
        }  # fmt: skip
        file.write_text(json.dumps(given), encoding="utf-8")
        with (self.folder / "provider.log").open("a") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tests.oidc_provider", str(file)],
                cwd=ROOT, stdout=subprocess.PIPE, stderr=log, text=True,
            )  # fmt: skip
        assert self.process.stdout is not None
        said = self.process.stdout.readline()
        assert said == "serving\n", (self.folder / "provider.log").read_text()

    def stop(self) -> None:
        if self.process is not None:
            self.process.terminate()
            self.process.communicate()
            self.process = None


@contextmanager
def real_provider(folder: Path, *sites: str) -> Iterator[RealProvider]:
    """The provider, for the sites at these addresses."""
    provider = RealProvider(folder, free_port(), [f"{site}/login/with/campus/back/" for site in sites])
    provider.start()
    try:
        yield provider
    finally:
        provider.stop()
