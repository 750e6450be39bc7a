"""What never changes while the page is open (docs/page-protocol.md, WORLD)."""

from p2pokey import __version__
from p2pokey.rules.introductions import introduction, summary
from p2pokey.rules.published import OPTIONS, RULE_SETS
from p2pokey.rules.rulesets import options_of
from p2pokey.web.names import Json
from p2pokey.web.talk_feed import PHRASES


def world_json() -> Json:
    """WORLD: games, their options, phrases, version."""
    games = [
        {
            "key": key,
            "players": rules.players,
            "summary": summary(key),
            "how": introduction(rules),
            "options": [
                {"name": name, "values": list(values), "usual": options_of(rules)[name]}
                for name, values in OPTIONS[key].items()
            ],
        }
        for key, rules in RULE_SETS.items()
    ]
    return {"games": games, "phrases": list(PHRASES), "version": __version__}
