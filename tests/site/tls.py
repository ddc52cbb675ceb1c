"""A self-signed certificate for the loopback addresses, made anew for each test run."""

from __future__ import annotations

import functools
import ipaddress
import ssl
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

_ADDRESSES = ("127.0.0.1", "127.0.0.2", "127.0.0.3", "::1")


@dataclass(frozen=True, slots=True)
class Certificate:
    pem: str
    """The certificate alone: what a client that trusts it puts into SSL_CERT_FILE."""
    context: ssl.SSLContext
    """For the server's side."""


@functools.cache
def self_signed_certificate() -> Certificate:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    names: list[x509.GeneralName] = [x509.DNSName("localhost")]
    names += [x509.IPAddress(ipaddress.ip_address(address)) for address in _ADDRESSES]
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(days=2))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    certificate_pem = certificate.public_bytes(serialization.Encoding.PEM)
    key_pem = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.TemporaryDirectory() as folder:  # OpenSSL loads a chain from files only
        chain = Path(folder, "chain.pem")
        chain.write_bytes(certificate_pem + key_pem)
        context.load_cert_chain(chain)
    return Certificate(certificate_pem.decode(), context)
