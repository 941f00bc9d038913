"""What each corrector repairs, what it damages, how fast it is, and what it adds to an extraction.

Run as ``python tests/bench/bench_spelling.py [FOLDER]``. The words below were written down before
any corrector saw them; FOLDER, or WHYBOX_REFERENCE, holds the reference texts on which whole counts
are timed (left out without it). Times are CPU times of one process.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from time import process_time

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from text_strategies import real_texts
from whybox.text.counter import TextCounter
from whybox.text.spelling import corrector

ONE_EDIT = """
accomodation=accommodation adress=address agressive=aggressive airpot=airport aparment=apartment
appartment=apartment arguement=argument beutiful=beautiful begining=beginning beleive=believe
buisness=business calender=calendar cemetary=cemetery choclate=chocolate colege=college
concious=conscious definately=definitely diffrent=different doctro=doctor embarass=embarrass
enviroment=environment excercise=exercise familly=family febuary=february foriegn=foreign
freind=friend goverment=government grammer=grammar hospitla=hospital hospitl=hospital
insomia=insomnia knowlege=knowledge libary=library lightening=lightning medecine=medicine
morninng=morning neccessary=necessary neigbor=neighbor nigth=night ocasion=occasion
patiens=patients peple=people persue=pursue posession=possession recieve=receive
recomend=recommend restarant=restaurant seperate=separate shoudler=shoulder sleeep=sleep
somthing=something studnet=student thier=their therapyst=therapist
tomorow=tomorrow tomorro=tomorrow tounge=tongue truely=truly wether=weather wierd=weird
"""
TWO_EDITS = """
acomodation=accommodation antidepresent=antidepressant becuse=because beutifull=beautiful
collegue=colleague embaras=embarrass imediatly=immediately medcin=medicine occured=occurred
psycatrist=psychiatrist reccomendation=recommendation resturaunt=restaurant rythym=rhythm
tommorow=tomorrow unfortunatly=unfortunately
"""
CLEAN = """
anxious insomnia therapist therapy medication bedroom kitchen breakfast lunch dinner coffee weekend
monday football concert guitar playlist homework exam lecture semester professor roommate airport
flight luggage delayed gate seat ticket pilot crew morning tonight yesterday sister brother grandma
puppy kitten neighbour colour favourite organise rainy sunny cloudy winter summer autumn phone
laptop charger password internet website podcast selfie hashtag emoji retweet followers timeline
vlog meme wifi bluetooth netflix spotify instagram snapchat youtube tiktok google iphone android
london madrid chicago texas kayla jayden nguyen garcia patel brexit covid zoom uber tacos sushi
ramen latte gonna wanna gotta dunno kinda tbh btw omg smh idk brb haha hahaha ugh yay meh hmm nah
"""


def stays(counter: TextCounter, words: list[str]) -> list[str]:
    """Each word as it comes out; empty where it became a stop word."""
    counts = counter.count(words)
    spans = zip(counts.indptr[:-1], counts.indptr[1:], strict=True)
    return [" ".join(counts.words[i] for i in counts.stems[slice(*span)]) for span in spans]


def quality(name: str) -> None:
    """Print what is repaired and damaged in a counter's own way, word lists heeded."""
    counter = TextCounter(spelling=name)
    for label, given in (("one edit", ONE_EDIT), ("two edits", TWO_EDITS)):
        pairs = [tuple(pair.split("=")) for pair in given.split()]
        # "their" and "because" are stop words: they come out empty
        meant = stays(TextCounter(), [right for _, right in pairs])
        found = stays(counter, [wrong for wrong, _ in pairs])
        missed = [
            f"{wrong}>{got or '-'}"
            for (wrong, _), got, right in zip(pairs, found, meant, strict=True)
            if got != right
        ]
        print(f"{name}: {label}: {len(pairs) - len(missed)} of {len(pairs)}; not:", *missed)
    words = CLEAN.split()
    found = stays(counter, words)
    hurt = [f"{word}>{got or '-'}" for word, got in zip(words, found, strict=True) if got != word]
    print(f"{name}: {len(hurt)} of {len(words)} clean words damaged:", *hurt)


def speed(name: str, words: list[str]) -> None:
    """Print words a second, each word new to the process."""
    corrector.cache_clear()
    start = process_time()
    correct = corrector(name)
    loaded = process_time()
    for word in words:
        correct(word)
    each = (process_time() - loaded) / len(words)
    print(f"{name}: loaded in {loaded - start:.2f} s; {1 / each:,.0f} of {len(words):,} words/s")


def main() -> int:
    """Time and judge every corrector."""
    typos = [pair.partition("=")[0] for pair in (ONE_EDIT + TWO_EDITS).split()]
    for name in ("symspell", "textblob"):
        quality(name)
        for label, words in (("typos", typos), ("clean", CLEAN.split())):
            print(label, end=", ")
            speed(name, words)
    folder = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("WHYBOX_REFERENCE")
    if folder:
        texts = real_texts(Path(folder))
        TextCounter().count(texts)  # imports and the stems that both need
        for name in ("none", "symspell"):
            counter = TextCounter(spelling=name)
            seconds = []
            for _ in range(6):
                start = process_time()
                counter.count(texts)
                seconds.append(process_time() - start)
            cold, warm = len(texts) / seconds[0], len(texts) / min(seconds[1:])
            print(f"{name}: {len(texts):,} texts/s: {cold:,.0f} cold, {warm:,.0f} warm")
    return 0


if __name__ == "__main__":
    sys.exit(main())
