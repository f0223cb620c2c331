"""kasoku devices: what this machine has."""

from .output import JSON, console, print_json, size, table


def devices(json: bool = JSON):
    """List the devices of this machine."""
    import kasoku as ks

    default = ks.default_device()
    rows = [{"device": d.name, "default": d == default, **d.properties, "memory": d.memory} for d in ks.devices()]
    if json:
        return print_json(rows)
    shown = table("device", "name", "architecture", ">units", ">memory", ">free")
    for row in rows:
        shown.add_row(
            row["device"] + (" [green](default)[/]" if row["default"] else ""),
            row["name"],
            row["architecture"],
            str(row["multiprocessors"]),
            size(row["memory"]["total"]),
            size(row["memory"]["free"]),
        )
    console().print(shown)
    return None
