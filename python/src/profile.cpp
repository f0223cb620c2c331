/// \file python/src/profile.cpp
/// The recording behind ks.profile.
#include "bindings.h"
#include "kasoku/base/timeline.h"

namespace kasoku {

using namespace nb::literals;

void bind_profile(nb::module_& m) {
  m.def("_timeline_start", &timeline::start);
  m.def("_timeline_stop", [] {
    std::vector<timeline::Event> events = timeline::stop();
    nb::list rows;
    for (const timeline::Event& event : events)
      rows.append(nb::make_tuple(event_kinds[static_cast<size_t>(event.kind)], event.name, event.thread, event.begin,
                                 event.end, event.bytes));
    return rows;
  });
}

}  // namespace kasoku
