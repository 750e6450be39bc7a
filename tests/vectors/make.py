"""Writes the vectors of this project's own making: python -m tests.vectors.make

    crypto.json   one value of everything in p2pokey.crypto (make_crypto.py)
    hand.json     every value of one whole hand of four seats
    hand.jsonl    the transcript of that hand

The hand is played by the machines of the product, and derived a second time, independently, from
its seeds and moves by the formulas of docs/protocol.md; both must agree on every byte. The moves are
those of the committed file, so the files change only when the protocol does. If the moves no longer
fit, because changed bytes mean other tiles, a new hand is looked for, which takes minutes.
"""

import argparse
import hashlib
import json
import sys
from pathlib import Path
from typing import Any

from p2pokey.crypto.group import Group
from p2pokey.errors import P2POkeyError
from p2pokey.native.sealing import ChaChaSealer
from p2pokey.rules.move_text import parse_move
from p2pokey.rules.moves import Move
from tests.crypto.support import BACKENDS, group_of
from tests.sim.table import signer_of
from tests.vectors.derive import Values
from tests.vectors.hand_opening import Opened, commits, joint_values, keys, readies, shuffles
from tests.vectors.hand_play import hand_seed, hand_setup, identity_secret, play
from tests.vectors.hand_playing import Playing, final_score
from tests.vectors.hand_search import search
from tests.vectors.hand_walk import Walk
from tests.vectors.make_crypto import vectors as crypto_vectors

HERE = Path(__file__).parent
ABOUT = {
    "what": "Every value of one hand of Classic Okey between four seats; hand.jsonl is its transcript.",
    "made_by": "tests/vectors/make.py (make vectors); secrets follow from `label` as written there.",
    "shows": "The dice name an excluded seat first; a false okey is turned for the indicator; draws, "
    "taken discards, the indicator's twin shown, re-masks, and a finish.",
    "checked": "Played by the machines of p2pokey; every line, signatures included, computed a second "
    "time from the seeds and moves by the formulas of docs/protocol.md (tests/vectors/derive.py, "
    "hand_*.py). The same bytes with libsodium and with the pure-Python group.",
    "values": "Bytes, points and scalars in hexadecimal as they are sent; other numbers are counts, "
    "seats, slots and tiles, all from 0. Lists of scalars and points are in the order of S6 and S8. "
    "`line` is the line of hand.jsonl, the header being line 1. Names are those of docs/protocol.md; "
    "u' is u_out, w^ w_hat, w' w_out, s^ s_hat, s' s_out, c^ c_hat, t^ t_hat.",
    "left_out": "Of all shuffles but the first, and all re-masks but the first, the values inside the "
    "proof: decks and proofs stand in hand.jsonl, here are their SHA-512.",
}
INSIDE_A_PROOF = (
    *("r", "rho", "u", "w", "w_hat", "w_out", "r_hat", "c", "c_hat", "t", "t_hat"),
    *("s", "s_hat", "s_out", "deck_in", "deck_out"),
)


def hand_values(group: Group, label: str, transcript: bytes) -> dict[str, Any]:
    """All values of the hand, as JSON; AssertionError where the transcript differs from them."""
    setup, seats = hand_setup(label), range(4)
    walk = Walk(
        group,
        ChaChaSealer(),
        setup,
        seeds=[hand_seed(label, seat) for seat in seats],
        signers=[signer_of(label, seat) for seat in seats],
        transcript=transcript,
    )
    opened = Opened()
    commit_notes = commits(walk, opened)
    key_notes = keys(walk, opened)
    joint = joint_values(walk, opened, commit_notes, key_notes)
    shuffle_notes = shuffles(walk, opened, joint["joint_key"])
    ready = readies(walk)
    playing = Playing(walk, opened)
    deal, moves = playing.deal(), playing.moves()
    closing = _closing(walk, final_score(playing, setup.totals))
    assert walk.taken == len(walk.lines)
    _shorten(shuffle_notes)
    _shorten([note["remask"] for note in moves if "remask" in note])
    values = {
        "_about": ABOUT,
        "label": label,
        "setup": _setup(walk, label),
        "commit": commit_notes,
        "keys": key_notes,
        "joint": joint,
        "shuffles": shuffle_notes,
        "ready": ready,
        "tiles": opened.faces,
        "deal": deal,
        "moves": moves,
        **closing,
        "steps": walk.steps,
    }
    text: dict[str, Any] = _text(values)
    return text


def _setup(walk: Walk, label: str) -> Values:
    setup = walk.setup
    return {
        "session": setup.session, "hand": setup.hand,
        "identity_secrets": [identity_secret(label, seat) for seat in walk.seats],
        "roster": list(setup.roster), "seeds": list(walk.seeds),
        "rules": walk.rules_text().decode(), "match_hand": setup.match_hand, "starter": 255,
        "excluded": setup.excluded, "totals": list(setup.totals), "previous": setup.previous,
        "setup": walk.setup_bytes(), "hand_ctx": walk.hand_ctx,
    }  # fmt: skip


def _closing(walk: Walk, score: tuple[tuple[int, ...], tuple[int, ...]]) -> Values:
    """END, DISCLOSE and RESULT (S4.7, S4.8)."""
    final = walk.state
    end = [walk.send("end", seat, final) for seat in walk.seats]
    walk.round_step("ended", final)
    disclose = [walk.send("disclose", seat, walk.seeds[seat]) for seat in walk.seats]
    walk.round_step("disclosed", b"".join(walk.seeds))
    points, totals = score
    numbers = b"".join(n.to_bytes(4, "little", signed=True) for n in (*points, *totals))
    transcript = hashlib.sha512(b"".join(walk.raw[: walk.taken + 1])).digest()
    payload = bytes([len(points)]) + numbers + final + transcript
    result = [walk.send("result", seat, payload) for seat in walk.seats]
    return {
        "end": end,
        "disclose": disclose,
        "result": {
            "points": points, "totals": totals, "transcript_sha512": transcript,
            "payload": payload, "messages": result,
        },
    }  # fmt: skip


def _shorten(notes: list[Values]) -> None:
    """Keeps of all shuffles but the first what tells where another implementation goes wrong."""
    for index, note in enumerate(notes):
        note["deck_out_sha512"] = hashlib.sha512(note["deck_out"]).digest()
        note["proof_sha512"] = hashlib.sha512(note.pop("proof")).digest()
        for name in INSIDE_A_PROOF if index else ():
            note.pop(name, None)


def _text(value: Any) -> Any:
    match value:
        case bytes():
            return value.hex()
        case dict():
            return {name: _text(item) for name, item in value.items()}
        case list() | tuple():
            return [_text(item) for item in value]
        case _:
            return value


def dump(values: object) -> bytes:
    """JSON as it is committed."""
    return json.dumps(values, indent=1).encode("ascii") + b"\n"


def committed_moves() -> tuple[str, list[Move]]:
    """Label and moves of the committed hand."""
    known = json.loads((HERE / "hand.json").read_bytes())
    return known["label"], [parse_move(note["move"]) for note in known["moves"]]


def hand_files(group: Group) -> dict[str, bytes]:
    """hand.json and hand.jsonl of the committed hand, made anew; raises if its moves do not fit."""
    label, moves = committed_moves()
    transcript = play(group, label, moves)
    return {"hand.json": dump(hand_values(group, label, transcript)), "hand.jsonl": transcript}


def _new_hand(group: Group) -> dict[str, bytes]:
    label, transcript = search(group)
    return {"hand.json": dump(hand_values(group, label, transcript)), "hand.jsonl": transcript}


def main() -> int:
    """Writes the files, or compares them with --check."""
    parser = argparse.ArgumentParser(description="Write the test vectors anew.")
    parser.add_argument("--backend", choices=BACKENDS, default=BACKENDS[0])
    parser.add_argument("--check", action="store_true", help="write nothing, compare only")
    options = parser.parse_args()
    group = group_of(options.backend)
    files = {"crypto.json": dump(crypto_vectors(group))}
    try:
        files |= hand_files(group)
    except (P2POkeyError, OSError, ValueError, KeyError) as error:
        if options.check:
            raise
        print(f"The committed hand is of no use any more ({error}); looking for another.")
        files |= _new_hand(group)
    differing = [name for name, data in files.items() if not _is_same(HERE / name, data)]
    for name in differing:
        print(f"{name} differs" if options.check else f"{name} written")
        if not options.check:
            (HERE / name).write_bytes(files[name])
    if not differing:
        print("All vectors are as they were.")
    return 1 if options.check and differing else 0


def _is_same(path: Path, data: bytes) -> bool:
    return path.exists() and path.read_bytes() == data


if __name__ == "__main__":
    sys.exit(main())
