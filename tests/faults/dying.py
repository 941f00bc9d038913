"""Runs that are told to die at a fault point: each in a process forked from one that has imported all."""

from __future__ import annotations

import multiprocessing
import os
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def in_own_process(config, fault=None, target=None):
    """Score in a process of its own; its exit code, negative if a signal ended it."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["warm"])
    process = context.Process(target=target or _score, args=(config, fault, dict(os.environ)))
    # the process to fork from, begun with the first one, finds it by the environment alone
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join(map(str, (HERE.parent, HERE))))
        process.start()
    process.join(120)
    assert process.exitcode is not None
    return process.exitcode


def _score(config, fault, environment):
    os.environ.update(environment)
    os.environ.pop("WHYBOX_FAULT", None)
    if fault is not None:
        os.environ["WHYBOX_FAULT"] = fault
    from whybox.pipelines import score

    sys.exit(score.run(config).exit_code)
