/// \file record.cpp
/// ks.record(): launches that are recorded and repeated.
#include "kasoku/array/record.h"
#include "bindings.h"
#include "device.h"
#include "kasoku/base/error.h"
#include "kasoku/device/device.h"

#include <memory>

namespace kasoku {

namespace {

/// What `with ks.record() as replay:` gives: a recording at first, then what was recorded.
class PythonReplay {
 public:
  PythonReplay(Device& device, bool holds_back) : device_(device), holds_back_(holds_back) {}

  void begin() {
    if (recording_ || replay_)
      throw Error(ErrorKind::value, "a recording is made once").fix("with ks.record() as another:");
    const GilReleased release;
    recording_ = std::make_unique<Recording>(device_, holds_back_);
  }

  void end(bool has_failed) {
    const std::unique_ptr<Recording> recording = std::move(recording_);
    const GilReleased release;
    if (recording && !has_failed) replay_ = recording->finish();
  }

  void run() const {
    const std::shared_ptr<Replay> replay = known();
    const GilReleased release;
    replay->run(device_.current_stream());
  }

  size_t size() const { return known()->size(); }

 private:
  std::shared_ptr<Replay> known() const {
    if (recording_)
      throw Error(ErrorKind::value, "the recording is under way").fix("repeat it after its `with` statement");
    if (!replay_)
      throw Error(ErrorKind::value, "nothing was recorded")
          .why("its `with` statement did not begin, or ended by an error");
    return replay_;
  }

  Device& device_;
  const bool holds_back_;
  std::unique_ptr<Recording> recording_;
  std::shared_ptr<Replay> replay_;
};

}  // namespace

void bind_record(nb::module_& m) {
  nb::class_<PythonReplay>(m, "Replay", R"(Launches that ks.record() took down; a call repeats them.

>>> x = ks.zeros(2)
>>> with ks.record() as replay:
...     x += 1
>>> len(replay) > 0
True)")
      .def("__enter__",
           [](nb::handle self) {
             nb::cast<PythonReplay&>(self).begin();
             return nb::borrow(self);
           })
      .def(
          "__exit__", [](PythonReplay& self, nb::handle type, nb::handle, nb::handle) { self.end(!type.is_none()); },
          nb::arg("type").none(), nb::arg("value").none(), nb::arg("traceback").none())
      .def("__call__", &PythonReplay::run,
           "Repeats the launches on the current stream, with the arguments and arrays that they had.")
      .def("__len__", &PythonReplay::size, "How many launches, fills and copies there are.");
  m.def(
      "record", [](nb::handle device, bool run) { return std::make_unique<PythonReplay>(to_device(device), !run); },
      nb::arg("device") = nb::none(), nb::kw_only(), nb::arg("run") = true,
      R"(Records what this thread launches on a device (the default one), to repeat it at little cost.

    with ks.record() as replay:
        kernel(grid, block, (x, y))
        x += y * 2
    for _ in range(1000):
        replay()

The statements run as they always do, and their launches are taken down: on a GPU as a CUDA graph, on a CPU as a list.
replay() repeats them on the same arrays, which are kept while the Replay lives: kernels of all kinds (RawKernel,
ElementwiseKernel, ReductionKernel, kernels of cuda.jit) and array expressions. While it is recorded an array keeps its
memory, so that x += y repeated adds again; an array that is made within the recording has new values after each replay.
What was pending before is computed first and not repeated. Numbers are those of the recording, random numbers too.
run=False takes down alone: the launches are done by replays, and arrays made within have no values before the first.

ValueError for what cannot be repeated: values that the program reads (float(x), x.numpy(), if x:) or gives (NumPy's
arrays as arguments), indices that are arrays, products of matrices, calls of functions of ks.jit, another replay. The
recording is lost then. len(replay) is the number of launches, fills and copies.
Returns a Replay.

>>> x = ks.zeros(2)
>>> with ks.record() as replay:
...     x += 1
>>> replay()
>>> x
array([2., 2.]))");
}

}  // namespace kasoku
