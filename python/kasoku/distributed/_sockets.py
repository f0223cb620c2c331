"""Messages of bytes between processes through sockets: connections are multiprocessing.connection's."""

from __future__ import annotations

import contextlib
import json
import socket
import struct
import time
from multiprocessing.connection import Connection

from .. import errors
from ._carrier import Carrier


class Sockets(Carrier):
    """A connection to each other process. Rank 0 listens where all know it, and tells each where the others listen."""

    def __init__(self, rank, size, host, port, timeout):
        self.rank, self.size, self.timeout = rank, size, timeout
        self._to = {}
        deadline = time.monotonic() + timeout
        with contextlib.ExitStack() as stack:
            stack.callback(self.close)
            if rank == 0:
                self._gather(host, port, deadline)
            else:
                self._meet(host, port, deadline)
            stack.pop_all()

    def _gather(self, host, port, deadline):
        places = {}
        with _listening("" if host not in ("localhost", "127.0.0.1") else host, port) as listener:
            while len(places) < self.size - 1:
                connection, address = _accepted(listener, deadline, lambda: self._absent(places))
                told = json.loads(self._received(connection, "a process", deadline))
                if told["size"] != self.size or not 0 < told["rank"] < self.size or told["rank"] in places:
                    raise errors.DeviceError(
                        f"distributed.init: a process came as rank {told['rank']} of {told['size']}, and rank 0 is one of {self.size}"
                    )
                self._to[told["rank"]] = connection
                places[told["rank"]] = address, told["port"]
        for connection in self._to.values():
            connection.send_bytes(json.dumps(places).encode())

    def _meet(self, host, port, deadline):
        with _listening("", 0) as listener:
            first = _connected(host, port, deadline, "rank 0")
            self._to[0] = first
            first.send_bytes(
                json.dumps({"rank": self.rank, "size": self.size, "port": listener.getsockname()[1]}).encode()
            )
            try:
                places = json.loads(self._received(first, "rank 0", deadline))
            except errors.DeviceError:
                raise errors.DeviceError(
                    f"distributed.init: rank 0 did not hear of all {self.size} processes in time"
                ) from None
            for other in range(1, self.rank):
                self._to[other] = _connected(*places[str(other)], deadline, f"rank {other}")
                self._to[other].send_bytes(str(self.rank).encode())
            for _ in range(self.rank + 1, self.size):
                connection, _ = _accepted(listener, deadline, lambda: "a process of a higher rank did not come")
                self._to[int(self._received(connection, "a process", deadline))] = connection

    def _absent(self, places):
        absent = [str(rank) for rank in range(1, self.size) if rank not in places]
        ranks = f"rank {absent[0]}" if len(absent) == 1 else f"ranks {', '.join(absent)}"
        return f"{ranks} of {self.size} did not come within {self.timeout:g} s"

    def _received(self, connection, who, deadline):
        try:
            if not connection.poll(max(0, deadline - time.monotonic())):
                raise errors.DeviceError(
                    f"distributed: {who} sent nothing for {self.timeout:g} s; did it call the same?"
                )
            return connection.recv_bytes()
        except (EOFError, ConnectionError):
            raise errors.DeviceError(f"distributed: {who} is gone: its process ended") from None

    def send(self, rank, header, data=b""):
        text = json.dumps(header).encode()
        connection = self._to[rank]
        try:
            connection.send_bytes(struct.pack("<I", len(text)) + text)
            if header.get("bytes"):
                connection.send_bytes(data)
        except BlockingIOError:
            raise errors.DeviceError(f"distributed: rank {rank} took nothing for {self.timeout:g} s") from None
        except ConnectionError:
            raise errors.DeviceError(f"distributed: rank {rank} is gone: its process ended") from None

    def recv(self, rank):
        """(header, bytes)"""
        who, deadline = f"rank {rank}", time.monotonic() + self.timeout
        first = self._received(self._to[rank], who, deadline)
        header = json.loads(first[4:])
        return header, self._received(self._to[rank], who, deadline + self.timeout) if header.get("bytes") else b""

    def close(self):
        for connection in self._to.values():
            connection.close()
        self._to = {}


def _listening(host, port):
    try:
        return socket.create_server((host, port), reuse_port=False)
    except OSError as error:
        raise errors.DeviceError(
            f"distributed.init: rank 0 cannot listen at port {port}: {error.strerror}\n  fix  another MASTER_PORT"
        ) from None


def _connection(made):
    made.setblocking(True)
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return Connection(made.detach())


def _accepted(listener, deadline, absent):
    listener.settimeout(max(0.001, deadline - time.monotonic()))
    try:
        made, address = listener.accept()
    except TimeoutError:
        raise errors.DeviceError(f"distributed.init: {absent()}") from None
    return _connection(made), address[0]


def _connected(host, port, deadline, who):
    while True:
        try:
            return _connection(socket.create_connection((host, port), timeout=max(0.001, deadline - time.monotonic())))
        except OSError as error:
            if time.monotonic() >= deadline:
                raise errors.DeviceError(
                    f"distributed.init: {who} was not at {host}:{port} in time: {error.strerror or error}"
                ) from None
            time.sleep(0.02)
