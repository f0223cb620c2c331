"""pycuda.driver: devices, memory, copies, streams, events, textures, functions.

Each part is a module of its own, next to this one."""

import pathlib as _pathlib

import kasoku as ks
from kasoku import _core

from .._face import table as _table

from . import _context, _copies, _errors, _flags, _functions, _memory, _streams, _textures

for _part in (_flags, _errors, _context, _streams, _memory, _textures, _functions, _copies):
    globals().update({_name: _of for _name, _of in vars(_part).items() if not _name.startswith("_")})
_device, _stream = _context._device, _streams._stream
Module = _core.SourceModule


def module_from_buffer(buffer, options=(), message_handler=None):
    """A module from text; machine code of nvcc's is not loaded."""
    from .compiler import SourceModule  # it needs this module

    text = bytes(buffer) if not isinstance(buffer, str) else buffer
    if isinstance(text, bytes):
        if text[:4] == b"\x7fELF" or b".version" in text[:4096]:
            raise ks.errors.UnsupportedError("PTX and machine code cannot be loaded: give the text of the kernels")
        text = text.decode()
    return SourceModule(text)


_table.plain(globals(), {
    "module_from_file": lambda filename: module_from_buffer(_pathlib.Path(filename).read_bytes()),
    "start_profiler": lambda: None, "stop_profiler": lambda: None,
})  # fmt: skip
