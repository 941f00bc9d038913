"""Hosts on one machine: a network namespace each, joined by a bridge."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_NETWORK = "10.199.7"


@dataclass(frozen=True)
class Host:
    """A namespace with an address of its own."""

    name: str
    address: str

    def command(self, *words: object) -> list[str]:
        """The command that runs another one on this host."""
        return ["ip", "netns", "exec", self.name, *map(str, words)]

    def listening(self) -> set[str]:
        """The addresses on which anything listens, as in 127.0.0.1:8786."""
        lines = _run(*self.command("ss", "--listening", "--tcp", "--numeric", "--no-header"))
        return {line.split()[3] for line in lines.splitlines()}


def why_not() -> str | None:
    """Why there can be none here, or None."""
    missing = [name for name in ("ip", "ss") if not shutil.which(name)]
    if missing:
        return f"not on this machine: {', '.join(missing)}"
    if os.geteuid() != 0:
        return "network namespaces need root"
    probe = f"whybox-probe-{os.getpid()}"
    try:
        _run("ip", "netns", "add", probe)
    except subprocess.CalledProcessError as error:
        return f"no network namespaces: {error.stderr.strip()}"
    _run("ip", "netns", "delete", probe)
    return None


@contextlib.contextmanager
def hosts(names: Sequence[str]) -> Iterator[list[Host]]:
    """Make hosts that see each other and nothing else; remove them when the block ends."""
    tag = f"wb{os.getpid() % 100000}"
    made = [Host(f"{tag}-{name}", f"{_NETWORK}.{n}") for n, name in enumerate(names, 1)]
    with contextlib.ExitStack() as stack:
        switch = Host(f"{tag}-switch", "")
        for host in (switch, *made):
            _run("ip", "netns", "add", host.name)
            stack.callback(_run, "ip", "netns", "delete", host.name)
        _run(*switch.command("ip", "link", "add", "bridge", "type", "bridge"))
        _run(*switch.command("ip", "link", "set", "bridge", "up"))
        for n, host in enumerate(made):
            _plug(switch, f"port{n}", host)
        yield made


def _plug(switch: Host, port: str, host: Host) -> None:
    """Join a host to the bridge."""
    peer = ("type", "veth", "peer", "name", "eth0", "netns", host.name)
    _run(*switch.command("ip", "link", "add", port, *peer))
    _run(*switch.command("ip", "link", "set", port, "master", "bridge", "up"))
    _run(*host.command("ip", "address", "add", f"{host.address}/24", "dev", "eth0"))
    for device in ("lo", "eth0"):
        _run(*host.command("ip", "link", "set", device, "up"))


def _run(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout
