"""How seats are named to people: whoever runs a computer player is named with it."""

from p2pokey.table.roster import Roster


def seat_labels(roster: Roster) -> tuple[str, ...]:
    """Names to show, in seat order; a computer player's says so and who runs it."""
    labels: list[str] = []
    for seat in roster.seats:
        runner = roster.seat_of(seat.runner)
        who = "somebody else" if runner is None else roster.seats[runner].name
        more = f" (computer, run by {who})" if seat.is_computer else ""
        labels.append(seat.name + more)
    return tuple(labels)
