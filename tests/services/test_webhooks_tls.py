"""Webhooks over real TLS: names that change their answer, redirects inside, certificates, endless answers."""

from __future__ import annotations

import contextlib
import datetime
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from contest.outside import safe_http

PUBLIC = "93.184.216.34"
HOST = "news.example"
URL = f"https://{HOST}/news"
DRIPS = 200
"""A server that sends a byte this often without being hung up on has not been stopped by any limit."""

Script = Callable[[ssl.SSLSocket], None]


def make_certificate(folder: Path, name: str, *, days: int = 1, known: bool = True) -> tuple[Path, Path]:
    """A server's certificate with its key, and the certificate of the authority that clients trust."""
    now = datetime.datetime.now(datetime.UTC)

    def certificate(subject: str, key: Any, issuer: str, signer: Any, is_authority: bool) -> bytes:
        made = (
            x509.CertificateBuilder()
            .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, subject)]))
            .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, issuer)]))
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(days=10))
            .not_valid_after(now + datetime.timedelta(days=days))
            .add_extension(x509.SubjectAlternativeName([x509.DNSName(subject)]), critical=False)
            .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
            .sign(signer, hashes.SHA256())
        )
        return made.public_bytes(serialization.Encoding.PEM)

    authority, stranger, own = (ec.generate_private_key(ec.SECP256R1()) for _ in range(3))
    key = own.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    server, trusted = folder / "server.pem", folder / "authority.pem"
    trusted.write_bytes(certificate("authority", authority, "authority", authority, True))
    signed = certificate(name, own, "authority", authority if known else stranger, False)
    server.write_bytes(key + signed)
    return server, trusted


def answer_with(*parts: bytes) -> Script:
    """Read the request, then send this."""

    def script(channel: ssl.SSLSocket) -> None:
        got = b""
        while not got.endswith(b"{}"):
            got += channel.recv(65536)
        for part in parts:
            channel.sendall(part)

    return script


@dataclass
class Receiver:
    """A TLS server on loopback that plays a public one: connections to the public address come here."""

    certificate: Path
    script: Script = field(default_factory=lambda: answer_with(b"HTTP/1.1 204 No Content\r\n\r\n"))
    asked: list[str] = field(default_factory=list)
    connected: list[tuple[str, int]] = field(default_factory=list)
    names: list[str | None] = field(default_factory=list)
    was_hung_up_on: bool = True

    def serve(self, listener: socket.socket) -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate)
        context.sni_callback = lambda channel, name, context: self.names.append(name)  # type: ignore[assignment]
        while True:
            try:
                raw, _ = listener.accept()
            except OSError:
                return
            raw.settimeout(30)
            with raw, contextlib.suppress(OSError), context.wrap_socket(raw, server_side=True) as channel:
                self.script(channel)

    def drip(self, start: bytes, byte: bytes) -> Script:
        """After a start, send this again and again with pauses that no limit on single reads sees."""

        def script(channel: ssl.SSLSocket) -> None:
            answer_with(start)(channel)
            self.was_hung_up_on = False
            for _ in range(DRIPS):
                try:
                    channel.sendall(byte)
                except OSError:
                    self.was_hung_up_on = True
                    return
                threading.Event().wait(0.05)

        return script


@pytest.fixture
def receive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Receiver]]:
    """Starts a receiver; the name leads to the public address first and inside ever after."""
    monkeypatch.setattr(safe_http, "SECONDS", 1.0)
    with contextlib.ExitStack() as stack:

        def start(**options: Any) -> Receiver:
            server, trusted = make_certificate(tmp_path, **{"name": HOST, **options})
            monkeypatch.setenv("SSL_CERT_FILE", str(trusted))
            receiver = Receiver(server)
            listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
            thread = threading.Thread(target=receiver.serve, args=[listener])
            thread.start()
            stack.callback(thread.join)
            stack.callback(listener.shutdown, socket.SHUT_RDWR)
            redirect_network(receiver, listener.getsockname(), monkeypatch)
            return receiver

        yield start
        monkeypatch.undo()


def redirect_network(receiver: Receiver, place: tuple[str, int], monkeypatch: pytest.MonkeyPatch) -> None:
    connect = socket.socket.connect

    def resolve(host: str, port: int, *arguments: Any, **options: Any) -> list[Any]:
        receiver.asked.append(host)
        address = PUBLIC if len(receiver.asked) == 1 else "127.0.0.1"
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]

    def lead(self: socket.socket, address: tuple[str, int]) -> None:
        receiver.connected.append(address)
        connect(self, place)

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    monkeypatch.setattr(socket.socket, "connect", lead)


def test_a_name_that_changes_its_answer_gains_nothing(receive: Callable[..., Receiver]) -> None:
    receiver = receive()
    assert safe_http.post(URL, b"{}", {}) == 204
    assert (receiver.asked, receiver.connected) == ([HOST], [(PUBLIC, 443)])
    with pytest.raises(safe_http.Unreachable, match="open network"):
        safe_http.post(URL, b"{}", {})
    assert receiver.connected == [(PUBLIC, 443)]


def test_the_certificate_is_asked_for_and_checked_by_name(receive: Callable[..., Receiver]) -> None:
    receiver = receive()
    assert safe_http.post(URL, b"{}", {}) == 204
    assert receiver.names == [HOST]


@pytest.mark.parametrize(
    "options",
    [{"name": "other.example"}, {"name": PUBLIC}, {"known": False}, {"days": -1}],
    ids=["of another name", "of the address", "of an unknown authority", "too old"],
)
def test_a_certificate_that_does_not_hold_is_refused(
    receive: Callable[..., Receiver], options: dict[str, Any]
) -> None:
    receiver = receive(**options)
    with pytest.raises(safe_http.Unreachable, match="did not answer properly"):
        safe_http.post(URL, b"{}", {})
    assert len(receiver.connected) == 1


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize(
    "target", ["https://169.254.169.254/latest/meta-data/", "http://127.0.0.1/", "//[::1]/", "/news"]
)
def test_no_redirect_is_followed(receive: Callable[..., Receiver], status: int, target: str) -> None:
    receiver = receive()
    receiver.script = answer_with(f"HTTP/1.1 {status} Go\r\nLocation: {target}\r\n\r\n".encode())
    assert safe_http.post(URL, b"{}", {}) == status
    assert (receiver.asked, len(receiver.connected)) == ([HOST], 1)


@pytest.mark.parametrize(
    ("start", "again"),
    [
        (b"", b"H"),
        (b"HTTP/1.1 200 OK\r\n", b"X: y\r\n"),
        (b"HTTP/1.1 200 OK\r\nX: ", b"y"),
        (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;", b"x"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n", b"x"),
        (b"HTTP/1.1 200 OK\r\n\r\n", b"x"),
    ],
    ids=["line", "headers", "header", "continue", "chunks", "chunk", "body", "body to the end"],
)
def test_an_answer_that_drips_is_hung_up_on(
    receive: Callable[..., Receiver], start: bytes, again: bytes
) -> None:
    receiver = receive()
    receiver.script = receiver.drip(start, again)
    with contextlib.suppress(safe_http.Unreachable):
        assert safe_http.post(URL, b"{}", {}) == 200
    assert receiver.was_hung_up_on or finishes_soon(receiver), "nothing ends a slow answer"


def finishes_soon(receiver: Receiver) -> bool:
    """The server learns that it was hung up on when it sends next."""
    for _ in range(100):
        if receiver.was_hung_up_on:
            return True
        threading.Event().wait(0.05)
    return False


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 10_000 + b"\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b"y" * 1_000_000 + b"\r\n\r\n",
        b"H" * 1_000_000,
        b"HTTP/1.1 99999999999999999999 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"f" * 5000 + b"\r\n",
        b"\x00\xff" * 100,
    ],
    ids=["many headers", "a long header", "a long line", "status", "a long chunk size", "bytes"],
)
def test_an_answer_out_of_bounds_is_no_answer(receive: Callable[..., Receiver], answer: bytes) -> None:
    receiver = receive()
    receiver.script = answer_with(answer)
    with pytest.raises(safe_http.Unreachable, match="did not answer properly"):
        safe_http.post(URL, b"{}", {})


def test_of_a_long_answer_little_is_read(receive: Callable[..., Receiver]) -> None:
    sent: list[int] = []

    def flood(channel: ssl.SSLSocket) -> None:
        answer_with(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")(channel)
        for _ in range(4000):
            channel.sendall(b"10000\r\n" + b"x" * 65536 + b"\r\n")
            sent.append(65536)

    receiver = receive()
    receiver.script = flood
    assert safe_http.post(URL, b"{}", {}) == 200
    assert sum(sent) < 4000 * 65536


@pytest.mark.parametrize("noise", [b"", b"\x16\x03\x01"], ids=["silent", "begun"])
def test_a_handshake_that_never_ends_is_ended(noise: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(safe_http, "SECONDS", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        receiver = Receiver(Path())
        redirect_network(receiver, listener.getsockname(), monkeypatch)

        def stall() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.settimeout(30)
                with contextlib.suppress(OSError):
                    connection.sendall(noise)
                    while connection.recv(65536):
                        pass

        thread = threading.Thread(target=stall)
        thread.start()
        with pytest.raises(safe_http.Unreachable, match="in time"):
            safe_http.post(URL, b"{}", {})
        thread.join()


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "017700000001", "0", "0.0.0.0",
        "169.254.169.254", "0xa9fea9fe", "2852039166", "10.0.0.1", "１２７.0.0.1", "127。0。0。1",
        "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:a9fe:a9fe]", "[::127.0.0.1]", "[64:ff9b::7f00:1]",
        "[64:ff9b:1::7f00:1]", "[2002:7f00:1::]", "[fe80::1%25lo]", "[fec0::1]", "[fd00:ec2::254]",
        "[3fff::1]", "localhost", "192.88.99.1",
    ],
)  # fmt: skip
def test_no_spelling_of_an_inner_address_is_reached(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def connect(*arguments: Any) -> None:
        raise AssertionError("a connection was made")

    monkeypatch.setattr(socket.socket, "connect", connect)
    with pytest.raises(safe_http.Unreachable, match=r"open network|not known|not a web address"):
        safe_http.post(f"https://{host}/", b"{}", {})
