"""cupy.cuda.nvrtc: the version of the CUDA language that texts may use."""


def getVersion():
    return (13, 0)


def getSupportedArchs():
    return (75, 80, 86, 87, 88, 89, 90, 100, 110, 103, 120, 121)
