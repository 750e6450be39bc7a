"""What goes wrong at a simulated table: a plan that follows from its seed.

Faults strike when a seat comes to a certain boundary: a place between two effects, before or after it
writes to its journal, saves a file or sends a message to one seat.
"""

import random
from dataclasses import dataclass, replace

from p2pokey.rules.published import RULE_SETS
from p2pokey.table.asking import ASK_SECONDS, STUCK_SECONDS
from tests.sim.table_wishes import Evening, draw_evening

FOREVER = None
GAMES = [key for key in RULE_SETS if key != "classic"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Crash:
    """The program is killed, and perhaps started again."""

    down_s: float | None
    """Seconds until it is started again; None: never."""
    torn: float = 1.0
    """How much of what it writes just then is written."""
    cut: int = 0
    """Bytes that the hand's journal loses besides, as with a broken disk."""
    cut_table: int = 0
    """Bytes that the table's journal loses."""
    keep: float = 1.0
    """How much of what it has sent and what is under way still arrives."""
    notice_s: float = 0.1
    """After this long the others notice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Some seats do not hear some others."""

    ways: tuple[tuple[int, int], ...]
    """Pairs of speaker and listener."""
    seconds: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Lie:
    """What a seat does that keeps not to the protocol."""

    kind: str
    """cheat, fork, mute or garbage; at the table: table fork, table mute, both, sheet or flood."""
    number: int
    """Which case, or which message."""
    target: int
    """Whom it shows another message, or what kind it withholds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Strike:
    """A fault and when it strikes."""

    seat: int
    boundary: int
    fault: Crash | Block
    is_moving: bool = False
    """Whether boundaries are counted from when other seats were agreed on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Everything about one table."""

    seed: int
    game: str
    seats: int
    recovery: bool
    turn_limit: int | None
    """Turns after which the hand is over; None: a whole hand with real audits."""
    delay_s: float
    loss: float
    slow: tuple[float, ...]
    """Seconds that one piece of work takes at each seat, at most."""
    absent_s: float
    round_s: float
    timer_s: int
    """Seconds for a turn; 0: no timer."""
    grace_s: int
    thinks_s: tuple[float, ...]
    """How long a person at each seat thinks at most; 0: the computer player moves at once."""
    waits: bool
    """Whether a paused hand waits for ever (`--if-missing wait`)."""
    chats: bool
    """Whether people say something now and then."""
    strikes: tuple[Strike, ...]
    liar: int | None
    lie: Lie | None
    kind: str
    """Which family of faults this seed belongs to."""
    evening: Evening | None = None
    """What people want besides one hand; None: nothing."""

    @property
    def is_gentle(self) -> bool:
        """Whether every fault is over long before anybody loses patience."""
        return self.kind in ("calm", "gentle", "questions", "seats")

    @property
    def must_count(self) -> bool:
        """Whether the hand must come to a score: nothing keeps it from that."""
        return self.is_gentle and self.evening is None

    @property
    def has_lasting_block(self) -> bool:
        """Whether two seats never hear each other again: no new table comes together with both."""
        return any(
            isinstance(strike.fault, Block) and strike.fault.seconds is None
            for strike in self.strikes
        )

    @property
    def cut_off(self) -> set[int]:
        """Seats that hear nobody for longer than they wait for what they have said yes to."""
        blocks = [strike.fault for strike in self.strikes if isinstance(strike.fault, Block)]
        lasting = [
            block
            for block in blocks
            if block.seconds is None or block.seconds > ASK_SECONDS + STUCK_SECONDS
        ]
        others = self.seats - 1
        return {
            seat
            for seat in range(self.seats)
            for block in lasting
            if sum(listener == seat for _, listener in block.ways) == others
        }

    @property
    def gone(self) -> set[int]:
        """Seats that never come back."""
        return {
            strike.seat
            for strike in self.strikes
            if isinstance(strike.fault, Crash) and strike.fault.down_s is None
        }

    @property
    def forgetful(self) -> set[int]:
        """Seats whose disk loses something."""
        return {
            strike.seat
            for strike in self.strikes
            if isinstance(strike.fault, Crash) and (strike.fault.cut or strike.fault.cut_table)
        }

    @property
    def careless(self) -> set[int]:
        """Seats whose disk loses something of the table's journal, which has the scores."""
        return {
            strike.seat
            for strike in self.strikes
            if isinstance(strike.fault, Crash) and strike.fault.cut_table
        }

    @property
    def troubled(self) -> set[int]:
        """Seats that a fault or a lie of this plan is about."""
        seats = set() if self.liar is None else {self.liar}
        for strike in self.strikes:
            match strike.fault:
                case Crash():
                    seats.add(strike.seat)
                case Block(ways=ways):
                    seats |= {seat for way in ways for seat in way}
        return seats


KINDS = {
    "calm": 3,
    "gentle": 32,
    "hasty": 18,
    "gone": 9,
    "two gone": 3,
    "liar": 8,
    "questions": 10,
    "seats": 7,
    "hasty questions": 6,
    "lying questions": 4,
}
"""Families of seeds and how many of a hundred they are."""
ASKING = ("questions", "seats", "hasty questions", "lying questions")
"""Families in which people ask for rematches and other seats."""
WHOLE_EVERY = 50


def make_plan(seed: int, only: str | None = None) -> Plan:
    """The plan of a seed; `only`: of this family."""
    dice = random.Random(f"plan {seed}")
    kind = dice.choices(list(KINDS), weights=list(KINDS.values()))[0]
    kind = only or kind
    game = "classic" if dice.random() < 0.6 else dice.choice(GAMES)
    seats = RULE_SETS[game].players
    is_whole = seed % WHOLE_EVERY == WHOLE_EVERY - 1
    plan = Plan(
        seed=seed,
        game=game,
        seats=seats,
        recovery=seats >= 3 and dice.random() < (0.9 if kind == "gone" else 0.75),
        turn_limit=None if is_whole else dice.choice([1, 2, 4, 6, 9]),
        delay_s=dice.choice([0.002, 0.02, 0.2]),
        loss=0.0 if kind == "liar" else dice.choice([0.0, 0.0, 0.0, 0.02, 0.1]),
        slow=tuple(dice.choice([0.001, 0.001, 0.02, 0.2]) for _ in range(seats)),
        absent_s=120.0,
        round_s=120.0,
        timer_s=dice.choice([0, 0, 20, 30]),
        grace_s=dice.choice([0, 10, 60]),
        thinks_s=tuple(dice.choice([0.0, 0.0, 0.0, 5.0, 40.0]) for _ in range(seats)),
        waits=dice.random() < 0.2,
        chats=dice.random() < 0.3,
        strikes=(),
        liar=None,
        lie=None,
        kind=kind,
    )
    if kind not in ASKING:
        return _with_faults(plan, dice)
    turns = dice.choice([1, 2, 4])
    evening = draw_evening(seats, turns, dice, agrees=kind == "seats")
    plan = replace(plan, turn_limit=turns, evening=evening, chats=dice.random() < 0.5)
    return _with_faults(plan, dice)


def _with_faults(plan: Plan, dice: random.Random) -> Plan:
    match plan.kind:
        case "calm":
            return plan
        case "gentle" | "questions" | "seats":
            strikes = tuple(_gentle(plan, dice) for _ in range(dice.choice([1, 1, 2, 3])))
            if plan.kind == "seats":
                strikes = tuple(_on_the_way(strike, dice) for strike in strikes)
            return replace(plan, strikes=_without_cut(strikes))
        case "hasty" | "hasty questions":
            strikes = tuple(_rough(plan, dice) for _ in range(dice.choice([0, 1, 2, 3])))
            return replace(
                plan,
                strikes=strikes,
                absent_s=dice.choice([2.0, 10.0, 30.0]),
                round_s=dice.choice([3.0, 5.0, 10.0]),
                delay_s=dice.choice([0.02, 0.2, 0.5]),
            )
        case "gone" | "two gone":
            seats = dice.sample(range(plan.seats), 2 if plan.kind == "two gone" else 1)
            strikes = tuple(
                Strike(
                    seat=seat,
                    boundary=_boundary(plan, dice),
                    fault=replace(_crash(dice), down_s=FOREVER, cut=0, cut_table=0),
                )
                for seat in seats
            )
            patience = dice.choice([20.0, 60.0])
            return replace(plan, strikes=strikes, absent_s=patience, round_s=40.0)
    liar = dice.randrange(plan.seats)
    kinds = ["cheat", "cheat", "fork", "fork", "mute", "mute", "garbage"]
    if plan.evening is not None:
        kinds = [
            "cheat",
            "mute",
            "table fork",
            "table fork",
            "table mute",
            "both",
            "sheet",
            "flood",
        ]
    lie = Lie(
        kind=dice.choice(kinds),
        number=dice.randrange(1000),
        target=dice.randrange(1000),
    )
    strikes = tuple(
        strike for strike in (_rough(plan, dice) for _ in range(dice.choice([0, 0, 1])))
    )
    return replace(plan, liar=liar, lie=lie, strikes=strikes, absent_s=30.0, round_s=10.0)


def _boundary(plan: Plan, dice: random.Random) -> int:
    size = 400 if plan.turn_limit is None else 60 + 12 * plan.turn_limit
    if plan.evening is not None:
        size = (size + 20) * (plan.evening.hands or 2)
    return dice.randrange(1, size)


def _crash(dice: random.Random) -> Crash:
    return Crash(
        down_s=dice.choice([0.0, 0.5, 3.0, 10.0, 20.0]),
        torn=dice.choice([0.0, 1.0, 1.0, dice.random()]),
        cut=dice.choice([0, 0, 0, dice.randrange(1, 300), dice.randrange(1, 4000)]),
        cut_table=dice.choice([0, 0, 0, 0, 0, dice.randrange(1, 400)]),
        keep=dice.choice([0.0, 1.0, dice.random()]),
        notice_s=dice.choice([0.05, 1.0, 15.0]),
    )


def _ways(plan: Plan, dice: random.Random) -> tuple[tuple[int, int], ...]:
    """One way of a pair, a pair, or one part of the table from the other."""
    seats = list(range(plan.seats))
    dice.shuffle(seats)
    shape = dice.choice(["one way", "pair", "part"])
    if shape == "part":
        part = seats[: dice.randrange(1, plan.seats)]
        rest = [seat for seat in seats if seat not in part]
        pairs = [(a, b) for a in part for b in rest]
    else:
        pairs = [(seats[0], seats[1])]
    if shape != "one way":
        pairs += [(b, a) for a, b in pairs]
    return tuple(pairs)


def _gentle(plan: Plan, dice: random.Random) -> Strike:
    seat, boundary = dice.randrange(plan.seats), _boundary(plan, dice)
    if dice.random() < 0.65:
        return Strike(seat=seat, boundary=boundary, fault=_crash(dice))
    ways, seconds = _ways(plan, dice), dice.choice([1.0, 8.0, 20.0])
    if plan.seats >= 3 and len(ways) <= 2 and dice.random() < 0.3:
        return Strike(seat=seat, boundary=boundary, fault=Block(ways=ways, seconds=FOREVER))
    return Strike(seat=seat, boundary=boundary, fault=Block(ways=ways, seconds=seconds))


def _on_the_way(strike: Strike, dice: random.Random) -> Strike:
    """Mostly the same fault between the agreement and the new table."""
    if dice.random() < 0.25:
        return strike
    return replace(strike, boundary=dice.randrange(1, 30), is_moving=True)


def _rough(plan: Plan, dice: random.Random) -> Strike:
    """Like a gentle one, but it may take longer than anybody waits."""
    strike = _gentle(plan, dice)
    match strike.fault:
        case Crash():
            down = dice.choice([0.0, 1.0, 5.0, 20.0, 60.0, 200.0])
            return replace(strike, fault=replace(strike.fault, down_s=down))
        case Block(seconds=None):
            return strike
        case Block():
            longer = replace(strike.fault, seconds=dice.choice([2.0, 10.0, 40.0, 150.0]))
            return replace(strike, fault=longer)


def _without_cut(strikes: tuple[Strike, ...]) -> tuple[Strike, ...]:
    """Nothing is cut off a journal where links are broken for good.

    A seat whose journal has lost its end asks every other seat what it may have signed, so it waits
    for whom it never reaches.
    """
    lasting = [
        strike for strike in strikes if isinstance(strike.fault, Block) and not strike.fault.seconds
    ]
    if not lasting:
        return strikes
    kept = lasting[:1] + [strike for strike in strikes if isinstance(strike.fault, Crash)]
    return tuple(
        replace(
            strike,
            fault=replace(strike.fault, cut=0, cut_table=0, torn=round(strike.fault.torn)),
        )
        if isinstance(strike.fault, Crash)
        else strike
        for strike in kept
    )
