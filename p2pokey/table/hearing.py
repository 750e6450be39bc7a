"""What the links bring, up to the chains; and whose fault it is if it is no message of the table."""

from p2pokey.errors import DecodeError, VerificationError
from p2pokey.table.desk import Desk
from p2pokey.table.effects import BadLink, ChainFull, Send, TableFault
from p2pokey.table.messages import TableMessage, decode_message
from p2pokey.table.records import RecordKind
from p2pokey.tiles import Seat


class Hearing:
    """Takes bytes and gives back the messages that are in order now."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._chains = desk.chains

    def take(self, data: bytes, sender: Seat) -> tuple[TableMessage, ...]:
        """Takes what came by the link of a seat; messages of another session mean nothing.

        A fork or a break is written down, so that it is still known after a restart.
        """
        known = set(self._chains.faults)
        try:
            message = decode_message(data)
            if message.session != self._desk.session:
                return ()
            accepted = self._chains.accept(message)
        except (DecodeError, VerificationError) as error:
            self._desk.emit(BadLink(seat=sender, cause=error.code))
            return ()
        for seat in self._chains.faults.keys() - known:
            for proof in self._chains.faults[seat].evidence:
                self._desk.persist(RecordKind.TALK, proof)
        return accepted

    def read(self, data: bytes) -> tuple[TableMessage, ...]:
        """Reads a record back; DecodeError or BadSignature if it is damaged."""
        return self._chains.accept(decode_message(data))

    def tell_faults(self) -> None:
        """Tells of bad and of full chains, once; everybody gets the evidence."""
        for seat, fault in self._chains.faults.items():
            if self._desk.is_news("fault", seat):
                for data in fault.evidence:
                    self._desk.emit(Send(data=data))
                self._desk.emit(TableFault(seat=seat, cause=fault.code, evidence=fault.evidence))
        for seat in sorted(self._chains.full):
            if self._desk.is_news("full", seat):
                self._desk.emit(ChainFull(seat=seat))
