"""dask.tokenize: names by content."""

from .base import normalize_token, tokenize

__all__ = ["normalize_token", "tokenize"]
