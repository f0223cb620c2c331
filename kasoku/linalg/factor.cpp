/// THE table of libraries that factor matrices.
#include "kasoku/linalg/factor.h"

#include "kasoku/base/error.h"
#include "kasoku/linalg/cpu.h"
#include "kasoku/linalg/cusolver.h"

namespace kasoku::linalg {
namespace {

struct Provider {
  DeviceKind kind;
  bool solves_columns, wants_double_svd;
  bool (*has)(Factor, std::string* why);
  void (*factor)(const Factors&, Device&, Stream&);
};

// clang-format off
constexpr Provider table[] = {
    // device            columns  double svd  has         factor
    {DeviceKind::cpu,    false,   false,      cpu_has,    cpu_factor},
    {DeviceKind::cuda,   true,    true,       cuda_has,   cuda_factor},
};
// clang-format on

const Provider& provider(const Device& device) {
  for (const Provider& row : table)
    if (row.kind == device.kind) return row;
  throw Error(ErrorKind::unsupported, "matrices have no factors on " + device.str());
}

}  // namespace

bool has(Factor factor, Device& device, std::string* why) { return provider(device).has(factor, why); }

bool solves_columns(Device& device) { return provider(device).solves_columns; }

bool wants_double_svd(Device& device) { return provider(device).wants_double_svd; }

void factor(const Factors& problem, Device& device, Stream& stream) { provider(device).factor(problem, device, stream); }

}  // namespace kasoku::linalg
