"""Runs that are told to die at a fault point: each in a process forked from one that has imported all."""

from __future__ import annotations

import multiprocessing
import os
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def begin(config, fault=None, *, file_bytes=None, log=None):
    """Start to score in a process of its own.

    It may write no file larger than ``file_bytes``, and tells what it tells into ``log``.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["warm"])
    given = (config, fault, file_bytes, log, dict(os.environ))
    process = context.Process(target=_score, args=given)
    # the process to fork from, begun with the first one, finds it by the environment alone
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join([str(HERE.parent), str(HERE), *_python_path()]))
        process.start()
    return process


def end(process):
    """Wait for a run; its exit code, negative if a signal ended it."""
    process.join(180)
    assert process.exitcode is not None
    return process.exitcode


def in_own_process(config, fault=None, **options):
    """Score in a process of its own; its exit code."""
    return end(begin(config, fault, **options))


def _python_path():
    return filter(None, [os.environ.get("PYTHONPATH")])


def _score(config, fault, file_bytes, log, environment):
    os.environ.update(environment)
    os.environ.pop("WHYBOX_FAULT", None)
    if fault is not None:
        os.environ["WHYBOX_FAULT"] = fault
    if file_bytes is not None:
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, file_bytes))
    if log is not None:
        told = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(told, 1)
        os.dup2(told, 2)
    from whybox.cli.console import Console
    from whybox.pipelines import score

    sys.exit(Console().run(lambda: score.run(config)))
