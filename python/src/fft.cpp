/// \file fft.cpp
/// ks.fft (kasoku/array/fft.h): NumPy's names and arguments. A transform is a row.
#include "kasoku/array/fft.h"

#include "arguments.h"
#include "array_object.h"
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

struct Row {
  const char* name;
  Fourier kind;
  int axes;  ///< 1, 2, or 0: all
  const char* doc;
};
// clang-format off
constexpr Row table[] = {
    {"fft",    Fourier::forward,      1, "The discrete Fourier transform along one axis."},
    {"ifft",   Fourier::inverse,      1, "The inverse of fft."},
    {"rfft",   Fourier::half,         1, "The transform of real numbers: n // 2 + 1 elements, from which the others follow."},
    {"irfft",  Fourier::half_inverse, 1, "The inverse of rfft: n real numbers, 2 (m - 1) of m where n is not given."},
    {"fft2",   Fourier::forward,      2, "The discrete Fourier transform along two axes."},
    {"ifft2",  Fourier::inverse,      2, "The inverse of fft2."},
    {"rfft2",  Fourier::half,         2, "The transform of real numbers along two axes."},
    {"irfft2", Fourier::half_inverse, 2, "The inverse of rfft2."},
    {"fftn",   Fourier::forward,      0, "The discrete Fourier transform along several axes, or all."},
    {"ifftn",  Fourier::inverse,      0, "The inverse of fftn."},
    {"rfftn",  Fourier::half,         0, "The transform of real numbers along several axes, or all."},
    {"irfftn", Fourier::half_inverse, 0, "The inverse of rfftn."},
};
// clang-format on

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
  for (const Row& row : table) {
    const Fourier kind = row.kind;
    if (row.axes == 1) {
      m.def(row.name, [kind](nb::handle a, nb::handle n, int64_t axis, nb::handle norm, nb::handle out) {
        const Array x = only(a);
        const std::optional<Extents> length = one_length(n);
        const FftNorm divided = norm_from(norm);
        Array result;
        {
          const GilReleased release;
          result = fourier(kind, x, length, Extents{axis}, divided);
        }
        return stored(std::move(result), out);
      }, "a"_a, "n"_a = nb::none(), "axis"_a = -1, "norm"_a = nb::none(), "out"_a = nb::none(), row.doc);
      continue;
    }
    const auto of_several = [kind](nb::handle a, nb::handle s, nb::handle axes, nb::handle norm, nb::handle out) {
      const Array x = only(a);
      const std::optional<Extents> lengths = s.is_none() ? std::nullopt : std::optional<Extents>(shape_from(s)), along = axes_from(axes);
      const FftNorm divided = norm_from(norm);
      Array result;
      {
        const GilReleased release;
        result = fourier(kind, x, lengths, along, divided);
      }
      return stored(std::move(result), out);
    };
    if (row.axes == 2) m.def(row.name, of_several, "a"_a, "s"_a = nb::none(), "axes"_a = nb::make_tuple(-2, -1), "norm"_a = nb::none(), "out"_a = nb::none(), row.doc);
    else m.def(row.name, of_several, "a"_a, "s"_a = nb::none(), "axes"_a = nb::none(), "norm"_a = nb::none(), "out"_a = nb::none(), row.doc);
  }
  m.def("hfft", [](nb::handle a, nb::handle n, int64_t axis, nb::handle norm, nb::handle out) {
    const Array x = only(a);
    const std::optional<Extents> length = one_length(n);
    const FftNorm divided = swapped(norm_from(norm));
    Array result;
    {
      const GilReleased release;
      result = fourier(Fourier::half_inverse, conjugate(x), length, Extents{axis}, divided);
    }
    return stored(std::move(result), out);
  }, "a"_a, "n"_a = nb::none(), "axis"_a = -1, "norm"_a = nb::none(), "out"_a = nb::none(), "The transform of what is the conjugate of itself turned round, given by its first half: real numbers.");
  m.def("ihfft", [](nb::handle a, nb::handle n, int64_t axis, nb::handle norm, nb::handle out) {
    const Array x = only(a);
    const std::optional<Extents> length = one_length(n);
    const FftNorm divided = swapped(norm_from(norm));
    Array result;
    {
      const GilReleased release;
      result = conjugate(fourier(Fourier::half, x, length, Extents{axis}, divided));
    }
    return stored(std::move(result), out);
  }, "a"_a, "n"_a = nb::none(), "axis"_a = -1, "norm"_a = nb::none(), "out"_a = nb::none(), "The inverse of hfft.");
  for (const bool half : {false, true})
    m.def(half ? "rfftfreq" : "fftfreq", [half](int64_t n, double d, nb::handle device, nb::handle dtype) {
      Device& where = device_from(device);
      const Dtype wanted = optional_dtype(dtype).value_or(Dtype::float64);
      if (!is_floating(wanted)) throw Error(ErrorKind::type, "frequencies of dtype " + std::string(info(wanted).name)).fix("dtype=\"float32\" or \"float64\"");
      const GilUntilBlocked keep;
      const Array result = frequencies(n, d, half, where);
      return wanted == Dtype::float64 ? result : astype(result, wanted);
    }, "n"_a, "d"_a = 1.0, "device"_a = nb::none(), "dtype"_a = nb::none(), half ? "The frequencies of rfft's elements, n // 2 + 1 of them." : "The frequencies of fft's elements, in their order, in cycles per unit of the spacing d.");
  for (const bool back : {false, true})
    m.def(back ? "ifftshift" : "fftshift", [back](nb::handle x, nb::handle axes) {
      const Array array = only(x);
      const std::optional<Extents> along = axes_from(axes);
      const GilReleased release;
      return shifted(array, along, back);
    }, "x"_a, "axes"_a = nb::none(), back ? "The inverse of fftshift." : "Moves frequency 0 to the middle of the axes.");
}

}  // namespace kasoku
