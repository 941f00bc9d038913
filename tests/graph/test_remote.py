"""A driver says in words why a scheduler does not answer or may not be used."""

from __future__ import annotations

import contextlib
import datetime
import importlib.util
import socket
import ssl
import threading

import dask
import pytest

from daemons import ROOT, make_certificates
from whybox.errors import InputError, RunError
from whybox.graph.remote import check_address, remote_client
from whybox.graph.session import connect


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    return make_certificates(tmp_path_factory.mktemp("ours") / "tls")


@pytest.fixture(scope="module")
def foreign(tmp_path_factory):
    return make_certificates(tmp_path_factory.mktemp("foreign") / "tls")


@contextlib.contextmanager
def listener(context=None, greeting=b"hello"):
    """A port of loopback where each caller is greeted, over TLS if a context is given."""
    server = socket.create_server(("127.0.0.1", 0))

    def serve():
        while True:
            try:
                line, _ = server.accept()
            except OSError:
                return
            with contextlib.suppress(OSError):
                line.settimeout(1)  # a plain caller waits for us to speak
                with context.wrap_socket(line, server_side=True) if context else line as spoken:
                    spoken.sendall(greeting)
                    spoken.recv(1)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"127.0.0.1:{server.getsockname()[1]}"
    finally:
        server.shutdown(socket.SHUT_RDWR)
        server.close()
        thread.join(10)


def scheduler_context(folder, name="scheduler"):
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=str(folder / "ca.pem"))
    context.load_cert_chain(folder / f"{name}.pem", folder / f"{name}-key.pem")
    context.verify_mode = ssl.CERT_REQUIRED
    return context


@pytest.fixture
def expired(certificates, tmp_path):
    """A folder whose scheduler and client have certificates of our authority that have run out."""
    script = ROOT / "deploy" / "tls" / "make_certificates.py"
    spec = importlib.util.spec_from_file_location("make_certificates", script)
    maker = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(maker)
    authority = maker.certificate("authority", 1)
    maker.write_pair(tmp_path, "ca", authority)
    lately = datetime.timedelta(minutes=1) / datetime.timedelta(days=1)
    for role in ("scheduler", "client"):
        maker.write_pair(tmp_path, role, maker.certificate(role, -lately, authority))
        maker.write_pair(tmp_path, f"good-{role}", maker.certificate(role, 1, authority))
    return tmp_path


def refused(address, **options):
    with pytest.raises(RunError) as caught, remote_client(address, patience=0.5, **options):
        pass
    return str(caught.value)


def test_a_scheduler_of_a_foreign_authority_is_refused(certificates, foreign):
    with listener(scheduler_context(foreign)) as place:
        told = refused(f"tls://{place}", tls=certificates)
    assert "the certificate of the scheduler" in told
    assert "self-signed certificate" in told


def test_our_certificate_of_a_foreign_authority_is_told_as_such(certificates, foreign, tmp_path):
    for name in ("client.pem", "client-key.pem"):
        (tmp_path / name).write_bytes((foreign / name).read_bytes())
    (tmp_path / "ca.pem").write_bytes((certificates / "ca.pem").read_bytes())
    with listener(scheduler_context(certificates)) as place:
        told = refused(f"tls://{place}", tls=tmp_path)
    assert "refuses our certificate" in told
    assert "unknown ca" in told


def test_an_expired_certificate_of_the_scheduler_is_named(expired):
    with listener(scheduler_context(expired)) as place:
        assert "certificate has expired" in refused(f"tls://{place}", tls=expired)


def test_an_expired_certificate_of_ours_is_named(expired):
    with listener(scheduler_context(expired, "good-scheduler")) as place:
        told = refused(f"tls://{place}", tls=expired)
    assert "refuses our certificate" in told
    assert "expired" in told


def test_a_plain_client_is_told_that_the_scheduler_speaks_tls(certificates):
    with listener(scheduler_context(certificates)) as place:
        assert "speaks TLS only" in refused(f"tcp://{place}")


def test_a_tls_client_is_told_that_the_scheduler_does_not(certificates):
    with listener() as place:
        assert "does not speak TLS" in refused(f"tls://{place}", tls=certificates)


def test_a_port_where_nobody_listens_is_told():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    assert "no scheduler answers" in refused(f"tcp://127.0.0.1:{port}")


def test_a_port_that_takes_calls_and_says_nothing_is_told(certificates, monkeypatch):
    monkeypatch.setattr("whybox.graph.remote._SILENCE", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"tls://127.0.0.1:{server.getsockname()[1]}"
        assert "no scheduler answers" in refused(address, tls=certificates)


def test_a_port_that_hangs_up_is_told(certificates):
    with listener(greeting=b"") as place:
        assert "no scheduler answers" in refused(f"tls://{place}", tls=certificates)


@pytest.mark.parametrize("missing", ["ca.pem", "client.pem", "client-key.pem"])
def test_a_folder_without_a_file_is_told(certificates, tmp_path, missing):
    for name in {"ca.pem", "client.pem", "client-key.pem"} - {missing}:
        (tmp_path / name).write_bytes((certificates / name).read_bytes())
    with pytest.raises(InputError, match=missing), connect("tls://127.0.0.1:9", tls=tmp_path):
        pass


def test_files_that_are_no_certificates_are_told(certificates, tmp_path):
    for name in ("ca.pem", "client.pem", "client-key.pem"):
        (tmp_path / name).write_text("no certificate")
    with pytest.raises(InputError, match="cannot be used"), connect("tls://[::1]:9", tls=tmp_path):
        pass


def test_tls_without_certificates_is_told():
    with pytest.raises(InputError, match="no certificates"), connect("tls://127.0.0.1:9"):
        pass


def test_certificates_for_a_plain_address_are_refused(certificates):
    with (
        pytest.raises(InputError, match="certificates are for tls://"),
        connect("tcp://127.0.0.1:9", tls=certificates),
    ):
        pass


def test_settings_that_require_encryption_are_kept(certificates):
    settings = {"distributed.comm.require-encryption": True}
    with (
        dask.config.set(settings),
        pytest.raises(InputError, match="require encryption"),
        connect("tcp://127.0.0.1:9"),
    ):
        pass


@pytest.mark.parametrize("host", ["192.0.2.1", "cluster.example", "[2001:db8::1]"])
def test_a_plain_connection_to_another_machine_needs_a_word(host):
    with pytest.raises(InputError, match="not encrypted"):
        check_address(f"tcp://{host}:8786")
    assert check_address(f"tcp://{host}:8786", insecure=True).port == 8786
    assert check_address(f"tls://{host}:8786").port == 8786


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.8.8.8", "[::1]"])
def test_loopback_may_be_plain(host):
    assert check_address(f"tcp://{host}:8786").port == 8786
