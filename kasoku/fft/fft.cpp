/// THE table of libraries that compute Fourier transforms.
#include "kasoku/fft/fft.h"

#include "kasoku/base/error.h"
#include "kasoku/fft/cufft.h"
#include "kasoku/fft/ducc.h"

namespace kasoku::fft {
namespace {

struct Provider {
  DeviceKind kind;
  Limits limits;
  void (*transform)(const Transform&, Device&, Stream&);
};

// clang-format off
constexpr Provider table[] = {
    // device            plain  axes     transform
    {DeviceKind::cpu,    {false, 64},    ducc_transform},
    {DeviceKind::cuda,   {true,  3},     cufft_transform},
};
// clang-format on

const Provider& provider(const Device& device) {
  for (const Provider& row : table)
    if (row.kind == device.kind) return row;
  throw Error(ErrorKind::unsupported, "there are no Fourier transforms on " + device.str());
}

}  // namespace

Limits limits(Device& device) { return provider(device).limits; }

void transform(const Transform& problem, Device& device, Stream& stream) { provider(device).transform(problem, device, stream); }

}  // namespace kasoku::fft
