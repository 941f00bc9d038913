"""The command line: ``whybox VERB ...``."""

from whybox.cli.app import main

__all__ = ["main"]
