/// \file stream.cpp
/// ks.Stream and ks.Event: work in order, and marks in it.
#include "device.h"
#include "kernel_arguments.h"
#include "kasoku/base/error.h"
#include "kasoku/device/stream.h"

#include <nanobind/stl/shared_ptr.h>

#include <memory>
#include <vector>

namespace kasoku {
namespace {

/// Scopes of `with stream:` nest within a thread.
std::vector<std::unique_ptr<StreamScope>>& scopes() {
  static thread_local std::vector<std::unique_ptr<StreamScope>> open;
  return open;
}

/// None: the current stream of the default device.
Stream& stream_or_current(nb::handle object) {
  Stream* stream = stream_from(object);
  return stream ? *stream : to_device(nb::none()).current_stream();
}

}  // namespace

void bind_stream(nb::module_& m) {
  nb::class_<Stream>(m, "Stream",
                     R"(Work in order. On a CPU work is done when a call returns, so a stream there is always empty.

with stream: makes it this thread's current one.

>>> with ks.Stream() as stream:
...     x = ks.ones(2) + 1
>>> stream.synchronize()
>>> stream.is_done()
True)")
      .def(nb::new_([](nb::handle device) { return to_device(device).make_stream(); }),
           nb::arg("device") = nb::none())
      .def_prop_ro("device", [](Stream& s) { return &s.device(); }, nb::rv_policy::reference)
      .def_prop_ro("handle", &Stream::handle, "CUstream as an integer; 0 on a CPU.")
      .def("synchronize", &Stream::synchronize, no_gil(), "Waits until all work in it is done.")
      .def("is_done", &Stream::is_done, no_gil(), "Whether all work in it is done; does not wait.")
      .def("wait", &Stream::wait, no_gil(), nb::arg("event"),
           "Later work in this stream waits for the event.")
      .def("record",
           [](Stream& s) {
             std::shared_ptr<Event> event = s.device().make_event();
             event->record(s);
             return event;
           },
           "A new event after all work so far.")
      .def("__enter__",
           [](nb::handle self) {
             scopes().push_back(std::make_unique<StreamScope>(nb::cast<Stream&>(self)));
             return nb::borrow(self);
           })
      .def("__exit__", [](Stream&, nb::args) { scopes().pop_back(); });
  nb::class_<Event>(m, "Event", R"(A mark in a stream.

>>> start, stop = ks.Event(), ks.Event()
>>> start.record()
>>> stop.record()
>>> stop.synchronize()
>>> stop.milliseconds_since(start) >= 0
True)")
      .def(nb::new_([](nb::handle device) { return to_device(device).make_event(); }),
           nb::arg("device") = nb::none())
      .def("record", [](Event& e, nb::handle stream) { e.record(stream_or_current(stream)); },
           nb::arg("stream") = nb::none(), "Marks the place that a stream has reached.")
      .def("synchronize", &Event::synchronize, no_gil(), "Waits until what was recorded is done.")
      .def("is_done", &Event::is_done, no_gil(), "Whether what was recorded is done; does not wait.")
      .def("milliseconds_since", &Event::milliseconds_since, nb::arg("earlier"), no_gil(), "Milliseconds from an earlier event to this one; both must be done.");
  m.def(
      "_foreign_stream", [](uintptr_t handle) { return &to_device(nb::none()).foreign_stream(handle); },
      nb::arg("handle"), nb::rv_policy::reference);
  m.def("_current_stream",
        [](nb::handle device) { return &to_device(device).current_stream(); },
        nb::arg("device") = nb::none(), nb::rv_policy::reference);
}

}  // namespace kasoku
