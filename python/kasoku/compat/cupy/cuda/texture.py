"""cupy.cuda.texture: the names; textures themselves are not supported."""

import kasoku as ks


class _Texture:
    def __init__(self, *args, **kwargs):
        raise ks.errors.UnsupportedError(
            f"cupy.cuda.texture.{type(self).__name__}: textures are not supported\n"
            "  fix  pass the array itself to the kernel"
        )


class ChannelFormatDescriptor(_Texture):
    pass


class ResourceDescriptor(_Texture):
    pass


class TextureDescriptor(_Texture):
    pass


class CUDAarray(_Texture):
    pass


class TextureObject(_Texture):
    pass


class SurfaceObject(_Texture):
    pass


class TextureReference(_Texture):
    pass
