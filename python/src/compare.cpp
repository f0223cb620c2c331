/// \file python/src/compare.cpp
/// How much of a time span somebody held the GIL: a thread that asks for it now
/// and then, and sees how long it must wait.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "bindings.h"

namespace kasoku {

namespace {

/// Every two milliseconds it asks for the GIL. A free GIL comes within
/// microseconds; a held one after the interpreter's switch interval or at the
/// holder's next release.
class GilWatch {
 public:
  ~GilWatch() { stop(); }

  void start() {
    stop();
    asked_ = waited_ = 0;
    running_ = true;
    thread_ = std::thread([this] { watch(); });
  }

  /// The share of the askings that found the GIL held, 0 to 1.
  double stop() {
    running_ = false;
    if (thread_.joinable()) {
      const GilReleased released;
      thread_.join();
    }
    return asked_ ? static_cast<double>(waited_) / static_cast<double>(asked_) : 0.0;
  }

 private:
  void watch() {
    using namespace std::chrono;
    while (running_) {
      std::this_thread::sleep_for(milliseconds(2));
      const auto begin = steady_clock::now();
      { const GilHeld gil; }
      ++asked_;
      if (steady_clock::now() - begin > microseconds(200)) ++waited_;
    }
  }

  std::atomic<bool> running_{false};
  std::atomic<uint64_t> asked_{0}, waited_{0};
  std::thread thread_;
};

}  // namespace

void bind_compare(nb::module_& m) {
  nb::class_<GilWatch>(m, "_GilWatch")
      .def(nb::init<>())
      .def("start", &GilWatch::start)
      .def("stop", &GilWatch::stop);
}

}  // namespace kasoku
