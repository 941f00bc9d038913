"""From a text to the words that expressions are made of, and the stop words among them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from whybox.errors import InputError
from whybox.text.stemming import check_language, stem
from whybox.text.stopwords import stop_words as stop_words_of
from whybox.text.tokens import tokenize_many

__all__ = ["SPANISH_STOP_WORDS", "Analyzer", "check_documents"]

SPANISH_STOP_WORDS = frozenset(
    """
    a al algo alguien algún alguna algunas alguno algunos ambas ambos ante antes aquel aquella
    aquellas aquello aquellos aquí así aún aunque bajo bien cada casi como cómo con contra cual cuál
    cuales cualquier cuando cuándo cuanto cuánto de del desde donde dónde dos durante e el él ella
    ellas ello ellos en entonces entre era eran eras eres es esa esas ese eso esos esta está estaba
    estaban estado estamos están estar estas este esto estos estoy fue fueron fui fuimos ha había
    habían haber hace hacia han has hasta hay he hemos la las le les lo los más me mi mí mía mías
    mientras mío míos mis mucho muchos muy nada ni no nos nosotras nosotros nuestra nuestras nuestro
    nuestros nunca o os otra otras otro otros para pero poco por porque pues que qué quien quién
    quienes se sea sean según ser sería si sí sido siempre sin sobre sois somos son soy su sus suya
    suyas suyo suyos tal también tampoco tan tanto te tenía tener tengo ti tiene tienen toda todas
    todavía todo todos tu tú tus tuya tuyo u un una unas uno unos vosotras vosotros vuestra vuestro
    y ya yo
    """.split()  # noqa: SIM905 - a list of 190 literals is no easier to read
)
"""Spanish function words: articles, pronouns, prepositions, conjunctions and auxiliary verbs."""


@dataclass(frozen=True)
class Analyzer:
    """How texts are cut into tokens, and tokens made into words.

    Parameters
    ----------
    kind : {"tweet", "tokens"} or callable, default "tweet"
        "tweet": the tokens of NLTK's TweetTokenizer in lower case, each reduced to its Snowball
        stem. "tokens": a text is a list of tokens, taken as they are. A callable makes the
        tokens of one text, taken as they are.
    language : str, default "english"
        Language of the stems.

    Raises
    ------
    InputError
        If `kind` or `language` is unknown.

    Examples
    --------
    >>> analyzer = Analyzer()
    >>> [[analyzer.word(form) for form in doc] for doc in analyzer.forms(["Not GOOD mornings :D"])]
    [['not', 'good', 'morn', ':d']]
    """

    kind: str | Callable[[Any], Sequence[str]] = "tweet"
    language: str = "english"

    def __post_init__(self) -> None:
        if not callable(self.kind) and self.kind not in ("tweet", "tokens"):
            raise InputError(
                f"got analyzer={self.kind!r}", remedy="use 'tweet', 'tokens' or a callable"
            )
        if self.kind == "tweet":
            check_language(self.language)

    def forms(self, texts: Iterable[Any]) -> list[Sequence[str]]:
        """Cut texts into tokens in the form in which they stand there.

        Examples
        --------
        >>> Analyzer("tokens").forms([["Not", "GOOD"]])
        [['Not', 'GOOD']]
        """
        documents = check_documents(texts)
        if self.kind == "tweet":
            return list(tokenize_many(documents, preserve_case=False))
        if callable(self.kind):
            documents = [list(self.kind(text)) for text in documents]
        unfit = {
            kind
            for kind in set(map(type, documents))
            if issubclass(kind, str) or not hasattr(kind, "__len__")
        }
        if unfit:
            i = next(i for i, document in enumerate(documents) if type(document) in unfit)
            raise InputError(
                f"got a {type(documents[i]).__name__}, expected a list of tokens",
                where=f"document {i}",
                remedy="analyzer='tweet' reads texts",
            )
        return documents

    def word(self, form: str) -> str:
        """Make a token the word that is compared.

        Examples
        --------
        >>> Analyzer(language="spanish").word("corriendo"), Analyzer("tokens").word("running")
        ('corr', 'running')
        """
        return stem(form, self.language) if self.kind == "tweet" else form

    def stop_words(self, chosen: str | Collection[str] | None) -> frozenset[str]:
        """Pass stop words through the same steps as the texts.

        Parameters
        ----------
        chosen : {"english", "spanish"}, collection of str or None
            "english" stands for scikit-learn's list in English, and for the list of `language`
            in any other; there is one for Spanish, and the others have none.

        Raises
        ------
        InputError
            If `chosen` is a name without a list.

        Examples
        --------
        >>> sorted(Analyzer().stop_words(["Because", "this"]))
        ['becaus', 'this']
        """
        if chosen is None:
            return frozenset()
        if isinstance(chosen, str):
            chosen = _list_named(chosen, self.language)
        if self.kind != "tweet":
            return frozenset(chosen)
        forms = self.forms(sorted(chosen))
        return frozenset(self.word(document[0]) for document in forms if len(document) == 1)


def _list_named(name: str, language: str) -> Collection[str]:
    """Find a list of stop words by its name."""
    if name == "spanish" or (name == "english" and language == "spanish"):
        return SPANISH_STOP_WORDS
    if name == "english":
        return stop_words_of(language)
    raise InputError(
        f"there is no list of stop words named {name!r}",
        where="stop_words",
        remedy="use 'english', 'spanish', None or a collection of words",
    )


def check_documents(texts: Iterable[Any]) -> list[Any]:
    """Make a list of documents of a list, a Series, an array or any other iterable.

    Raises
    ------
    InputError
        If `texts` is one string or cannot be iterated over.

    Examples
    --------
    >>> check_documents(text for text in ("one", "two"))
    ['one', 'two']
    """
    if isinstance(texts, (str, bytes)):
        raise InputError(
            f"got one {type(texts).__name__}, expected documents", remedy="put it into a list"
        )
    try:
        return list(texts)
    except TypeError:
        raise InputError(
            f"got a {type(texts).__name__}, expected documents", remedy="give a list or a Series"
        ) from None
