"""Model files: a zip of JSON and arrays that runs no code when it is read.

``MODEL.whybox`` holds ``model.json`` (the class and its settings), ``arrays.npz`` (its numbers),
``card.json`` if there is a card, ``validation.npz`` if it was cross-validated (out-of-fold scores,
sorted, so that they belong to nobody), ``topics.json`` and ``topics.npz`` if some of its features
are topics, and ``manifest.json`` (size and SHA-256 of the others). Dates, order and compression are
fixed, so equal models give equal bytes and a file's hash names a model. Nothing is ever unpickled,
and every member is checked before the first one is used.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

import numpy as np

from whybox._archive import pack_arrays, pack_zip, unpack_arrays, unpack_zip, write_file
from whybox.errors import InputError

if TYPE_CHECKING:
    from whybox.features.topics import TopicModel

__all__ = ["load_card", "load_model", "load_topics", "load_validation", "model_hash", "save_model"]

Arrays = dict[str, np.ndarray]
Place = str | os.PathLike[str]

FORMAT = 1
MAX_BYTES = 1 << 30  # of one file, and of all its members together: a bomb is refused unread
REQUIRED = ("arrays.npz", "model.json")
TOPICS = ("topics.json", "topics.npz")  # both or none
MEMBERS = (*REQUIRED, "card.json", "validation.npz", *TOPICS)
CLASSES = {
    "AdaBoostPTClassifier": "whybox.cbpt:AdaBoostPTClassifier",
    "CBPTClassifier": "whybox.cbpt:CBPTClassifier",
    "DiscriminatoryExpressions": "whybox.expressions:DiscriminatoryExpressions",
    "ExpressionsClassifier": "whybox.expressions:ExpressionsClassifier",
    "MajorityClassifier": "whybox.baselines:MajorityClassifier",
    "S3DClassifier": "whybox.s3d:S3DClassifier",
    "S3DRegressor": "whybox.s3d:S3DRegressor",
    "TopicModel": "whybox.features.topics:TopicModel",
}
_MAKE_AGAIN = "make the model again with `whybox train`, or copy the file again"


class Storable(Protocol):
    """A fitted model that can be taken apart into plain values and put together again."""

    def to_state(self) -> tuple[dict[str, Any], Arrays]:
        """Give the settings (JSON-able) and the arrays (booleans, numbers or fixed-width text)."""


def save_model(
    model: Storable,
    path: Place,
    *,
    card: Mapping[str, Any] | None = None,
    validation: Arrays | None = None,
    topics: TopicModel | None = None,
) -> None:
    """Write a model file, whole or not at all.

    Parameters
    ----------
    model : fitted model
        An instance of one of the classes in ``CLASSES``.
    path : path-like
        The file; one that exists is replaced by an atomic step.
    card : mapping, optional
        The model's card: JSON values only, None where a figure is undefined (no NaN).
    validation : dict of str to array, optional
        Out-of-fold scores and whatever belongs to them, for curves drawn later.
    topics : TopicModel, optional
        The topics that some of the model's features are shares of.

    Raises
    ------
    InputError
        If the model's class is not one that is stored, a value is neither JSON nor an array of
        booleans, numbers or fixed-width text, or the folder is missing or closed to us.
    RunError
        If the disk fails.

    Examples
    --------
    >>> import tempfile
    >>> from whybox.baselines import MajorityClassifier
    >>> model = MajorityClassifier().fit([[1.0], [2.0], [3.0]], ["no", "no", "yes"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(model, f"{folder}/m.whybox", card={"target": "label"})
    ...     load_model(f"{folder}/m.whybox").predict([[9.0]]), load_card(f"{folder}/m.whybox")
    (array(['no'], dtype='<U2'), {'target': 'label'})
    """
    name = type(model).__name__
    if name not in CLASSES:
        raise InputError(
            f"a {name} cannot be stored: only {', '.join(sorted(CLASSES))} can",
            where=str(path),
            remedy="train one of these, or use the model within one run (`whybox compare`)",
        )
    meta, arrays = model.to_state()
    members = {
        "arrays.npz": _pack(arrays, path, "arrays.npz"),
        "model.json": _to_json({"format": FORMAT, "class": name, "meta": meta}, path, "model.json"),
    }
    if validation is not None:
        members["validation.npz"] = _pack(validation, path, "validation.npz")
    if topics is not None:
        meta, arrays = topics.to_state()
        members["topics.json"] = _to_json(meta, path, "topics.json")
        members["topics.npz"] = _pack(arrays, path, "topics.npz")
    if card is not None:
        members["card.json"] = _to_json(dict(card), path, "card.json")
    members["manifest.json"] = _manifest(members)
    write_file(Path(path), pack_zip(members))


def load_model(path: Place) -> Any:
    """Read a model; no code of the file is run.

    Parameters
    ----------
    path : path-like
        A file written by `save_model`.

    Returns
    -------
    fitted model
        Equal to the one that was saved.

    Raises
    ------
    InputError
        If the file is missing, damaged, of a newer format, or describes no known model; it names
        the file, the member and what to do.

    Examples
    --------
    >>> load_model("no/such.whybox")
    Traceback (most recent call last):
    whybox.errors.InputError: cannot read the model: No such file or directory (no/such.whybox)...
    """
    members = _read_members(path)
    model = _from_json(members["model.json"], path, "model.json")
    if model.get("format") != FORMAT:
        _refuse(path, "model.json", f"format {model.get('format')!r} needs another whybox version")
    name, meta = model.get("class"), model.get("meta")
    if not isinstance(name, str) or name not in CLASSES:
        _refuse(path, "model.json", f"{name!r} is none of {', '.join(sorted(CLASSES))}")
    if not isinstance(meta, dict):
        _refuse(path, "model.json", "`meta` is no object")
    arrays = _unpack(members["arrays.npz"], path, "arrays.npz")
    module, attribute = CLASSES[name].split(":")
    kind = getattr(importlib.import_module(module), attribute)
    _topics(members, path)
    try:
        return kind.from_state(meta, arrays)
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError) as error:
        # The hashes say the file is as written, so what wrote it was no whybox of this version.
        _refuse(path, "model.json, arrays.npz", f"they describe no {name}: {error}", error)


def load_card(path: Place) -> dict[str, Any] | None:
    """Read a model's card, or None if the file has none.

    Parameters
    ----------
    path : path-like
        A file written by `save_model`.

    Returns
    -------
    dict or None

    Raises
    ------
    InputError
        As `load_model`; the model itself is hashed but not built.

    Examples
    --------
    >>> load_card(__file__)
    Traceback (most recent call last):
    whybox.errors.InputError: no model file: File is not a zip file (...)...
    """
    members = _read_members(path)
    return _from_json(members["card.json"], path, "card.json") if "card.json" in members else None


def load_validation(path: Place) -> Arrays | None:
    """Read a model's out-of-fold scores, or None if the file has none.

    Parameters
    ----------
    path : path-like
        A file written by `save_model`.

    Returns
    -------
    dict of str to array, or None

    Raises
    ------
    InputError
        As `load_model`; the model itself is hashed but not built.

    Examples
    --------
    >>> import tempfile
    >>> from whybox.baselines import MajorityClassifier
    >>> model = MajorityClassifier().fit([[1.0], [2.0]], ["no", "yes"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(model, f"{folder}/m.whybox", validation={"scores": np.array([0.25])})
    ...     load_validation(f"{folder}/m.whybox")
    {'scores': array([0.25])}
    """
    data = _read_members(path).get("validation.npz")
    return None if data is None else _unpack(data, path, "validation.npz")


def load_topics(path: Place) -> TopicModel | None:
    """Read the topics that a model's features are shares of, or None if the file has none.

    Parameters
    ----------
    path : path-like
        A file written by `save_model`.

    Returns
    -------
    TopicModel or None

    Raises
    ------
    InputError
        As `load_model`; the model itself is hashed but not built.

    Examples
    --------
    >>> import tempfile
    >>> from whybox.baselines import MajorityClassifier
    >>> model = MajorityClassifier().fit([[1.0], [2.0]], ["no", "yes"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(model, f"{folder}/m.whybox")
    ...     load_topics(f"{folder}/m.whybox") is None
    True
    """
    return _topics(_read_members(path), path)


def model_hash(path: Place) -> str:
    """Name a model file by its bytes.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    str
        SHA-256 of the file, 64 hexadecimal digits.

    Raises
    ------
    InputError
        If the file cannot be read.

    Examples
    --------
    >>> len(model_hash(__file__))
    64
    """
    return hashlib.sha256(_read_bytes(path)).hexdigest()


def _pack(arrays: Mapping[str, np.ndarray], path: Place, member: str) -> bytes:
    """Pack arrays, or say what cannot be stored."""
    try:
        return pack_arrays(arrays)
    except ValueError as error:
        raise InputError(f"cannot be written: {error}", where=f"{path}, {member}") from error


def _unpack(data: bytes, path: Place, member: str) -> Arrays:
    """Unpack arrays, or say what is wrong."""
    try:
        return unpack_arrays(data, MAX_BYTES)
    except ValueError as error:
        _refuse(path, member, str(error), error)


def _topics(members: Mapping[str, bytes], path: Place) -> TopicModel | None:
    """Build the topics, or say what is wrong with them."""
    found = [name for name in TOPICS if name in members]
    if not found:
        return None
    if len(found) < len(TOPICS):
        _refuse(path, found[0], f"it is there without {' and '.join(set(TOPICS) - set(found))}")
    from whybox.features.topics import TopicModel

    meta = _from_json(members["topics.json"], path, "topics.json")
    try:
        return TopicModel.from_state(meta, _unpack(members["topics.npz"], path, "topics.npz"))
    except InputError as error:
        _refuse(path, "topics.json, topics.npz", error.what, error)


def _refuse(path: Place, member: str, why: str, cause: BaseException | None = None) -> NoReturn:
    """Raise the error of a member that is not as it must be."""
    raise InputError(
        f"no readable model: {why}", where=f"{os.fspath(path)}, {member}", remedy=_MAKE_AGAIN
    ) from cause


def _to_json(value: dict[str, Any], path: Place, member: str) -> bytes:
    """One spelling for equal values: sorted keys, no blanks, no NaN."""
    try:
        text = json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"cannot be written as JSON: {error}",
            where=f"{os.fspath(path)}, {member}",
            remedy="use plain str, int, float, bool, list, dict, and None for what is undefined",
        ) from error
    return text.encode("ascii")


def _from_json(data: bytes, path: Place, member: str) -> dict[str, Any]:
    """Read a JSON object."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:
        _refuse(path, member, f"it is no JSON: {error}", error)
    if not isinstance(value, dict):
        _refuse(path, member, "it is no JSON object")
    return value


def _manifest(members: Mapping[str, bytes]) -> bytes:
    """Size and hash of each member, in one spelling."""
    listed = {
        name: {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        for name, data in members.items()
    }
    return json.dumps(listed, sort_keys=True, separators=(",", ":")).encode("ascii")


def _read_bytes(path: Place) -> bytes:
    """Read a file of bounded size."""
    try:
        size = Path(path).stat().st_size
        if size > MAX_BYTES:
            raise InputError(
                f"{size:,} bytes are too many for a model (at most {MAX_BYTES:,})",
                where=os.fspath(path),
                remedy="name a file that `whybox train` wrote",
            )
        return Path(path).read_bytes()
    except OSError as error:
        raise InputError(
            f"cannot read the model: {error.strerror}",
            where=os.fspath(path),
            remedy="check the path and its permissions",
        ) from error


def _read_members(path: Place) -> dict[str, bytes]:
    """Read all members and hold each against the manifest, before any is used."""
    data = _read_bytes(path)
    try:
        members = unpack_zip(data, MAX_BYTES)
    except ValueError as error:
        raise InputError(
            f"no model file: {error}", where=os.fspath(path), remedy=_MAKE_AGAIN
        ) from error
    manifest = members.pop("manifest.json", None)
    problems = [f"{name} is missing" for name in REQUIRED if name not in members]
    problems += [f"{name!r} is not expected" for name in sorted(members) if name not in MEMBERS]
    if manifest is None:
        problems.append("manifest.json is missing")
    elif manifest != _manifest(members):
        problems += _differences(_from_json(manifest, path, "manifest.json"), members)
    if problems:
        _refuse(path, "members", "; ".join(problems))
    return members


def _differences(listed: dict[str, Any], members: Mapping[str, bytes]) -> list[str]:
    """Say how the members differ from a manifest that is not theirs."""
    found = json.loads(_manifest(members))
    names = sorted(name for name in listed.keys() | found if listed.get(name) != found.get(name))
    return [f"{name} does not match manifest.json" for name in names] or [
        "manifest.json is not spelt as whybox writes it"
    ]
