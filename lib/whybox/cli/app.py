"""The verbs, made from the classes of `whybox.config`: a field is a flag, its docstring the help.

Nothing heavy is imported before a verb runs, so that ``whybox --help`` answers at once.
"""

from __future__ import annotations

import importlib
import inspect
import sys
import typing
from collections.abc import Callable
from dataclasses import MISSING, Field, fields
from pathlib import Path
from typing import Annotated, Any

import typer

from whybox import __version__
from whybox.config import CONFIGS, RunConfig
from whybox.configure import build_config, read_config_file

__all__ = ["main"]

_ABOUT = """Readable models of short texts and online behaviour, as batch jobs on Dask.

Start with: whybox demo --out demo

Scores are research figures about texts and behaviour, never a diagnosis, and never to be used for
automated decisions about a person.
"""

_EXTRA = {
    "config": (Path | None, None, "TOML file with the same names; flags win."),
    "json": (bool, False, "One JSON object on standard output, all else on standard error."),
    "debug": (bool, False, "Show the traceback of an error."),
}


_OPTIONS_AFTER = {"allow_interspersed_args": False, "ignore_unknown_options": False}
"""What stands after the verb that is submitted is that verb's own."""


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit with its code: 0 done, 1 failed or degraded, 2 bad input."""
    _make_app()(args=arguments, prog_name="whybox")


def _make_app() -> typer.Typer:
    """All verbs in one application."""
    app = typer.Typer(
        help=_paragraphs(_ABOUT),
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
        context_settings={"help_option_names": ["-h", "--help"]},
    )

    @app.callback()
    def about(
        version: Annotated[
            bool, typer.Option("--version", is_eager=True, callback=_show_version, help="Version.")
        ] = False,
    ) -> None:
        """Hold the options that come before a verb."""

    for verb, kind in CONFIGS.items():
        settings = _OPTIONS_AFTER if verb == "submit" else None
        command = app.command(verb, help=_paragraphs(kind.__doc__ or ""), context_settings=settings)
        command(_make_verb(verb, kind))
    return app


def _paragraphs(text: str) -> str:
    """Let the terminal break the lines of each paragraph."""
    return "\n\n".join(" ".join(part.split()) for part in text.strip().split("\n\n"))


def _show_version(asked: bool) -> None:
    if asked:
        typer.echo(f"whybox {__version__}")
        raise typer.Exit


def _make_verb(verb: str, kind: type[RunConfig]) -> Callable[..., None]:
    """Make a function whose signature typer reads as the verb's options."""

    def run_verb(context: typer.Context, **given: Any) -> None:
        from whybox.cli.console import Console

        console = Console(as_json=given["json"], debug=given["debug"])
        sys.exit(console.run(lambda: _run(verb, kind, context, given, console)))

    hints = typing.get_type_hints(kind)
    parameters = [inspect.Parameter("context", _KEYWORD, annotation=typer.Context)]
    parameters += [_parameter(entry, hints[entry.name]) for entry in fields(kind)]
    parameters += [
        inspect.Parameter(
            name, _KEYWORD, default=default, annotation=Annotated[hint, typer.Option(help=text)]
        )
        for name, (hint, default, text) in _EXTRA.items()
    ]
    run_verb.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run_verb.__annotations__ = {p.name: p.annotation for p in parameters}
    return run_verb


_KEYWORD = inspect.Parameter.KEYWORD_ONLY


def _parameter(entry: Field[Any], hint: Any) -> inspect.Parameter:
    """One field as a flag or an argument."""
    metavar = entry.metadata.get("argument")
    is_argument = metavar is not None
    is_tuple = typing.get_origin(hint) is tuple
    if is_tuple:
        hint = list[str] if is_argument else str
    text = entry.metadata["help"]
    spec: Any
    if is_argument:
        spec = typer.Argument(help=text, metavar=metavar, show_default=False)
    else:
        spec = typer.Option(help=text, rich_help_panel=entry.metadata.get("panel"))
    if is_argument or entry.default is MISSING:
        # it may stand in the TOML file, so that a missing one is told by build_config
        default, hint = None, hint if is_argument and is_tuple else hint | None
    else:
        default = ",".join(entry.default) if is_tuple else entry.default
    return inspect.Parameter(
        entry.name, _KEYWORD, default=default, annotation=Annotated[hint, spec]
    )


def _run(
    verb: str, kind: type[RunConfig], context: typer.Context, given: dict[str, Any], console: Any
) -> Any:
    """Merge flags over the file, and run the verb's pipeline."""
    values = read_config_file(given["config"], verb) if given["config"] else {}
    for entry in fields(kind):
        source = context.get_parameter_source(entry.name)
        if source is not None and source.name != "DEFAULT" and given[entry.name] is not None:
            values[entry.name] = _split(entry, given[entry.name])
    config = build_config(kind, values)
    pipeline = importlib.import_module(f"whybox.pipelines.{verb}")
    return pipeline.run(config, progress=console)


def _split(entry: Field[Any], value: Any) -> Any:
    """A flag of several names is given with commas between them."""
    if str(entry.type).startswith("tuple") and isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    return value
