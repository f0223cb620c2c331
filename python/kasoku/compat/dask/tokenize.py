"""dask.tokenize: names by content. Where Dask is installed they are its own, and what a program registers there also names
the arguments of our delayed calls."""

from kasoku import _token

from . import _installed

__getattr__ = _installed.rest_of("tokenize")

if dasks := _installed.module("tokenize"):
    normalize_token, tokenize = dasks.normalize_token, dasks.tokenize
    _token.dispatches.append(normalize_token.dispatch)
else:
    from kasoku._token import tokenize

    class normalize_token:  # noqa: N801 - Dask's name
        """How values are named: `@normalize_token.register(Kind)`."""

        register = staticmethod(_token.register)

        def __new__(cls, value):
            return _token.normalize(value)


__all__ = ["normalize_token", "tokenize"]
