"""The common part of all carriers of messages."""


class Carrier:
    """Sends and receives a header and bytes, by send() and recv() of those that derive from it."""

    def swap(self, rank, header, data=b""):
        """Both send and receive; the lower rank begins, so that nobody waits for a reader who writes."""
        if self.rank < rank:
            self.send(rank, header, data)
            return self.recv(rank)
        got = self.recv(rank)
        self.send(rank, header, data)
        return got
