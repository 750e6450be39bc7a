"""DEAL, INDICATOR and the moves of the walk (docs/protocol.md S4.5, S4.6, S5, S8, S9)."""

from collections.abc import Sequence

from p2pokey.codec import u32
from p2pokey.crypto.fiat_shamir import hash_to_group
from p2pokey.crypto.group import IDENTITY, split32
from p2pokey.rules.engine import engine_for
from p2pokey.rules.events import Event, Reveal
from p2pokey.rules.move_codec import decode_move
from p2pokey.rules.move_text import format_move
from p2pokey.rules.moves import Discard, Finish, move_placed
from p2pokey.rules.moves import Move as GameMove
from p2pokey.rules.state import HandState, Phase
from p2pokey.tiles import TILE_COUNT, Seat, Slot
from p2pokey.transcript.messages import Move
from tests.vectors.derive import Values, dleq, hashed, shuffle
from tests.vectors.hand_opening import Opened
from tests.vectors.hand_walk import Walk

PURPOSES = {"deal": 1, "indicator": 2, "draw": 3}


class Playing:
    """The masked deck and the game between the deal and the end."""

    def __init__(self, walk: Walk, opened: Opened) -> None:
        self.walk = walk
        self.group = walk.group
        self.x, self.X, self.keyset = opened.x, opened.X, opened.keyset
        cells = split32(opened.deck)
        self.c1, self.c2 = cells[0::2], cells[1::2]
        self.faces = list(opened.faces)
        self.points = [
            hash_to_group(self.group, "tile", b"tile" + bytes([t])) for t in range(TILE_COUNT)
        ]
        self.tokens: list[dict[int, bytes]] = [{} for _ in walk.seats]
        self.held: dict[int, bytes] = {}
        """What lies in a slot: C1 || C2 under the holder's key alone, or O || M_t."""
        self.remasks = [0 for _ in walk.seats]
        self.is_fresh = [True for _ in walk.seats]
        self.history = hashed("deck-state").digest()
        self.engine = engine_for(walk.setup.rules)
        self.game, self.events = self.engine.start(
            walk.setup.rules, len(walk.seeds), Seat(opened.starter)
        )

    def deal(self) -> list[Values]:
        """Racks and indicator; once more for each false okey that is turned."""
        notes = []
        purpose = "deal"
        while self.game.phase is Phase.INDICATOR:
            reveals = _reveals(self.events)
            sent = self._send_tokens(reveals, purpose)
            opened = self._open(reveals)
            self.walk.play_step(self.game, self.history)
            notes.append({"purpose": purpose, "tokens": sent, "opened": opened})
            purpose = "indicator"
        return notes

    def moves(self) -> list[Values]:
        """All moves, with the tokens that complete a draw."""
        notes = []
        while self.game.phase is not Phase.OVER:
            note = self._move()
            reveals = _reveals(self.events)
            if reveals:
                note["tokens"] = self._send_tokens(reveals, "draw")
                note["opened"] = self._open(reveals)
            notes.append(note)
        return notes

    def _send_tokens(self, reveals: Sequence[Reveal], purpose: str) -> list[Values]:
        notes = []
        for seat in self.walk.seats:
            positions = sorted(slot for item in reveals if item.to != seat for slot in item.slots)
            if not positions:
                continue
            extra = bytes(positions) + self.keyset
            proof = dleq(
                self.group,
                seed=self.walk.seeds[seat],
                ctx=self.walk.ctx(purpose, seat, self.walk.seq(seat), extra),
                secret=self.x[seat],
                public=self.X[seat],
                points=[self.c1[position] for position in positions],
            )
            head = bytes([PURPOSES[purpose], len(positions), *positions])
            payload = head + b"".join(proof["D"]) + proof["c"] + proof["s"]
            sent = self.walk.send("tokens", seat, payload)
            notes.append({**sent, "positions": positions, **proof})
            self.tokens[seat].update(zip(positions, proof["D"], strict=True))
        return notes

    def _open(self, reveals: Sequence[Reveal]) -> list[Values]:
        notes = []
        for reveal in reveals:
            for slot in reveal.slots:
                if reveal.to is None:
                    M = self._strip(slot, list(self.walk.seats))
                    self._make_public(slot)
                    tile = self.faces[slot]
                    self.game, self.events = self.engine.turn_indicator(self.game, tile)
                else:
                    others = [seat for seat in self.walk.seats if seat != reveal.to]
                    self.held[slot] = self.c1[slot] + self._strip(slot, others)
                    self.is_fresh[reveal.to] = True
                    M = self._open_held(slot, reveal.to)
                assert self.points[self.faces[slot]] == M
                notes.append(
                    {
                        "slot": slot,
                        "to": reveal.to,
                        "held": self.held[slot],
                        "tile": self.faces[slot],
                    }
                )
        return notes

    def _strip(self, slot: int, seats: list[int]) -> bytes:
        tokens = b"".join(self.tokens[seat][slot] for seat in seats)
        return self.group.sub(self.c2[slot], self.group.sum_points(tokens))

    def _open_held(self, slot: int, holder: int) -> bytes:
        c1, c2 = split32(self.held[slot])
        return self.group.sub(c2, self.group.mul([self.x[holder]], c1))

    def _make_public(self, slot: int) -> None:
        self.held[slot] = IDENTITY + self.points[self.faces[slot]]

    def _move(self) -> Values:
        """The next move; which move it is, is the player's choice and taken from the file."""
        seat = self.game.turn
        message = self.walk.peek().message
        assert isinstance(message, Move)
        move = decode_move(message.move)
        remask = self._remask(seat) if self._is_remask_due(seat, move) else None
        for placed in move_placed(move):
            assert self.faces[placed.slot] == placed.tile
        reveal = self._reveal(seat, move)
        payload = len(message.move).to_bytes(2, "little") + message.move
        if remask is None:
            payload += b"\x00"
        else:
            payload += bytes([len(remask["slots"])]) + remask["deck_out"] + remask["proof"]
        payload += b"\x00"
        if reveal is not None:
            tokens = reveal["D"]
            payload = payload[:-1] + bytes([len(tokens)]) + b"".join(tokens)
            payload += reveal["c"] + reveal["s"]
            for slot in reveal["slots"]:
                self._make_public(slot)
        sent = self.walk.send("move", seat, payload)
        self.game, self.events = self.engine.apply(self.game, move)
        self.walk.play_step(self.game, self.history)
        note = {**sent, "move": format_move(move), "move_bytes": message.move}
        note |= {} if remask is None else {"remask": remask}
        return note | ({} if reveal is None else {"reveal": reveal})

    def _concealed(self, seat: int) -> list[Slot]:
        return [slot for slot in self.game.racks[seat] if self.game.faces[slot] is None]

    def _is_remask_due(self, seat: int, move: GameMove) -> bool:
        is_discard = isinstance(move, Discard)
        return is_discard and self.is_fresh[seat] and len(self._concealed(seat)) >= 2

    def _remask(self, seat: int) -> Values:
        slots, counter = self._concealed(seat), self.remasks[seat]
        deck = b"".join([self.held[slot] for slot in slots])
        values = shuffle(
            self.group,
            seed=self.walk.seeds[seat],
            ctx=self.walk.ctx("remask", seat, counter, self.keyset),
            key=self.X[seat],
            deck=deck,
        )
        moved = [self.faces[slots[source]] for source in values["perm"]]
        for i, slot in enumerate(slots):
            self.held[slot] = values["deck_out"][64 * i : 64 * i + 64]
            self.faces[slot] = moved[i]
        self.remasks[seat] += 1
        self.is_fresh[seat] = False
        self.history = hashed(
            "deck-state",
            ("before", self.history),
            ("seat", bytes([seat])),
            ("slots", bytes(slots)),
            ("deck", values["deck_out"]),
        ).digest()
        return {"counter": counter, "slots": slots, "deck_in": deck, **values}

    def _reveal(self, seat: int, move: GameMove) -> Values | None:
        placed = [item for item in move_placed(move) if self.game.faces[item.slot] is None]
        if not placed:
            return None
        slots = [item.slot for item in placed]
        places = [self.game.racks[seat].index(slot) for slot in slots]
        purpose = "finish" if isinstance(move, Finish) else "reveal"
        extra = u32(self.remasks[seat]) + bytes(places) + self.keyset
        proof = dleq(
            self.group,
            seed=self.walk.seeds[seat],
            ctx=self.walk.ctx(purpose, seat, self.walk.seq(seat), extra),
            secret=self.x[seat],
            public=self.X[seat],
            points=[self.held[slot][:32] for slot in slots],
        )
        for slot, token in zip(slots, proof["D"], strict=True):
            opening = self.group.sub(self.held[slot][32:], token)
            assert opening == self.points[self.faces[slot]]
        return {"purpose": purpose, "slots": slots, "rack_indices": places, **proof}


def _reveals(events: Sequence[Event]) -> list[Reveal]:
    return [event for event in events if isinstance(event, Reveal)]


def final_score(
    playing: Playing, totals: tuple[int, ...]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Points of this hand and totals after it."""
    game: HandState = playing.game
    faces = dict(enumerate(playing.faces))
    score = playing.engine.score(game, faces, totals)
    return score.points, score.totals
