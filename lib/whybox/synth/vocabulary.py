"""The words that synthetic posts are made of: everyday English, written for this package.

Twenty-five topics, loosely after the themes that Tong et al. deduce in Table S13, each with two
dozen common words; function words; words that carry a sign in VADER's lexicon; emoji, emoticons
and hashtags. No topic word or function word is in VADER's lexicon, so that a text has exactly the
signed words that were put into it. No word names a private person.
"""

from __future__ import annotations

__all__ = [
    "EMOJI",
    "EMOTICONS",
    "FUNCTION_WORDS",
    "NEGATIVE_WORDS",
    "POSITIVE_WORDS",
    "TOPICS",
]


def _words(text: str) -> tuple[str, ...]:
    """Cut a text into its words."""
    return tuple(text.split())


TOPICS: dict[str, tuple[str, ...]] = {
    name: _words(words)
    for name, words in {
        "videos": """video channel subscribe stream upload clip camera studio link tutorial
            playlist viewer record edit footage microphone thumbnail review phone tablet download
            battery app screen""",
        "politics": """election president vote senate government minister parliament campaign
            policy debate congress candidate ballot mayoral governor mayor speech law budget
            republic reform poll diplomat capital""",
        "fantasy": """wizard castle dragon wand chapter saga trilogy kingdom sword quest elf
            library author paperback page prophecy throne tower cloak potion scroll forest king
            riddle""",
        "travel": """beach flight hotel airport passport luggage island train station ticket map
            tourist museum harbour mountain desert border village temple bridge hostel ferry
            taxi suitcase""",
        "bands": """band guitar drummer bass tour concert singer setlist amplifier gig vinyl
            chorus rehearsal encore stage ballad lyric acoustic keyboard melody verse openair
            crowd roadie""",
        "public_life": """police council business company office service street building traffic
            case court judge report statement january december country power road district
            meeting department committee housing""",
        "networks": """facebook profile status page group timeline notification inbox comment
            album account login password website browser tab post message contact tag
            screenshot update feed button""",
        "films": """film movie director actor scene cinema trailer script sequel character
            premiere screenplay drama western costume soundtrack documentary animation
            producer audience studio episode plot subtitles""",
        "contests": """giveaway enter entry raffle draw voucher sponsor sample coupon hamper
            deadline shipping postage parcel brand promo code basket store discount order
            checkout delivery catalogue""",
        "albums": """album single chart release debut remix preview comeback tracklist cover label
            sleeve cassette producer duet vocals photobook fandom lightstick leader
            choreography member dancer unit""",
        "radio": """radio station dj presenter broadcast frequency request show airwaves jingle
            interview programme morning evening signal podcast microphone antenna speaker
            listener host bulletin schedule segment""",
        "slang": """dude bruh bro yall gonna wanna tryna bout ima lowkey highkey fam squad vibe
            mood homie gotta kinda sorta aint dunno lemme gimme whatcha""",
        "greetings": """morning goodnight hello tonight weekend monday friday sunday coffee
            breakfast tea sofa pillow blanket nap shower kettle toast pancakes brunch cosy
            slippers pyjamas neighbour""",
        "websites": """site page domain server click banner newsletter plugin template blog
            traffic keyword search engine hosting widget font layout theme browser cookie
            developer database backup""",
        "wellbeing": """mental health therapy counsellor mindful journal routine breathing sleep
            therapist wellbeing awareness session recovery appointment medication talk
            listening stigma meditation coping emotion counselling helpline""",
        "medicine": """doctor hospital clinic nurse surgery treatment patient symptom checkup
            vaccine dose tablet pharmacy blood scan ward prescription surgeon therapy research
            trial specialist ambulance bandage""",
        "clubs": """dj club dance floor beat mix hiphop rap rapper track producer booth vinyl
            lights bassline sampler turntable lineup venue doors midnight queue wristband
            afterparty""",
        "drawing": """anime manga sketch pencil drawing artist ink canvas comic cartoon panel
            paint brush paper colour portrait marker illustration doodle outline watercolour
            shading gallery frame""",
        "award_shows": """grammys category nominee voting carpet ceremony gown performer red host
            stage nomination trophy tuxedo jury envelope ballot speech rehearsal televised
            backstage orchestra usher limousine""",
        "games": """game console level controller quest boss map patch server multiplayer
            expansion character cartridge loot armour avatar puzzle checkpoint keyboard headset
            pixel arcade tutorial speedrun""",
        "pastimes": """garden knitting recipe baking flour oven yarn seeds tomato soup pasta
            kitchen bicycle hiking trail fishing pottery candle quilt sewing chess jigsaw
            camping tent""",
        "family": """mother father sister brother cousin aunt uncle grandma baby birthday school
            teacher homework house dog cat puppy kitten dinner lunch kids wedding nephew
            niece""",
        "football": """football league club goal keeper striker midfield winger coach season
            match stadium halftime referee pitch linesman transfer fixture derby corner
            tackle manager squad away""",
        "statistics": """follower stats checked automatically unfollowed daily tool app list
            weekly tracked report ratio tally chart percent total account counter graph
            average digest export metric""",
        "weather": """rain snow wind cloud sky thunder temperature forecast umbrella coat boots
            winter summer autumn spring fog breeze degrees puddle sunrise sunset moon
            river leaves""",
    }.items()
}
"""Topic name -> its words, the commonest first (ranks are weighted by Zipf's law)."""

FUNCTION_WORDS: tuple[str, ...] = (
    *_words("""the to i a and of in it you my is for on me that this be with at so just was have are but
    not do up out what when get your all we if go can about from now they one how as he then an
    she been there or will its know gotten time back day by who had why think her over too see
    them today him got really some his us has here going did new their would were off more only
    still even make two never need let after because tomorrow where our am week last while into
    before always again other than first say something people every night year look around
    take things little another down tell maybe already through until those almost these
    work old same own since few both next any between find put turn left keep ever
    i'm it's i've don't that's you're we're can't didn't there's what's he's she's"""),
    "sooo",
    "hmmmm",
    "waaait",
    "reeeally",
    "nowww",
    "&amp;",
    "café",
    "déjà",
    "fiancée",
    "über",
    "¿qué",
    '"right"',
    "and\nthen",
    "-&gt;",
    "...",
)
"""Words without a theme, the commonest first; the last few bring marks that readers stumble on."""

NEGATIVE_WORDS: tuple[str, ...] = _words(
    """bad hate sad no sick miss tired wrong hurt lost alone cry crying sorry worst lonely pain
    stupid hell worried frightened awful annoying angry stress stressed ugly broken boring mad fear
    terrible horrible upset lazy guilty scared hopeless useless cruel weak failed fail worse
    crazy ashamed dead die mess mistake nervous numb panic poor problem rude shame sadness
    suffer tears trouble ugh unhappy weird worthless anxiety exhausted"""
)
"""Words with a negative sign in VADER's lexicon."""

POSITIVE_WORDS: tuple[str, ...] = _words(
    """love good like best great happy lol please thanks better well hope nice friend beautiful
    fun yes ready cute amazing pretty haha sure friends win sweet awesome perfect cool proud
    special strong wow care glad lucky smile wonderful enjoy thank free help play peace
    interesting favorite excited true kind welcome fine easy calm brave bright fresh gentle
    joy laugh lovely warm wise safe hug laughing helpful sunshine support trust"""
)
"""Words with a positive sign in VADER's lexicon."""

EMOJI: tuple[str, ...] = _words("😂 ❤️ 😭 😍 🙏 😊 🔥 👍🏽 🎉 💕 😢 👀 🤔 💯 🌧️ ☕ 👩‍👧 🇨🇦 🐶")
"""One grapheme each, the commonest first: plain, with a selector, a skin tone, joined, a flag."""

EMOTICONS: tuple[str, ...] = (":)", ":(", ";)", ":-)", "&lt;3", ":D", ":-(", "=)")
"""As a service sends them: ``<`` is escaped."""
