"""How seats are named to people: whoever runs a computer player is named with it."""

from p2pokey.table.roster import Roster


def seat_labels(roster: Roster) -> tuple[str, ...]:
    """Names to show, in seat order; a computer player's says so and who runs it.

    Without brackets: sentences put a name into them behind the number of its seat.
    """
    labels: list[str] = []
    for seat in roster.seats:
        runner = roster.seat_of(seat.runner)
        who = "somebody else" if runner is None else roster.seats[runner].name
        labels.append(f"{who}'s bot {seat.name}" if seat.is_computer else seat.name)
    return tuple(labels)
