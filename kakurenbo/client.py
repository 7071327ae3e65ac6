"""Talks to a Kakurenbo site over its API, with nothing but the standard library."""

from __future__ import annotations

import json
import os
import secrets
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import IO, Any

from kakurenbo import exit_codes
from kakurenbo.main import UsageError

TIMEOUT_SECONDS = 60
CHUNK = 256 * 1024


class Unreachable(UsageError):
    """No answer of a Kakurenbo site came; the same call may work later."""

    exit_code = exit_codes.UNREACHABLE


class ApiError(UsageError):
    """The site refused; the text is the site's own, with its stable code."""

    exit_code = exit_codes.REFUSED

    def __init__(self, status: int, code: str, message: str, detail: Any = None) -> None:
        where = "".join(
            f"\n  {field}: {fault['message']}" for field, faults in _fields(detail) for fault in faults
        )
        super().__init__(f"{message} [{code}]{where}")
        self.status = status
        self.code = code
        if status >= 500:
            self.exit_code = exit_codes.UNREACHABLE


def _fields(detail: Any) -> list[tuple[str, Any]]:
    if not isinstance(detail, dict):
        return []
    return [(field, faults) for field, faults in detail.items() if isinstance(faults, list)]


@dataclass(frozen=True)
class LogIn:
    """Which site and as whom; stored in a file that only its owner may read. Without a token as a visitor."""

    url: str
    token: str = ""
    contest: str = ""
    round: str = ""


def log_in_file() -> Path:
    folder = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    return Path(folder) / "kakurenbo" / "login.json"


def save_log_in(log_in: LogIn) -> Path:
    path = log_in_file()
    fresh = path.with_name(f".new-{secrets.token_hex(4)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        # Made unreadable for others before anything is written into it.
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        raise UsageError(
            f"The log-in cannot be stored in {path}: {error.strerror}. "
            "Let XDG_CONFIG_HOME name a folder that you may write to."
        ) from error
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(vars(log_in), file, indent=2)
    fresh.replace(path)
    return path


def load_log_in() -> LogIn:
    path = log_in_file()
    try:
        return LogIn(**json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        raise UsageError(
            "You are not logged in. Make a token on the site's page “Tokens”, then: "
            "kakurenbo login URL --token TOKEN"
        ) from None
    except (OSError, ValueError, TypeError) as error:
        raise UsageError(f"Cannot use {path}: {error}. Log in again.") from error


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect would carry the token elsewhere, so none is followed."""

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> None:
        return None


class Client:
    def __init__(self, log_in: LogIn) -> None:
        parts = urllib.parse.urlsplit(log_in.url)
        if parts.scheme not in {"http", "https"} or not parts.netloc:
            raise UsageError(f"The site's address must begin with https:// or http://. Got {log_in.url!r}.")
        self.log_in = log_in
        self.base = log_in.url.rstrip("/") + "/api/v1/"
        self.opener = urllib.request.build_opener(_NoRedirect)

    def get(self, path: str, **query: Any) -> Any:
        with self._open("GET", path + ("?" + urllib.parse.urlencode(query) if query else "")) as answer:
            return json.load(answer)

    def pages(self, path: str) -> list[Any]:
        """All rows of a list, page after page."""
        rows: list[Any] = []
        page = 1
        while True:
            answer = self.get(path, page=page, page_size=200)
            rows += answer["results"]
            if not answer["next"]:
                return rows
            page += 1

    def download(self, path: str, target: Path) -> int:
        """Write a file under its name only when all of it has arrived; returns its size."""
        fresh = target.with_name(f".new-{secrets.token_hex(4)}-{target.name}")
        size = 0
        try:
            with self._open("GET", path) as answer, fresh.open("wb") as file:
                while chunk := answer.read(CHUNK):
                    size += file.write(chunk)
            fresh.replace(target)
        finally:
            fresh.unlink(missing_ok=True)
        return size

    def read(self, path: str) -> bytes:
        with self._open("GET", path) as answer:
            return answer.read()

    def post(self, path: str, body: Mapping[str, Any] | None = None) -> Any:
        data = json.dumps(body or {}).encode()
        with self._open("POST", path, data, "application/json") as answer:
            return json.load(answer)

    def upload(self, path: str, files: Mapping[str, Path], fields: Mapping[str, str]) -> Any:
        boundary = f"kakurenbo-{secrets.token_hex(16)}"
        data = _multipart(boundary, files, fields)
        with self._open("POST", path, data, f"multipart/form-data; boundary={boundary}") as answer:
            return json.load(answer)

    def _open(self, method: str, path: str, data: bytes | None = None, kind: str = "") -> IO[bytes]:
        request = urllib.request.Request(self.base + path, data, method=method)  # noqa: S310  # checked above
        if self.log_in.token:
            request.add_header("Authorization", f"Bearer {self.log_in.token}")
        if kind:
            request.add_header("Content-Type", kind)
        try:
            opened: IO[bytes] = self.opener.open(request, timeout=TIMEOUT_SECONDS)
        except urllib.error.HTTPError as error:
            with error:
                raise _api_error(error) from None
        except (urllib.error.URLError, HTTPException, OSError) as error:
            reason = getattr(error, "reason", error)
            raise Unreachable(f"Cannot reach {self.log_in.url}: {reason}.") from error
        return opened


def _api_error(error: urllib.error.HTTPError) -> UsageError:
    try:
        refusal = json.load(error)["error"]
        return ApiError(error.code, refusal["code"], refusal["message"], refusal["detail"])
    except (ValueError, KeyError, TypeError):
        return Unreachable(f"{error.url} is no Kakurenbo site's API. [http-{error.code}]")


def _multipart(boundary: str, files: Mapping[str, Path], fields: Mapping[str, str]) -> bytes:
    lines: list[bytes] = []
    for name, value in fields.items():
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n'
        lines.append(head.encode() + value.encode() + b"\r\n")
    for name, path in files.items():
        try:
            content = path.read_bytes()
        except OSError as error:
            raise UsageError(f"Cannot read {path}: {error.strerror}.") from error
        shown = path.name.replace('"', "_").replace("\r", "_").replace("\n", "_")
        head = (
            f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"; filename="{shown}"\r\n'
            "Content-Type: application/octet-stream\r\n\r\n"
        )
        lines.append(head.encode() + content + b"\r\n")
    return b"".join([*lines, f"--{boundary}--\r\n".encode()])
