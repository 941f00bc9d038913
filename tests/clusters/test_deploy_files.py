"""The files of deploy/ are what their programs read: settings, manifests, units, the image's steps."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml

from daemons import ROOT, open_folder

DEPLOY = ROOT / "deploy"


def tool(name):
    """The path of a program, or a skip that says how to get it."""
    path = shutil.which(name)
    if path is None:
        pytest.skip(f"{name} is not on this machine")
    return path


def check(*command, **options):
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def documents(path):
    return list(yaml.safe_load_all(path.read_text("utf-8")))


def keys(settings, prefix=()):
    """The path of every value of nested settings."""
    for name, value in settings.items():
        if isinstance(value, dict):
            yield from keys(value, (*prefix, name))
        else:
            yield (*prefix, name)


# Dask's settings


def test_every_setting_is_one_that_dask_has():
    spec = find_spec("distributed")
    (defaults,) = documents(Path(spec.origin).with_name("distributed.yaml"))
    (ours,) = documents(DEPLOY / "dask.yaml")
    known = set(keys(defaults))
    free = ("distributed", "nanny", "pre-spawn-environ")  # any variable of the environment
    unknown = {path for path in keys(ours) if path not in known and path[:3] != free}
    assert unknown == set()
    assert free in {path[:3] for path in known}


def test_the_certificates_come_with_the_same_settings_and_encryption(certificates):
    (ours,) = documents(DEPLOY / "dask.yaml")
    (theirs,) = documents(certificates / "dask.yaml")
    comm = theirs["distributed"]["comm"]
    assert comm.pop("require-encryption") is True
    tls = comm.pop("tls")
    assert theirs == ours
    named = {
        Path(path) for role in ("scheduler", "worker", "client") for path in tls[role].values()
    }
    assert all(path.is_file() for path in named | {Path(tls["ca-file"])})
    assert all(path.stat().st_mode & 0o077 == 0 for path in certificates.glob("*-key.pem"))


def test_certificates_hold_to_the_strict_rules_of_newer_pythons(certificates):
    ca = certificates / "ca.pem"
    for role in ("scheduler", "worker", "client"):
        check(
            tool("openssl"), "verify", "-x509_strict", "-CAfile", ca, certificates / f"{role}.pem"
        )


# containers


def test_the_image_passes_the_linter():
    assert check(tool("hadolint"), DEPLOY / "container" / "Dockerfile") == ""


def test_every_container_of_compose_is_confined_and_none_is_reached_from_outside():
    (compose,) = documents(DEPLOY / "container" / "compose.yaml")
    assert set(compose["services"]) == {"scheduler", "worker", "driver"}
    for service in compose["services"].values():
        assert service["read_only"] is True
        assert service["user"] == "10001"
        assert service["cap_drop"] == ["ALL"]
        assert "ports" not in service
        assert service["networks"] == ["inside"]
    assert compose["networks"]["inside"] == {"internal": True}
    assert compose["services"]["worker"]["deploy"]["replicas"] == 2


def test_verbs_and_options_of_the_manifests_exist():
    (compose,) = documents(DEPLOY / "container" / "compose.yaml")
    (nightly,) = documents(DEPLOY / "kubernetes" / "nightly.yaml")
    pod = nightly["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    unit = (DEPLOY / "systemd" / "whybox-rescore.service").read_text("utf-8")
    command = re.search(r"^ExecStart=\S+ (.*)$", unit, re.M)[1].split()
    told = [compose["services"]["driver"]["command"], pod["containers"][0]["args"], command]
    help_ = check(
        sys.executable, "-m", "whybox", "score", "--help", env={**os.environ, "COLUMNS": "200"}
    )
    for verb, *words in told:
        assert verb == "score"
        for word in words:
            if word.startswith("--"):
                assert word.split("=")[0] in help_


# Kubernetes


def pod_of(spec):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "pod"}, "spec": spec}


@pytest.mark.parametrize("name", ["nightly", "storage"])
def test_manifests_hold_to_the_schemas_of_kubernetes(name):
    check(tool("kubernetes-validate"), "--strict", DEPLOY / "kubernetes" / f"{name}.yaml")


def test_the_cluster_holds_to_the_schema_of_the_operator():
    jsonschema = pytest.importorskip("jsonschema")
    spec = find_spec("dask_kubernetes")
    if spec is None:
        pytest.skip("dask_kubernetes, which carries the operator's schemas, is not installed")
    chart = Path(spec.submodule_search_locations[0]) / "operator/deployment/helm"
    (definition,) = documents(chart / "dask-kubernetes-operator/crds/daskcluster.yaml")
    (version,) = definition["spec"]["versions"]
    (cluster,) = documents(DEPLOY / "kubernetes" / "cluster.yaml")
    jsonschema.validate(cluster, version["schema"]["openAPIV3Schema"])
    assert cluster["apiVersion"] == f"{definition['spec']['group']}/{version['name']}"
    del cluster["spec"]["scheduler"]["service"]  # the schema is looked at indeed
    with pytest.raises(jsonschema.ValidationError, match="service"):
        jsonschema.validate(cluster, version["schema"]["openAPIV3Schema"])


@pytest.mark.parametrize("part", ["scheduler", "worker"])
def test_pods_of_the_cluster_hold_to_the_schemas_of_kubernetes(part, tmp_path):
    (cluster,) = documents(DEPLOY / "kubernetes" / "cluster.yaml")
    path = tmp_path / "pod.yaml"
    path.write_text(yaml.safe_dump(pod_of(cluster["spec"][part]["spec"])))
    check(tool("kubernetes-validate"), "--strict", path)


def test_every_pod_is_confined():
    (cluster,) = documents(DEPLOY / "kubernetes" / "cluster.yaml")
    (nightly,) = documents(DEPLOY / "kubernetes" / "nightly.yaml")
    pods = [cluster["spec"][part]["spec"] for part in ("scheduler", "worker")]
    for pod in (*pods, nightly["spec"]["jobTemplate"]["spec"]["template"]["spec"]):
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["automountServiceAccountToken"] is False
        for container in pod["containers"]:
            assert container["securityContext"]["readOnlyRootFilesystem"] is True
            assert container["securityContext"]["allowPrivilegeEscalation"] is False
            assert container["resources"]["limits"]["memory"]


def test_workers_and_driver_name_the_scheduler_by_tls():
    (cluster,) = documents(DEPLOY / "kubernetes" / "cluster.yaml")
    name, space = cluster["metadata"]["name"], cluster["metadata"]["namespace"]
    env = cluster["spec"]["worker"]["spec"]["containers"][0]["env"]
    addresses = {entry["name"]: entry["value"] for entry in env}
    wanted = f"tls://{name}-scheduler.{space}.svc.cluster.local:8786"
    assert addresses["DASK_SCHEDULER_ADDRESS"] == wanted
    text = (DEPLOY / "kubernetes" / "nightly.yaml").read_text("utf-8")
    assert f"--scheduler=tls://{name}-scheduler:8786" in text


def test_pages_for_people_are_on_loopback_in_every_file():
    (cluster,) = documents(DEPLOY / "kubernetes" / "cluster.yaml")
    (compose,) = documents(DEPLOY / "container" / "compose.yaml")
    commands = [
        *(
            cluster["spec"][part]["spec"]["containers"][0]["args"]
            for part in ("scheduler", "worker")
        ),
        *(
            compose["services"][name]["entrypoint"] + compose["services"][name]["command"]
            for name in ("scheduler", "worker")
        ),
    ]
    for command in commands:
        address = command[command.index("--dashboard-address") + 1]
        assert address.startswith("127.0.0.1:")


# systemd


@pytest.fixture
def units(tmp_path):
    """The units, with a command that is on this machine."""
    for path in (DEPLOY / "systemd").iterdir():
        text = path.read_text("utf-8").replace("/opt/whybox/.venv/bin/whybox", sys.executable)
        (tmp_path / path.name).write_text(text, "utf-8")
    return tmp_path


def test_the_units_are_understood(units):
    names = ("whybox-rescore.timer", "whybox-rescore.service")
    assert check(tool("systemd-analyze"), "verify", *(units / name for name in names)) == ""


def test_the_service_is_confined(units):
    path = units / "whybox-rescore.service"
    command = (tool("systemd-analyze"), "security", "--offline=true", "--no-pager")
    assert "Overall exposure level" in check(*command, "--threshold=20", path)


# shell


def test_the_batch_file_is_understood():
    check(tool("bash"), "-n", DEPLOY / "slurm" / "rescore.sbatch")
    if shellcheck := shutil.which("shellcheck"):
        check(shellcheck, DEPLOY / "slurm" / "rescore.sbatch")


# the image's steps, without an image


def dockerfile():
    """The instructions of the Dockerfile, a list of words each."""
    text = (DEPLOY / "container" / "Dockerfile").read_text("utf-8").replace("\\\n", " ")
    lines = (line for line in text.splitlines() if line and not line.startswith("#"))
    return [(line.split(None, 1)[0], line.split(None, 1)[1]) for line in lines]


def interpreter():
    """A Python of this version that any user may run, or a skip."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    for path in map(
        Path, (sys._base_executable, f"/usr/bin/{version}", f"/usr/local/bin/{version}")
    ):
        folders = path.resolve().parents if path.exists() else ()
        if folders and all(folder.stat().st_mode & 0o001 for folder in folders):
            return str(path)
    pytest.skip(f"no {version} that another user may run")


@pytest.fixture(scope="module")
def image():
    """The first stage's steps: what it copies, installed in a virtual environment of its own."""
    python = interpreter()
    with open_folder() as root:
        source, prefix = root / "src", root / "whybox"
        source.mkdir()
        steps = dockerfile()
        end = [number for number, (word, _) in enumerate(steps) if word == "FROM"][1]
        for word, text in steps[:end]:
            if word == "COPY":
                copy_into(source, *shlex.split(text))
            elif word == "RUN":
                for command in text.replace("/opt/whybox", str(prefix)).split("&&"):
                    words = shlex.split(command)
                    words[0] = python if words[0] == "python" else words[0]
                    check(*words, cwd=source, env=without("PYTHONPATH"))
        shutil.rmtree(source)
        yield prefix


def copy_into(source, *names):
    """What COPY does, to the last of the names."""
    *names, target = names
    for name in names:
        if (ROOT / name).is_dir():
            leave = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / name, source / target, ignore=leave)
        else:
            shutil.copy(ROOT / name, source / target)


def without(variable):
    return {name: value for name, value in os.environ.items() if name != variable}


@pytest.fixture
def in_container():
    """Run a command as the image would: another user, nothing to write to but /tmp and /data."""
    if os.geteuid() != 0:
        pytest.skip("a read-only root needs root")
    with open_folder() as folder:
        for name in ("tmp", "data"):
            (folder / name).mkdir()
        mounts = [
            f"mount -t tmpfs -o size=2g,mode=1777 tmpfs {folder / n}" for n in ("tmp", "data")
        ]
        lines = ["mount -o remount,bind,ro /", *mounts, f"cd {folder}/data", 'exec "$@"']
        become = ["setpriv", "--reuid=10001", "--regid=10001", "--clear-groups", "--no-new-privs"]
        env = {
            "TMPDIR": str(folder / "tmp"),
            "NUMBA_CACHE_DIR": str(folder / "tmp" / "numba"),
            "MPLCONFIGDIR": str(folder / "tmp" / "matplotlib"),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PATH": os.environ["PATH"],
            "HOME": "/home/whybox",
            "WHYBOX_KEY": os.environ["WHYBOX_KEY"],
        }

        def run(*words):
            command = ["unshare", "--mount", "sh", "-c", " && ".join(lines), "sh", *become]
            return subprocess.run(
                [*command, *map(str, words)], env=env, capture_output=True, text=True, timeout=600
            )

        if run("true").returncode != 0:
            pytest.skip("no mount namespaces here")
        assert run("touch", folder / "file").returncode != 0
        assert run("touch", folder / "data" / "file").returncode == 0
        yield run


@pytest.mark.cluster
@pytest.mark.timeout(1800)
def test_the_installed_package_works_as_another_user_on_a_read_only_root(image, in_container):
    whybox = image / "bin" / "whybox"
    helped = in_container(whybox, "--help")
    assert helped.returncode == 0, helped.stderr
    assert "score" in helped.stdout
    where = in_container(image / "bin" / "python", "-c", "import whybox; print(whybox.__file__)")
    assert Path(where.stdout.strip()).is_relative_to(image)  # not the project's own folder
    small = ("--users", 120, "--posts-per-user", 10, "--n-estimators", 5, "--workers", 1)
    done = in_container(whybox, "demo", *small, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)
