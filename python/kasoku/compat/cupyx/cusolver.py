"""cupyx.cusolver: which of cuSOLVER's routines there are. What they do is in cupy.linalg, of stacks of matrices too."""

_there = {
    "gesvdj", "gesvdjBatched", "gesvda", "potrfBatched", "potrsBatched", "syevj", "gesv", "gels",
}  # fmt: skip


def check_availability(name):
    """Whether cupy.linalg does what the routine of that name does."""
    return name in _there
