"""Make a certificate authority of one's own and a certificate for each role of a Dask cluster.

::

    python deploy/tls/make_certificates.py ~/whybox-tls
    export DASK_CONFIG=~/whybox-tls/dask.yaml      # scheduler, workers and clients alike
    dask scheduler --protocol tls --dashboard-address 127.0.0.1:8787
    dask worker tls://HOST:8786 --nthreads 1 --dashboard-address 127.0.0.1:0
    whybox score ... --scheduler tls://HOST:8786

OUT gets ca.pem, a certificate and a key for scheduler, worker and client, and a dask.yaml: the
settings of deploy/dask.yaml with these files named by absolute paths (``--as`` if they will lie
elsewhere on the machines). Whoever holds a key of this authority may run code on the cluster: give
each machine the files of its roles only, and keep ca-key.pem off all of them.
"""

from __future__ import annotations

import argparse
import datetime
import os
from pathlib import Path

import yaml
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

SETTINGS = Path(__file__).parents[1] / "dask.yaml"
ROLES = ("scheduler", "worker", "client")
USES = (ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH)  # workers are both


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path, help="folder to make; it must not hold a ca.pem")
    parser.add_argument("--days", type=int, default=365, help="how long they are good for (365)")
    parser.add_argument(
        "--as", dest="place", type=Path, help="the folder's path on the cluster's machines"
    )
    return parser.parse_args()


def certificate(
    name: str,
    days: int,
    signer: tuple[x509.Certificate, ec.EllipticCurvePrivateKey] | None = None,
) -> tuple[x509.Certificate, ec.EllipticCurvePrivateKey]:
    """Make a key and its certificate: signed by itself (an authority), or by the signer."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"whybox {name}")])
    issuer, issuer_key = (subject, key) if signer is None else (signer[0].subject, signer[1])
    now = datetime.datetime.now(datetime.UTC)
    ours, theirs = (
        x509.SubjectKeyIdentifier.from_public_key(k.public_key()) for k in (key, issuer_key)
    )
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(minutes=5))  # clocks differ
        .not_valid_after(now + datetime.timedelta(days=days))
        .add_extension(x509.BasicConstraints(ca=signer is None, path_length=None), critical=True)
        .add_extension(key_usage(signs=signer is None), critical=True)
        .add_extension(ours, critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(theirs), critical=False
        )
    )
    if signer is not None:
        builder = builder.add_extension(x509.ExtendedKeyUsage(USES), critical=False)
    return builder.sign(issuer_key, hashes.SHA256()), key


def key_usage(*, signs: bool) -> x509.KeyUsage:
    """What a key is for: to sign certificates, or to prove who one is (Python 3.13 asks for it)."""
    return x509.KeyUsage(
        digital_signature=not signs,
        key_cert_sign=signs,
        crl_sign=signs,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def write(path: Path, data: bytes, mode: int) -> None:
    """Write a new file that never was readable by more than its mode says."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as stream:
        stream.write(data)


def write_pair(
    folder: Path, name: str, pair: tuple[x509.Certificate, ec.EllipticCurvePrivateKey]
) -> None:
    """Write NAME.pem, and NAME-key.pem for its owner alone."""
    pem = serialization.Encoding.PEM
    write(folder / f"{name}.pem", pair[0].public_bytes(pem), 0o644)
    private = pair[1].private_bytes(
        pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    write(folder / f"{name}-key.pem", private, 0o600)


def configuration(place: Path) -> str:
    """Whybox's settings of Dask, with the files, and with a refusal of all that is not encrypted."""
    settings = yaml.safe_load(SETTINGS.read_text("utf-8"))
    files = {
        role: {"cert": str(place / f"{role}.pem"), "key": str(place / f"{role}-key.pem")}
        for role in ROLES
    }
    settings["distributed"]["comm"] |= {
        "require-encryption": True,
        "tls": {"ca-file": str(place / "ca.pem"), **files},
    }
    return yaml.safe_dump(settings, sort_keys=False)


def main() -> None:
    """Make the folder."""
    given = arguments()
    folder: Path = given.out.expanduser().resolve()
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if (folder / "ca.pem").exists():
        raise SystemExit(f"{folder} holds a ca.pem already: remove the folder or name another")
    authority = certificate("authority", given.days)
    write_pair(folder, "ca", authority)
    for role in ROLES:
        write_pair(folder, role, certificate(role, given.days, authority))
    write(folder / "dask.yaml", configuration(given.place or folder).encode(), 0o644)
    print(
        f"certificates for {given.days} days: {folder}; next: export DASK_CONFIG={folder}/dask.yaml"
    )


if __name__ == "__main__":
    main()
