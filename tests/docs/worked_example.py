"""The values of the worked example in docs/transcript-format.md, from the code.

`python -m tests.docs.worked_example` writes the blocks as they stand in the document.
"""

from p2pokey.crypto.fiat_shamir import FiatShamir, fr
from p2pokey.crypto.group import Group, encode_scalar
from p2pokey.crypto.reference import PythonBackend
from p2pokey.deck.contexts import Contexts
from p2pokey.deck.keys import build_commit, build_hand_key, keyset_digest, starter_by_coins
from p2pokey.deck.secrets import SeatSecrets
from p2pokey.deck.shares import build_shares
from p2pokey.deck.states import play_state, round_state
from p2pokey.native.identity import Ed25519Signer, Ed25519Verifier
from p2pokey.native.sealing import ChaChaSealer
from p2pokey.rules import classic
from p2pokey.rules.move_codec import encode_move
from p2pokey.rules.move_text import parse_move
from p2pokey.rules.rulesets import rules_hash, ruleset_for, ruleset_hash, table_options
from p2pokey.rules.state import HandState, canonical_bytes
from p2pokey.tiles import Seat, parse_tile
from p2pokey.transcript.envelope import NO_PREVIOUS, Envelope, seal_envelope
from p2pokey.transcript.file import encode_line
from p2pokey.transcript.messages import NOBODY, Commit, Keys, Move, Result, Void
from p2pokey.transcript.setup import NO_TRANSCRIPT, HandSetup, encode_header

SEATS = tuple(Seat(number) for number in range(4))
SIGNERS = [Ed25519Signer(bytes([0x10 + seat]) * 32) for seat in SEATS]
"""Identity key of seat j: the 32-byte private key is 32 times the byte 0x10 + j."""
SEEDS = [bytes([0x20 + seat]) * 32 for seat in SEATS]
"""Seed of seat j: 32 times the byte 0x20 + j."""
GROUP = Group(PythonBackend())
VERIFIER = Ed25519Verifier()


def setup() -> HandSetup:
    """The first attempt of a match of Classic Okey with the usual options."""
    rules = ruleset_for("classic")
    return HandSetup(
        session=b"\x30" * 32,
        hand=0,
        roster=tuple(signer.public_key for signer in SIGNERS),
        rules=rules,
        options=table_options(4),
        match_hand=0,
        starter=None,
        excluded=0,
        totals=(rules.start_score,) * 4,
        previous=NO_TRANSCRIPT,
    )


def secrets_of(contexts: Contexts) -> list[SeatSecrets]:
    """All seats' secrets."""
    return [
        SeatSecrets.derive(seed=SEEDS[seat], contexts=contexts, seat=seat, threshold=3)
        for seat in SEATS
    ]


def commits(contexts: Contexts) -> list[Commit]:
    """COMMIT of every seat."""
    fields = [
        build_commit(GROUP, contexts, seat, secrets)
        for seat, secrets in zip(SEATS, secrets_of(contexts), strict=True)
    ]
    return [
        Commit(
            seed_commit=field.seed_commit,
            coin_commit=field.coin_commit,
            sealing_key=field.sealing_key,
            pop=field.pop,
        )
        for field in fields
    ]


def keys(contexts: Contexts) -> list[Keys]:
    """KEYS of every seat."""
    messages = []
    sealing_keys = [commit.sealing_key for commit in commits(contexts)]
    for seat, secrets in zip(SEATS, secrets_of(contexts), strict=True):
        fields = build_hand_key(GROUP, contexts, seat, secrets)
        commitments, shares = build_shares(
            GROUP,
            ChaChaSealer(),
            contexts,
            dealer=seat,
            secrets=secrets,
            sealing_keys=sealing_keys,
        )
        messages.append(
            Keys(
                hand_key=fields.hand_key,
                pop=fields.pop,
                commitments=commitments,
                shares=shares,
                coin=fields.coin,
            )
        )
    return messages


def first_envelope() -> Envelope:
    """COMMIT of seat 0, signed."""
    agreed = setup()
    contexts = Contexts(agreed.hand_ctx())
    return seal_envelope(
        SIGNERS[0],
        session=agreed.session,
        hand=agreed.hand,
        seat=Seat(0),
        seq=0,
        prev=NO_PREVIOUS,
        step=0,
        state=round_state(contexts.hand_ctx, 0, "setup", b""),
        message=commits(contexts)[0],
    )


def dealt(starter: Seat) -> HandState:
    """The public state after the deal, the indicator being k7a."""
    state, _ = classic.start(ruleset_for("classic"), 4, starter)
    return classic.turn_indicator(state, parse_tile("k7a"))[0]


def binary_values() -> dict[str, bytes]:
    """Every hexadecimal block of the example, by name."""
    agreed = setup()
    contexts = Contexts(agreed.hand_ctx())
    secrets, round_1, round_2 = secrets_of(contexts)[0], commits(contexts), keys(contexts)
    payloads = [commit.encode() for commit in round_1]
    coins = [message.coin for message in round_2]
    keyset = keyset_digest(payloads, [message.record for message in round_2], coins)
    starter = Seat(starter_by_coins(coins, contexts.hand_ctx))
    game = canonical_bytes(dealt(starter))
    deck = FiatShamir("deck-state").digest()
    envelope = first_envelope()
    result = Result(
        points=(0, -2, -2, -2), totals=(20, 18, 18, 18), state=b"\x01" * 64, transcript=b"\x02" * 64
    )
    return {
        "roster": b"".join(agreed.roster),
        "ruleset_hash": ruleset_hash(agreed.rules),
        "rules_hash": rules_hash(agreed.rules, agreed.options),
        "hand_ctx": contexts.hand_ctx,
        "state_0": envelope.state,
        "x_0": encode_scalar(secrets.hand_secret),
        "e_0": encode_scalar(secrets.sealing_secret),
        "coin_0": secrets.coin,
        "commit_0": payloads[0],
        "body": envelope.body,
        "signed_prefix": fr("sig", b"p2pokey/v1/commit"),
        "signature": envelope.signature,
        "body_hash": envelope.body_hash,
        "state_1": round_state(contexts.hand_ctx, 1, "commits", b"".join(payloads)),
        "keys_0": round_2[0].encode(),
        "keyset": keyset,
        "state_2": round_state(contexts.hand_ctx, 2, "keyset", keyset),
        "starter": bytes([starter]),
        "game": game,
        "deck_history": deck,
        "state_5": play_state(contexts.hand_ctx, 5, game, deck),
        "move_discard": encode_move(parse_move("discard 17:r5a")),
        "move_finish": encode_move(
            parse_move("finish 3:k13a set(0:r1a 1:b1b 2:k1a) run(4:y3a 5:y4a 6:y5b)")
        ),
        "payload_draw": Move(
            move=encode_move(parse_move("draw")), remask=None, tokens=b"", proof=b""
        ).encode(),
        "payload_result": result.encode(),
        "payload_void": Void(reason="Abandoned", culprit=NOBODY, evidence=()).encode(),
    }


def text_values() -> dict[str, str]:
    """Every line of the file that the example shows, by name."""
    return {
        "header": encode_header(setup()).decode("ascii"),
        "line_2": encode_line(first_envelope()).decode("ascii"),
    }


def blocks() -> str:
    """All blocks as they stand in the document."""
    parts = [f"```text {name}\n{text}\n```\n" for name, text in text_values().items()]
    for name, value in binary_values().items():
        digits = value.hex()
        rows = [digits[start : start + 96] for start in range(0, len(digits), 96)]
        parts.append("\n".join([f"```hex {name}", *rows, "```\n"]))
    return "\n".join(parts)


if __name__ == "__main__":
    print(blocks())
