"""cupy.cuda.nvtx: accepted, nothing is marked."""

available = True


def Mark(message, color=-1):
    pass


def RangePush(message, color=-1):
    pass


MarkC, RangePushC = Mark, RangePush


def RangePop():
    pass
