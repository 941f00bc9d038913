from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from nltk.tokenize.casual import HANG_RE, _replace_html_entities

from text_strategies import torture
from whybox.expressions import DiscriminatoryExpressions
from whybox.expressions.analysis import Analyzer
from whybox.expressions.spans import find_spans, masked, token_places
from whybox.text.tokens import tokenize


@given(torture)
def test_every_token_stands_where_it_is_said_to_stand(text):
    places = token_places(text)
    tokens = tokenize(text)
    assert len(places) == len(tokens)
    done = 0
    for (start, stop), token in zip(places, tokens, strict=True):
        assert done <= start < stop <= len(text)
        decoded = _replace_html_entities(text[start:stop])
        assert HANG_RE.sub(r"\1\1\1", decoded) == token
        done = stop


def test_entities_and_long_runs_keep_their_places():
    text = "AT&amp;T was great!!!!!!! &lt;3"
    assert [text[start:stop] for start, stop in token_places(text)][-1] == "&lt;3"


def test_an_expression_is_found_in_the_words_of_the_text():
    model = DiscriminatoryExpressions(
        stop_words=None, n_expressions=1, classes="positive", min_precision=1
    )
    model.fit(["not happy", "not that happy", "happy", "not"], [1, 1, 0, 0])
    text = "I am NOT at all Happiness &amp; you?"
    (span,) = model.spans(text)
    assert span.words == ("not", "happi")
    assert span.tokens == (2, 5)
    assert [text[start:stop] for start, stop in span.characters] == ["NOT", "Happiness"]
    assert model.spans("happy, not sad") == []


def test_lists_of_tokens_have_positions_but_no_characters():
    (span,) = find_spans(["a", "b"], [("b",)], Analyzer("tokens"))
    assert (span.tokens, span.characters) == ((1,), ())


def test_a_callables_tokens_are_looked_for_in_the_text():
    (span,) = find_spans("a-b", [("b",)], Analyzer(lambda text: text.split("-")))
    assert span.characters == ((2, 3),)
    (span,) = find_spans("a-b", [("B",)], Analyzer(lambda text: text.upper().split("-")))
    assert span.characters == ()


@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=8), st.data())
def test_masking_shows_the_matched_tokens_only(forms, data):
    tokens = sorted(data.draw(st.sets(st.integers(0, len(forms) - 1), min_size=1)))
    shown = masked(tokens, forms).split()
    assert [part for part in shown if part != "…"] == [forms[at] for at in tokens]
