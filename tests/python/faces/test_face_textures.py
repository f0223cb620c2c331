"""Textures of PyCUDA's and CuPy's faces against the arrays that they read."""

import numpy as np
import pytest

import kasoku as ks
from kasoku.compat import cupy
from kasoku.compat.pycuda import _context
from kasoku.compat.pycuda import driver as drv
from kasoku.compat.pycuda import gpuarray
from kasoku.compat.pycuda.compiler import SourceModule


@pytest.fixture(autouse=True)
def on_cpu(request):
    """References to textures are read on a CPU only, also where there is a GPU."""
    if "device" in request.fixturenames and request.getfixturevalue("device") != "cpu":
        yield
        return
    of_cupy = cupy.cuda._device._scopes
    before, of_cupy_before = _context._current, of_cupy.used
    _context._current = of_cupy.used = ks.Device("cpu")
    with ks.default_device("cpu"):
        yield
    _context._current, of_cupy.used = before, of_cupy_before


PLANES = """
texture<float, 2, cudaReadModeElementType> one;
texture<float, 2, cudaReadModeElementType> two;
__global__ void sum(float *out) {
  const int row = threadIdx.x, col = threadIdx.y;
  out[row * blockDim.y + col] = tex2D(one, row, col) + tex2D(two, row, col);
}
__global__ void between(float *out, float step) { out[threadIdx.x] = tex2D(one, threadIdx.x * step, 0.5f); }
"""


def test_matrices_by_reference():
    module = SourceModule(PLANES)
    a, b = np.random.default_rng(1).random((2, 8, 6)).astype(np.float32)
    one, two = module.get_texref("one"), module.get_texref("two")
    drv.matrix_to_texref(a, one, order="F")
    drv.matrix_to_texref(b, two, order="F")
    out = np.zeros((8, 6), np.float32)
    module.get_function("sum")(drv.Out(out), block=(8, 6, 1), texrefs=[one, two])
    assert (out == a + b).all()
    drv.matrix_to_texref(b.T, one, order="C")
    module.get_function("sum")(drv.Out(out), block=(8, 6, 1), texrefs=[one, two])
    assert (out == b + b).all()


@pytest.mark.parametrize("mode,outside", [("CLAMP", 3.0), ("BORDER", 0.0)])
def test_filters_and_modes(mode, outside):
    module = SourceModule(PLANES)
    one = module.get_texref("one")
    drv.matrix_to_texref(np.array([[0, 1, 2, 3]], np.float32), one, order="C")
    one.set_filter_mode(drv.filter_mode.LINEAR)
    one.set_address_mode(0, drv.address_mode[mode])
    assert one.get_filter_mode() == drv.filter_mode.LINEAR
    out = np.zeros(24, np.float32)
    module.get_function("between")(drv.Out(out), np.float32(0.25), block=(24, 1, 1), texrefs=[one])
    inside = np.arange(2, 15)  # 0.5 … 3.5
    assert np.allclose(out[inside], inside * 0.25 - 0.5, atol=1 / 256) and np.allclose(out[20:], outside)


def test_copies_of_parts_of_an_array():
    descriptor = drv.ArrayDescriptor()
    descriptor.width, descriptor.height = 8, 0
    descriptor.format, descriptor.num_channels = drv.array_format.SIGNED_INT16, 1
    one, other = drv.Array(descriptor), drv.Array(descriptor)
    want = np.zeros(8, np.int16)
    drv.memcpy_htoa(one, 4, np.array([7, 8, 9], np.int16))
    want[2:5] = 7, 8, 9
    drv.memcpy_dtoa(one, 0, drv.to_device(np.array([1], np.int16)), 2)
    want[0] = 1
    drv.memcpy_atoa(other, 2, one, 0, 14)
    drv.memcpy_atoa(other, 0, other, 2, 2)
    memory, back = drv.mem_alloc(16), np.zeros(8, np.int16)
    drv.memcpy_atod(memory, other, 0, 16)
    drv.memcpy_dtoh(back, memory)
    assert back.tolist() == [1, *want[:7]]
    drv.memcpy_atoh(back, one, 0)
    assert (back == want).all()
    with pytest.raises(drv.LogicError, match="bytes 2 to 18 .* 16 bytes"):
        drv.memcpy_atoh(back, one, 2)
    descriptor.height = 2
    with pytest.raises(drv.LogicError, match="2 axes"):
        drv.memcpy_htoa(drv.Array(descriptor), 0, back)


@pytest.mark.parametrize("dtype,cuda", [(np.float32, "float"), (np.int32, "int"), (np.uint8, "unsigned char")])
def test_linear_memory(dtype, cuda):
    module = drv.module_from_buffer(f"""
    texture<{cuda}, 1, cudaReadModeElementType> table;
    __global__ void read({cuda} *out) {{ out[threadIdx.x] = tex1Dfetch(table, threadIdx.x); }}""")
    values = gpuarray.to_gpu((np.arange(20) * 3).astype(dtype))
    table = module.get_texref("table")
    assert values.bind_to_texref_ext(table) == 0
    out = gpuarray.zeros(24, dtype)
    read = module.get_function("read")
    read(out, block=(24, 1, 1), texrefs=[table])
    assert (out.get() == [*values.get(), 0, 0, 0, 0]).all()
    values.fill(7)  # seen without binding again
    read(out, block=(24, 1, 1), texrefs=[table])
    assert (out.get()[:20] == 7).all()


def test_channels():
    module = SourceModule("""
    texture<float4, 2, cudaReadModeElementType> t;
    __global__ void copy(float4 *out) {
      out[threadIdx.y * blockDim.x + threadIdx.x] = tex2D(t, threadIdx.x, threadIdx.y);
    }""")
    values = np.random.default_rng(2).random((5, 7, 4)).astype(np.float32)
    t = module.get_texref("t")
    drv.bind_array_to_texref(drv.make_multichannel_2d_array(values, order="C"), t)
    out = np.zeros_like(values)
    module.get_function("copy")(drv.Out(out), block=(7, 5, 1), texrefs=[t])
    assert (out == values).all()


def test_rectangles_and_boxes():
    host = np.arange(40, dtype=np.int32).reshape(5, 8)
    memory, pitch = drv.mem_alloc_pitch(8 * 4, 5, 4)
    copy = drv.Memcpy2D()
    copy.set_src_host(host)
    copy.set_dst_device(memory)
    copy.src_pitch, copy.dst_pitch, copy.width_in_bytes, copy.height = 32, pitch, 32, 5
    copy(aligned=True)
    back = np.zeros((2, 3), np.int32)
    copy = drv.Memcpy2D()
    copy.set_src_device(memory)
    copy.set_dst_host(back)
    copy.src_pitch, copy.src_x_in_bytes, copy.src_y = pitch, 8, 1
    copy.width_in_bytes, copy.height = 12, 2
    copy()
    assert (back == host[1:3, 2:5]).all()
    box = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    array = drv.np_to_array(box, "C")
    copy, out = drv.Memcpy3D(), np.zeros_like(box)
    copy.set_src_array(array)
    copy.set_dst_host(out)
    copy.width_in_bytes, copy.height, copy.depth = 16, 3, 2
    copy()
    assert (out == box).all()
    with pytest.raises(drv.LogicError, match="comes first"):
        drv.Memcpy3D()._place("src")


def test_what_textures_refuse():
    module = SourceModule("__device__ int number; __global__ void f() { number = 1; }")
    with pytest.raises(drv.LogicError, match="no texture reference"):
        module.get_texref("number")
    with pytest.raises(TypeError, match="float64"):
        drv.matrix_to_array(np.zeros((2, 2)), "C")
    with pytest.raises(ks.errors.UnsupportedError, match="surface"):
        module.get_surfref("number")


def test_linear_combinations():
    from kasoku.compat.pycuda.elementwise import get_linear_combination_kernel

    x, y = np.random.default_rng(3).random((2, 1000)).astype(np.float32)
    x_gpu, y_gpu, z = gpuarray.to_gpu(x), gpuarray.to_gpu(y), gpuarray.empty(1000, np.float32)
    kinds = [(False, np.float32, np.float32), (True, np.float32, np.float32)]
    function, references = get_linear_combination_kernel(kinds, np.float32)
    scalar = gpuarray.to_gpu(np.array([3], np.float32))
    scalar.bind_to_texref_ext(references[0])
    function.prepared_call((4, 1), (128, 1, 1), np.float32(2), x_gpu.gpudata, y_gpu.gpudata, z.gpudata, 1000)
    assert np.allclose(z.get(), 2 * x + 3 * y)


COPY = """
extern "C" __global__ void copy(float *out, cudaTextureObject_t t, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = threadIdx.y;
  if (x < w && y < h) out[y * w + x] = tex2D<float>(t, x, y);
}
extern "C" __global__ void twice(cudaSurfaceObject_t s, int w) {
  float v;
  surf2Dread(&v, s, threadIdx.x * 4, threadIdx.y);
  surf2Dwrite(2 * v, s, threadIdx.x * 4, threadIdx.y);
}
"""


@pytest.mark.parametrize("kind", ["array", "pitched"])
def test_cupys_objects(kind, device):
    from kasoku.compat.cupy.cuda import runtime, texture

    channel = texture.ChannelFormatDescriptor(32, 0, 0, 0, runtime.cudaChannelFormatKindFloat)
    assert channel.get_channel_format() == {"x": 32, "y": 0, "z": 0, "w": 0, "f": 2}
    values = np.random.default_rng(4).random((5, 32)).astype(np.float32)
    data = cupy.asarray(values)
    if kind == "array":
        array = texture.CUDAarray(channel, 32, 5)
        array.copy_from(data)
        resource = texture.ResourceDescriptor(runtime.cudaResourceTypeArray, cuArr=array)
    else:
        resource = texture.ResourceDescriptor(
            runtime.cudaResourceTypePitch2D, arr=data, chDesc=channel, width=32, height=5, pitchInBytes=128
        )
    t = texture.TextureObject(resource, texture.TextureDescriptor((runtime.cudaAddressModeClamp,) * 2))
    out = cupy.zeros((5, 32), cupy.float32)
    module = cupy.RawModule(code=COPY)
    module.get_function("copy")((1,), (32, 5), (out, t, 32, 5))
    assert (out.get() == values).all()
    if kind == "array":
        module.get_function("twice")((1,), (32, 5), (texture.SurfaceObject(resource), 32))
        array.copy_to(out)
        assert (out.get() == 2 * values).all()
        with pytest.raises(ValueError, match="the array has the shape"):
            array.copy_from(data[:, :8])


def test_a_kernel_of_elements_takes_a_texture(device):
    texture = cupy.cuda.texture
    host = np.random.default_rng(3).random((5, 7)).astype(np.float32)
    array = texture.CUDAarray(texture.ChannelFormatDescriptor(32, 0, 0, 0, 2), 7, 5)
    array.copy_from(host)
    resource = texture.ResourceDescriptor(cupy.cuda.runtime.cudaResourceTypeArray, cuArr=array)
    read = texture.TextureObject(resource, texture.TextureDescriptor((1, 1)))
    kernel = cupy.ElementwiseKernel(
        "T x, U image, uint64 width", "T y", "y = x + tex2D<T>(image, (float)(i % width), (float)(i / width))", "plus"
    )
    ones = cupy.ones((5, 7), np.float32)
    np.testing.assert_array_equal(cupy.asnumpy(kernel(ones, read, 7)), host + 1)
    with pytest.raises(TypeError, match="'image' must be an array, got a pointer"):
        cupy.ElementwiseKernel("T x, raw T image", "T y", "y = x + image[i]")(ones, read)
