"""What a spawned or forked-from-server child of `kasoku run` runs as its __mp_main__: the user's
program again, with the same imports redirected (multiprocessing does the same without us)."""

import json as _json
import os as _os

from kasoku import redirect as _redirect

_told = _json.loads(_os.environ["_KASOKU_SPAWNED"])
_redirect.install([_told["folder"]], set(_told["names"]))
__file__ = _told["main"]
with open(__file__, "rb") as _stream:
    exec(compile(_stream.read(), __file__, "exec", dont_inherit=True), globals())
