"""What goes from a device to the host while something is computed."""

import kasoku as ks


def bytes_to_host(work):
    """Of a second work(), since the first one may compile: their number, and what was counted besides."""
    work()
    before = ks.stats()
    made = work()
    between = ks.stats() - before
    del made
    to_host = between["bytes_from_device"] + sum(n for name, n in between.items() if name.endswith("for_numpy"))
    return to_host, {name: n for name, n in between.items() if n}
