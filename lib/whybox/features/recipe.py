"""All the choices that shape features, in one value that a model stores and a scoring run compares.

Two runs with equal recipes may be put side by side. Not only options count: another lexicon file,
or other versions of the packages that cut and stem words, give other numbers.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from datetime import time
from functools import cached_property
from importlib.metadata import version
from typing import Any

from whybox.data.zones import is_zone
from whybox.errors import InputError
from whybox.features.windows import fixed_end, window_seconds
from whybox.text.lexicons import load_lexicon
from whybox.text.spelling import find_dictionary
from whybox.text.stemming import check_language
from whybox.text.stopwords import stop_words_sha256

__all__ = ["Recipe", "recipe_differences"]

_SOFTWARE = ("nltk", "regex", "whybox")
_DERIVED = frozenset({"lexicon_sha256", "spelling_sha256", "stop_words_sha256", "software"})


@dataclass(frozen=True)
class Recipe:
    """How features are made from posts.

    Parameters
    ----------
    timezone : str, default "UTC"
        IANA zone in which a post's hour is read; UTC as published. Never the worker's zone.
    night : str, default "23:00-06:00"
        Half-open window of local time, from the first minute up to, not including, the last.
    lexicon : {"vader", "opinion", "sentiwordnet"}, default "vader"
        Sentiment words.
    language : str, default "english"
        Language of stems and stop words.
    spelling : {"none", "symspell", "textblob"}, default "none"
        What corrects the spelling of words before they are looked up and stemmed; English only.
    lang : str, default "any"
        Keep the posts marked with one of these languages, separated by commas ("en,es").
    min_posts : int, default 6
        Users with fewer kept posts are not modelled.
    own_posts_only : bool, default False
        Leave retweets out, which carry the original's text and counts.
    drop_matching : str, optional
        Regular expression, case ignored; posts whose clean text matches are left out.
    drop_anchors : bool, default False
        Leave out the posts by which labelled users were found.
    own_timezones : bool, default False
        Read the hour of a post in its author's zone where the data tell one, in `timezone` else.
    window : str, optional
        Keep each user's posts of so long a time only, as in 30d.
    window_end : str, default "last"
        Where windows end: the user's last post, last anchor (``anchor``), or a date.

    Raises
    ------
    InputError
        If a value cannot be used, or the lexicon or the corrector is not installed.

    Examples
    --------
    >>> recipe = Recipe(timezone="Asia/Kathmandu", lang="en")
    >>> recipe.night_minutes
    (1380, 360)
    >>> Recipe.from_dict(recipe.as_dict()) == recipe
    True
    >>> Recipe(night="23-6")
    Traceback (most recent call last):
    whybox.errors.InputError: got '23-6', expected two times (night): write it like 23:00-06:00
    """

    timezone: str = "UTC"
    night: str = "23:00-06:00"
    lexicon: str = "vader"
    language: str = "english"
    spelling: str = "none"
    lang: str = "any"
    min_posts: int = 6
    own_posts_only: bool = False
    drop_matching: str | None = None
    drop_anchors: bool = False
    own_timezones: bool = False
    window: str | None = None
    window_end: str = "last"

    def __post_init__(self) -> None:
        _check_types(self)
        _check_zone(self.timezone)
        _ = self.night_minutes
        load_lexicon(self.lexicon)
        check_language(self.language)
        if find_dictionary(self.spelling) and self.language != "english":
            raise InputError(
                f"{self.spelling} corrects English, not {self.language}",
                where="spelling",
                remedy="use none",
            )
        if not all(self.lang.split(",")) or " " in self.lang:
            raise InputError(
                f"got {self.lang!r}, expected languages",
                where="lang",
                remedy="write it like en,es, or any for all",
            )
        if self.min_posts < 1:
            raise InputError(
                f"got {self.min_posts}, expected 1 or more", where="min_posts", remedy="raise it"
            )
        _check_pattern(self.drop_matching)
        if self.window is not None:
            window_seconds(self.window)
        fixed_end(self.window_end, self.timezone)

    @cached_property
    def night_minutes(self) -> tuple[int, int]:
        """The night's first minute of the day, and the first minute that is no longer night."""
        try:
            first, last = (time.fromisoformat(text) for text in self.night.split("-"))
            if first.second or last.second or first == last or first.tzinfo or last.tzinfo:
                raise ValueError
        except ValueError:
            raise InputError(
                f"got {self.night!r}, expected two times",
                where="night",
                remedy="write it like 23:00-06:00",
            ) from None
        return first.hour * 60 + first.minute, last.hour * 60 + last.minute

    @property
    def languages(self) -> frozenset[str] | None:
        """Languages of the posts to keep; None keeps all."""
        return None if self.lang == "any" else frozenset(self.lang.split(","))

    def as_dict(self) -> dict[str, Any]:
        """Return a value for JSON: the options, hashes of the word lists, versions.

        Returns
        -------
        dict
            The options by name; ``lexicon_sha256``; ``stop_words_sha256``; ``spelling_sha256``,
            the dictionary's, if spelling is corrected; and ``software``, the versions of what cuts,
            corrects, folds and stems words, Python's Unicode tables included.

        Examples
        --------
        >>> sorted(Recipe().as_dict()["software"])
        ['nltk', 'regex', 'unicode', 'whybox']
        """
        software = {name: version(name) for name in _SOFTWARE}
        software["unicode"] = unicodedata.unidata_version
        values = asdict(self) | {
            "lexicon_sha256": load_lexicon(self.lexicon).sha256,
            "stop_words_sha256": stop_words_sha256(self.language),
            "software": software,
        }
        if dictionary := find_dictionary(self.spelling):
            values["spelling_sha256"] = dictionary.sha256
            software[dictionary.package] = version(dictionary.package)
        return values

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Recipe:
        """Read the options of a stored recipe; hashes and versions are this installation's.

        Parameters
        ----------
        values : mapping
            What :meth:`as_dict` returned, perhaps on another machine, or options alone.

        Returns
        -------
        Recipe
            With defaults for what is not given.

        Raises
        ------
        InputError
            If a name is unknown or a value cannot be used.

        Examples
        --------
        >>> Recipe.from_dict({"min_posts": 10}).min_posts
        10
        """
        names = {field.name for field in fields(cls)}
        unknown = sorted(set(values) - names - _DERIVED)
        if unknown:
            raise InputError(
                f"unknown option {', '.join(unknown)}",
                where="recipe",
                remedy=f"use {', '.join(sorted(names))}",
            )
        return cls(**{name: value for name, value in values.items() if name in names})


def recipe_differences(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> tuple[str, ...]:
    """Name what differs between two stored recipes.

    Parameters
    ----------
    ours, theirs : mapping
        What :meth:`Recipe.as_dict` returned.

    Returns
    -------
    tuple of str
        Sorted names; a package's is ``software.NAME``. Empty if features can be compared.

    Examples
    --------
    >>> recipe_differences(Recipe().as_dict(), Recipe(timezone="Europe/Madrid").as_dict())
    ('timezone',)
    """
    flat = [_flatten(recipe) for recipe in (ours, theirs)]
    missing = object()
    return tuple(
        name
        for name in sorted(flat[0].keys() | flat[1].keys())
        if flat[0].get(name, missing) != flat[1].get(name, missing)
    )


def _flatten(recipe: Mapping[str, Any]) -> dict[str, Any]:
    """Put the versions beside the options."""
    flat = {name: value for name, value in recipe.items() if name != "software"}
    versions = recipe.get("software", {})
    return flat | {f"software.{name}": value for name, value in versions.items()}


def _check_types(recipe: Recipe) -> None:
    """Refuse values of another type than the default's, such as a number from a TOML file."""
    for field in fields(recipe):
        value = getattr(recipe, field.name)
        expected = str if field.default is None else type(field.default)
        optional = field.default is None and value is None
        if not optional and type(value) is not expected:
            raise InputError(
                f"got a {type(value).__name__}, expected a {expected.__name__}",
                where=field.name,
                remedy="change the value",
            )


def _check_zone(name: str) -> None:
    """Refuse what is no IANA zone."""
    if not is_zone(name):
        raise InputError(
            f"no time zone {name!r}",
            where="timezone",
            remedy="use an IANA name such as UTC or America/New_York",
        )


def _check_pattern(pattern: str | None) -> None:
    """Refuse what is no regular expression."""
    try:
        re.compile(pattern or "")
    except re.error as error:
        raise InputError(
            f"no regular expression: {error}", where="drop_matching", remedy="correct it"
        ) from None
