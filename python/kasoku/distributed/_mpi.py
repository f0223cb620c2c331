"""Messages of bytes between processes by MPI (mpi4py). That a process does not come, or is gone, mpiexec sees."""

from __future__ import annotations

import json

import numpy as np

from ._carrier import Carrier


class Mpi(Carrier):
    """The processes of MPI's world."""

    def __init__(self, timeout):
        from mpi4py import MPI

        self._world = MPI.COMM_WORLD.Dup()
        self.rank, self.size = self._world.Get_rank(), self._world.Get_size()

    def send(self, rank, header, data=b""):
        self._world.send(json.dumps(header), rank)
        if header.get("bytes"):
            self._world.Send(data, rank)

    def recv(self, rank):
        header = json.loads(self._world.recv(source=rank))
        data = np.empty(header.get("bytes", 0), np.uint8)
        if data.size:
            self._world.Recv(data, rank)
        return header, data

    def close(self):
        self._world.Free()
