/// \file kasoku/check/grids.cpp
/// Kernels that launch kernels, as the checker sees them. The grids run one after another, and what
/// they do is taken for ordered in that way: races are found within a grid, not between grids.
#include "kasoku/check/shadow.h"
#include "kasoku/device/code.h"
#include "kasoku/device/cpu/children.h"

#include <utility>

namespace kasoku {

namespace {

/// Kernels made from expressions keep x in _data_x (kernel/element_text.cpp); sites already say x.
std::string users_name(std::string_view parameter) {
  constexpr std::string_view made = "_data_";
  return std::string(parameter.starts_with(made) ? parameter.substr(made.size()) : parameter);
}

}  // namespace

void Shadow::begin_grid(const KernelInfo& kernel, void* const* args) {
  next_interval();
  interval_block_ = ~0ull;
  array_of_site_.clear();
  grid_ = {true, {}};
  for (size_t i = 0; i < kernel.params.size(); ++i) {
    if (kernel.params[i].kind != ParamKind::pointer || !args[i]) continue;
    const char* const at = *static_cast<const char* const*>(args[i]);
    for (const KnownArray& array : arrays_)
      if (array.begin && at >= array.begin && at < array.begin + array.bytes)
        grid_.parameters.emplace_back(users_name(kernel.params[i].name), &array);
  }
}

void Shadow::be_within(bool enters) {
  if (enters) return outer_grids_.push_back(grid_);
  next_interval();
  interval_block_ = ~0ull;
  array_of_site_.clear();
  grid_ = std::move(outer_grids_.back());
  outer_grids_.pop_back();
}

void observe_grids() {
  static constexpr cpu::GridObserver observer{
      [](const KernelInfo& kernel, void* const* args) {
        if (Shadow* shadow = Shadow::current(); shadow && shadow->finds_arrays()) shadow->begin_grid(kernel, args);
      },
      [](const KernelInfo& kernel, void* const* args) {
        if (Shadow* shadow = Shadow::current()) shadow->begin_grid(kernel, args);
      },
      [](bool enters) {
        if (Shadow* shadow = Shadow::current()) shadow->be_within(enters);
      }};
  cpu::set_grid_observer(&observer);
}

}  // namespace kasoku
