/// \file fft.cpp
/// ks.fft (kasoku/array/fft.h): NumPy's names and arguments. A transform is a row.
#include "kasoku/array/fft.h"

#include "arguments.h"
#include "array_object.h"
#include "described.h"
#include "kasoku/array/creation.h"
#include "kasoku/array/linalg.h"
#include "kasoku/base/error.h"
#include "kasoku/compile/backends.h"

namespace kasoku {
namespace {

using namespace nb::literals;

Array only(nb::handle x) {
  const Array* array = array_of(x);
  return array ? *array : array_from(x, default_device());
}

FftNorm norm_from(nb::handle norm) {
  if (norm.is_none()) return FftNorm::backward;
  const std::string word = PyUnicode_Check(norm.ptr()) ? nb::cast<std::string>(norm) : nb::cast<std::string>(nb::str(norm));
  if (word == "backward") return FftNorm::backward;
  if (word == "ortho") return FftNorm::ortho;
  if (word == "forward") return FftNorm::forward;
  throw Error(ErrorKind::value, "Invalid norm value " + word + "; should be \"backward\", \"ortho\" or \"forward\".");
}

/// The other way is divided.
FftNorm swapped(FftNorm norm) { return norm == FftNorm::backward ? FftNorm::forward : norm == FftNorm::forward ? FftNorm::backward : norm; }

nb::object stored(Array result, nb::handle out) {
  if (out.is_none()) return nb::cast(std::move(result));
  const std::optional<Array> into = out_from(out);
  if (into->shape() != result.shape() || into->dtype() != result.dtype())
    throw Error(ErrorKind::value, "out= has shape " + str(into->shape()) + " and " + std::string(info(into->dtype()).name) + ", the result " + str(result.shape()) + " and " + std::string(info(result.dtype()).name));
  const GilReleased release;
  into->assign(result);
  return nb::borrow(out);
}

struct Transform {
  const char* name;
  Fourier kind;
  int axes;  ///< 1, 2, or 0: all
  const char* doc;
  const char* call;   ///< an example
  const char* shown;  ///< what Python shows of it
};
// clang-format off
constexpr Transform transforms[] = {
    {"fft",    Fourier::forward,      1, "The discrete Fourier transform along one axis.", "ks.fft.fft([1.0, 2.0, 3.0, 4.0])", "array([10.+0.j, -2.+2.j, -2.+0.j, -2.-2.j])"},
    {"ifft",   Fourier::inverse,      1, "The inverse of fft(): the inverse discrete Fourier transform along one axis.", "ks.fft.ifft([10.0, -2.0 + 2.0j, -2.0, -2.0 - 2.0j]).real", "array([1., 2., 3., 4.])"},
    {"rfft",   Fourier::half,         1, "The transform of real numbers: n // 2 + 1 elements, from which the others follow.", "ks.fft.rfft([1.0, 2.0, 3.0, 4.0])", "array([10.+0.j, -2.+2.j, -2.+0.j])"},
    {"irfft",  Fourier::half_inverse, 1, "The inverse of rfft(): n real numbers, 2 (m - 1) of m where n is not given.", "ks.fft.irfft([10.0, -2.0 + 2.0j, -2.0])", "array([1., 2., 3., 4.])"},
    {"fft2",   Fourier::forward,      2, "The discrete Fourier transform along two axes.", "ks.fft.fft2([[1.0, 2.0], [3.0, 4.0]]).real", "array([[10., -2.],\n       [-4.,  0.]])"},
    {"ifft2",  Fourier::inverse,      2, "The inverse of fft2().", "ks.fft.ifft2([[10.0, -2.0], [-4.0, 0.0]]).real", "array([[1., 2.],\n       [3., 4.]])"},
    {"rfft2",  Fourier::half,         2, "The transform of real numbers along two axes.", "ks.fft.rfft2([[1.0, 2.0], [3.0, 4.0]]).real", "array([[10., -2.],\n       [-4.,  0.]])"},
    {"irfft2", Fourier::half_inverse, 2, "The inverse of rfft2().", "ks.fft.irfft2([[10.0, -2.0], [-4.0, 0.0]])", "array([[1., 2.],\n       [3., 4.]])"},
    {"fftn",   Fourier::forward,      0, "The discrete Fourier transform along several axes, or all.", "ks.fft.fftn([[1.0, 2.0], [3.0, 4.0]]).real", "array([[10., -2.],\n       [-4.,  0.]])"},
    {"ifftn",  Fourier::inverse,      0, "The inverse of fftn().", "ks.fft.ifftn([[10.0, -2.0], [-4.0, 0.0]]).real", "array([[1., 2.],\n       [3., 4.]])"},
    {"rfftn",  Fourier::half,         0, "The transform of real numbers along several axes, or all.", "ks.fft.rfftn([[1.0, 2.0], [3.0, 4.0]]).real", "array([[10., -2.],\n       [-4.,  0.]])"},
    {"irfftn", Fourier::half_inverse, 0, "The inverse of rfftn().", "ks.fft.irfftn([[10.0, -2.0], [-4.0, 0.0]])", "array([[1., 2.],\n       [3., 4.]])"},
};
// clang-format on

/// A row's sentence, what all transforms have in common, the example.
std::string described(const Transform& row) {
  const char* const lengths = row.axes == 1 ? "n= cuts the axis or fills it up with zeros before" : "s= are lengths to which axes= are cut, or filled up with zeros, before";
  return std::string(row.doc) + "\n\n" + lengths + " (of an inverse of real numbers: the result's).\n" +
         "norm=\"backward\" divides inverses by the number of elements, \"forward\" the others, \"ortho\" each by its root.\n"
         "float32 and complex64 are computed as they are, what else there is in float64; out= takes the result.\n"
         "Returns an array. A length below 1 and another norm are a ValueError. DUCC0 computes on a CPU, cuFFT on a GPU.\n\n" +
         example(row.call, row.shown);
}

std::optional<Extents> one_length(nb::handle n) {
  const std::optional<int64_t> length = axis_from(n);
  if (!length) return std::nullopt;
  // -1 says "as it is" to transforms of several axes only.
  if (*length < 1) throw Error(ErrorKind::value, "Invalid number of FFT data points (" + std::to_string(*length) + ") specified.");
  return Extents{*length};
}

}  // namespace

void bind_fft(nb::module_& core) {
  nb::module_ m = core.def_submodule("_fft", "What kasoku/fft.py shows.");
  for (const Transform& row : transforms) {
    const Fourier kind = row.kind;
    if (row.axes == 1) {
      m.def(row.name, [kind](nb::handle a, nb::handle n, int64_t axis, nb::handle norm, nb::handle out) {
        const Array x = only(a);
        const std::optional<Extents> length = one_length(n);
        const FftNorm divided = norm_from(norm);
        return stored(without_gil([&] { return fourier(kind, x, length, Extents{axis}, divided); }), out);
      }, "a"_a, "n"_a = nb::none(), "axis"_a = -1, "norm"_a = nb::none(), "out"_a = nb::none(), described(row).c_str());
      continue;
    }
    const auto of_several = [kind](nb::handle a, nb::handle s, nb::handle axes, nb::handle norm, nb::handle out) {
      const Array x = only(a);
      const std::optional<Extents> lengths = s.is_none() ? std::nullopt : std::optional<Extents>(shape_from(s)), along = axes_from(axes);
      const FftNorm divided = norm_from(norm);
      return stored(without_gil([&] { return fourier(kind, x, lengths, along, divided); }), out);
    };
    if (row.axes == 2) m.def(row.name, of_several, "a"_a, "s"_a = nb::none(), "axes"_a.none() = nb::make_tuple(-2, -1), "norm"_a = nb::none(), "out"_a = nb::none(), described(row).c_str());
    else m.def(row.name, of_several, "a"_a, "s"_a = nb::none(), "axes"_a = nb::none(), "norm"_a = nb::none(), "out"_a = nb::none(), described(row).c_str());
  }
  m.def("hfft", [](nb::handle a, nb::handle n, int64_t axis, nb::handle norm, nb::handle out) {
    const Array x = only(a);
    const std::optional<Extents> length = one_length(n);
    const FftNorm divided = swapped(norm_from(norm));
    return stored(without_gil([&] { return fourier(Fourier::half_inverse, conjugate(x), length, Extents{axis}, divided); }), out);
  }, "a"_a, "n"_a = nb::none(), "axis"_a = -1, "norm"_a = nb::none(), "out"_a = nb::none(), R"(The transform of what is the conjugate of itself turned round, given by its first half: real numbers.

n= is the length of the result. Returns an array of floats. A length below 1 is a ValueError.

>>> ks.fft.hfft([10.0, -2.0, -2.0])
array([ 4., 12., 12., 12.]))");
  m.def("ihfft", [](nb::handle a, nb::handle n, int64_t axis, nb::handle norm, nb::handle out) {
    const Array x = only(a);
    const std::optional<Extents> length = one_length(n);
    const FftNorm divided = swapped(norm_from(norm));
    return stored(without_gil([&] { return conjugate(fourier(Fourier::half, x, length, Extents{axis}, divided)); }), out);
  }, "a"_a, "n"_a = nb::none(), "axis"_a = -1, "norm"_a = nb::none(), "out"_a = nb::none(), R"(The inverse of hfft(): the first half of what is the conjugate of itself turned round.

n= is how many numbers of the axis are used. Returns an array of complex numbers. A length below 1 is a ValueError.

>>> ks.fft.ihfft([1.0, 2.0, 3.0, 2.0]).real
array([ 2. , -0.5,  0. ]))");
  for (const bool half : {false, true})
    m.def(half ? "rfftfreq" : "fftfreq", [half](int64_t n, double d, nb::handle device, nb::handle dtype) {
      Device& where = device_from(device);
      const Dtype wanted = optional_dtype(dtype).value_or(Dtype::float64);
      if (!is_floating(wanted)) throw Error(ErrorKind::type, "frequencies of dtype " + std::string(info(wanted).name)).fix("dtype=\"float32\" or \"float64\"");
      const GilUntilBlocked keep;
      const Array result = frequencies(n, d, half, where);
      return wanted == Dtype::float64 ? result : astype(result, wanted);
    }, "n"_a, "d"_a = 1.0, "device"_a = nb::none(), "dtype"_a = nb::none(), half ? R"(The frequencies of rfft's elements, n // 2 + 1 of them, in cycles per unit of the spacing d.

Returns a row of float64 or of dtype=, on the default device or on device=.

>>> ks.fft.rfftfreq(4, d=0.5)
array([0. , 0.5, 1. ]))" : R"(The frequencies of fft's elements, in their order, in cycles per unit of the spacing d.

Returns a row of float64 or of dtype=, on the default device or on device=.

>>> ks.fft.fftfreq(4, d=0.5)
array([ 0. ,  0.5, -1. , -0.5]))");
  for (const bool back : {false, true})
    m.def(back ? "ifftshift" : "fftshift", [back](nb::handle x, nb::handle axes) {
      const Array array = only(x);
      const std::optional<Extents> along = axes_from(axes);
      const GilReleased release;
      return shifted(array, along, back);
    }, "x"_a, "axes"_a = nb::none(), back ? R"(The inverse of fftshift(): a copy in which frequency 0 stands first again.

Returns an array of the same shape and dtype; axes= are all axes unless given.

>>> ks.fft.ifftshift([-2, -1, 0, 1])
array([ 0,  1, -2, -1]))" : R"(A copy in which frequency 0 is moved to the middle of the axes.

Returns an array of the same shape and dtype; axes= are all axes unless given.

>>> ks.fft.fftshift([0, 1, -2, -1])
array([-2, -1,  0,  1]))");
}

}  // namespace kasoku
