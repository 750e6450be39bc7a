"""Sealed boxes between two seats, in a program that may be started again (docs/network.md, Offers).

Both seats hold one X25519 secret for the whole life of a table. A program that comes back knows that
secret but no counters, so each *run* of a program seals under a key of its own: 16 random bytes that
name the run go in the clear with every box and into the key. So no nonce is ever used twice, and
whoever sees a new run knows that the other program has been started again.
"""

from p2pokey.crypto.fiat_shamir import PREFIX
from p2pokey.errors import DecodeError
from p2pokey.net.bodies import Body, decode_body, encode_body
from p2pokey.net.boxes import BoxChannel
from p2pokey.net.kdf import hkdf
from p2pokey.ports import Sealer
from p2pokey.tiles import Seat

RUN_BYTES = 16
"""Random name of one run of a program."""
_KIND = "pair"


class PairChannel:
    """One end of the boxes between two seats.

    Args:
        sealer: ChaCha20-Poly1305.
        shared: 32-byte X25519 secret of the two seats.
        context: bytes that both ends agree on: table, seats and keys.
        own_seat: ours, so that the two directions differ.
        other_seat: theirs.
        run: 16 random bytes of this run of our program.
    """

    def __init__(
        self,
        sealer: Sealer,
        *,
        shared: bytes,
        context: bytes,
        own_seat: Seat,
        other_seat: Seat,
        run: bytes,
    ) -> None:
        self._sealer = sealer
        self._shared = shared
        self._context = context
        self._other_seat = other_seat
        self._run = run
        self._sending = self._channel(own_seat, run)
        self._receiving: BoxChannel | None = None
        self._gone: set[bytes] = set()
        self.other_run = b""
        """Newest run of the other program that a box has come from."""

    def seal(self, body: bytes) -> bytes:
        """The box, itself a body, that holds `body`."""
        box = decode_body(self._sending.seal(body)).as_dict()
        del box["k"]
        return encode_body(_KIND, run=self._run, **box)

    def unseal(self, box: Body) -> Body:
        """The body inside a received box; `other_run` tells of which run it is.

        Raises:
            DecodeError: not sealed by the other seat, not newer than the last box of its run, or of
                a run that another one has followed.
        """
        run = box.binary("run", RUN_BYTES)
        if run == self.other_run and self._receiving is not None:
            return self._receiving.unseal(box)
        if run in self._gone:
            raise DecodeError("expected a box of the newest run")
        channel = self._channel(self._other_seat, run)
        body = channel.unseal(box)
        if self.other_run:
            self._gone.add(self.other_run)
        self.other_run, self._receiving = run, channel
        return body

    def _channel(self, sender: Seat, run: bytes) -> BoxChannel:
        """What that run of that seat seals with; one direction only."""
        info = PREFIX + _KIND.encode("ascii") + bytes([sender]) + run
        key = hkdf(self._shared, salt=self._context, info=info, length=32)
        return BoxChannel(
            self._sealer, kind=_KIND, send_key=key, receive_key=key, context=self._context
        )
