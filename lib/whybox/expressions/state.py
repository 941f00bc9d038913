"""A fitted model as plain data and back, with every claim of the data checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from whybox._state import broken, plain_classes, require
from whybox.errors import InputError
from whybox.expressions.analysis import Analyzer
from whybox.expressions.learning import Choice, Learned
from whybox.expressions.mining import Settings
from whybox.expressions.ranking import icf
from whybox.expressions.selection import Expression

if TYPE_CHECKING:
    from whybox.expressions.estimator import DiscriminatoryExpressions

__all__ = ["pack", "unpack"]

KIND = "DiscriminatoryExpressions"
_SETTINGS = (
    "min_precision", "min_recall", "max_words", "search", "seed_documents", "allow_repeats", "max_gap",
)  # fmt: skip
_CHOICE = ("classes", "pos_label", "selection", "n_expressions")
_OTHERS = ("stop_words", "analyzer", "language")


def pack(model: DiscriminatoryExpressions) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Take a fitted model apart; see ``DiscriminatoryExpressions.to_state``.

    Examples
    --------
    >>> from whybox.expressions import DiscriminatoryExpressions
    >>> meta, arrays = pack(DiscriminatoryExpressions().fit(["good", "bad"], [1, 0]))
    >>> meta["expressions"], arrays["matches"].tolist()
    ([['bad'], ['good']], [[1, 0], [1, 0]])
    """
    learned = model.learned_
    meta = {
        "kind": KIND,
        "parameters": _plain_parameters(model),
        "expressions": [list(each.words) for each in learned.expressions],
        "forms": {word: list(forms) for word, forms in learned.forms.items()},
        "n_found": learned.n_found,
        "n_uncovered": learned.n_uncovered,
    }
    arrays: dict[str, NDArray[Any]] = {
        "classes": plain_classes(learned.classes),
        "class_count": learned.class_count,
        "target": np.array([each.target for each in learned.expressions], np.int64),
        "matches": np.array([[each.tp, each.fp] for each in learned.expressions], np.int64),
        "targets": np.array(learned.targets, np.int64),
        "coverage": learned.coverage,
    }
    return meta, arrays


def unpack(
    meta: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> tuple[dict[str, Any], Learned]:
    """Read parameters and what was learnt; see ``DiscriminatoryExpressions.from_state``.

    Examples
    --------
    >>> unpack({"kind": "Forest"}, {})
    Traceback (most recent call last):
    whybox.errors.InputError: this is not the state of a fitted model, it is a Forest: ...
    """
    try:
        require(meta["kind"] == KIND, f"it is a {meta['kind']}")
        parameters = dict(meta["parameters"])
        require(set(parameters) == {*_SETTINGS, *_CHOICE, *_OTHERS}, "its parameters are others")
        Settings(**{name: parameters[name] for name in _SETTINGS})
        Choice(**{name: parameters[name] for name in _CHOICE})
        Analyzer(parameters["analyzer"], parameters["language"]).stop_words(
            parameters["stop_words"]
        )
        return parameters, _learned(meta, arrays)
    except InputError as error:
        raise error if "not the state" in error.what else broken(str(error)) from error
    except (KeyError, TypeError, AttributeError, ValueError, IndexError) as error:
        raise broken(f"it cannot be read: {type(error).__name__}: {error}") from error


def _learned(meta: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Learned:
    """Check and build what was learnt."""
    classes = np.array(arrays["classes"])
    require(classes.ndim == 1 and len(classes) > 1, "classes are no list of two or more")
    require(classes.dtype.kind in "biufU", "classes are no plain labels")
    require(np.array_equal(np.unique(classes), classes), "classes are not sorted or repeat")
    words = [tuple(each) for each in meta["expressions"]]
    proper = all(each and all(isinstance(w, str) for w in each) for each in words)
    require(proper and len(words) > 0 and len(set(words)) == len(words), "its expressions")
    n, k = len(classes), len(words)
    class_count = _integers("class_count", arrays, (n,), 1)
    target = _integers("target", arrays, (k,), 0, n)
    matches = _integers("matches", arrays, (k, 2), 0)
    targets = _integers("targets", arrays, (len(arrays["targets"]),), 0, n)
    require(bool((matches[:, 0] >= 1).all()), "an expression occurs in no document of its class")
    total = int(class_count.sum())
    inside = matches[:, 0] <= class_count[target]
    outside = matches[:, 1] <= total - class_count[target]
    require(bool((inside & outside).all()), "an expression has more matches than documents")
    coverage = np.array(arrays["coverage"])
    proper = coverage.shape == targets.shape and coverage.dtype == np.float64
    require(proper and bool(((coverage >= 0) & (coverage <= 1)).all()), "coverage is no share")
    scores = matches[:, 0] / class_count[target] * icf(matches[:, 1], total)
    described = tuple(
        Expression(each, int(t), int(tp), int(fp), int(class_count[t]), float(score))
        for each, t, (tp, fp), score in zip(words, target, matches, scores, strict=True)
    )
    return Learned(
        classes,
        class_count,
        described,
        _count(meta, "n_found"),
        _count(meta, "n_uncovered"),
        tuple(targets.tolist()),
        coverage,
        _forms(meta["forms"], {word for each in words for word in each}),
    )


def _forms(forms: Mapping[str, Any], words: set[str]) -> dict[str, tuple[str, ...]]:
    """Check that each word has forms."""
    require(set(forms) == words, "forms are not those of its words")
    proper = all(each and all(isinstance(form, str) for form in each) for each in forms.values())
    require(proper, "forms are no lists of strings")
    return {word: tuple(each) for word, each in forms.items()}


def _integers(
    name: str,
    arrays: Mapping[str, NDArray[Any]],
    shape: tuple[int, ...],
    least: int,
    below: int | None = None,
) -> NDArray[np.int64]:
    """Check that an array holds integers in a range."""
    values = np.array(arrays[name])
    require(values.dtype == np.int64 and values.shape == shape, f"{name} has another shape")
    inside = (values >= least).all() and (below is None or (values < below).all())
    require(bool(inside), f"{name} is out of range")
    return values


def _count(meta: Mapping[str, Any], name: str) -> int:
    """Check that a number counts something."""
    value = meta[name]
    require(isinstance(value, int) and not isinstance(value, bool) and value >= 0, name)
    return int(value)


def _plain_parameters(model: DiscriminatoryExpressions) -> dict[str, Any]:
    """Give parameters that JSON can hold."""
    parameters = {}
    for name, value in model.get_params().items():
        if name == "stop_words" and not (value is None or isinstance(value, str)):
            parameters[name] = sorted(value)
        else:
            parameters[name] = value.item() if isinstance(value, np.generic) else value
    if callable(parameters["analyzer"]):
        raise InputError(
            "a model whose analyzer is a callable cannot be stored",
            remedy="use 'tweet', or cut the texts first and use 'tokens'",
        )
    return parameters
