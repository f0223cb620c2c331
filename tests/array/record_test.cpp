/// Laws of kasoku/array/record.h and kasoku/device/replay.h, and of memory that others can write.
#include "kasoku/kasoku.h"

#include <doctest/doctest.h>

#include <vector>

using namespace kasoku;

namespace {

double first_of(const Array& x) { return *static_cast<const double*>(to_device(x, device("cpu")).data_for_read()); }

std::vector<Device*> all_devices() {
  std::vector<Device*> found{&device("cpu")};
  if (has_device("cuda")) found.push_back(&device("cuda"));
  return found;
}

}  // namespace

TEST_CASE("record: what is launched is done, and done again by each replay") {
  for (Device* on : all_devices())
    for (const int64_t n : {1, 10, 5000}) {
      const Array x = full({n}, Scalar::of(1.0), Dtype::float64, *on);
      Recording recording(*on);
      apply_in_place(Op::add, x, 1.0);
      apply_in_place(Op::multiply, x, 2.0);
      const std::shared_ptr<Replay> replay = recording.finish();
      CHECK(first_of(x) == 4);
      replay->run(on->current_stream());
      replay->run(on->current_stream());
      CHECK(first_of(x) == ((4 + 1) * 2 + 1) * 2);
      CHECK(replay->size() >= 2);
      CHECK(&replay->device() == on);
    }
}

TEST_CASE("record: what the program reads is refused, and the recording is lost") {
  for (Device* on : all_devices()) {
    const Array x = full({10}, Scalar::of(1.0), Dtype::float64, *on);
    {
      const Recording recording(*on);
      CHECK_THROWS_WITH_AS(x.data_for_read(), doctest::Contains("cannot be recorded"), Error);
      CHECK_THROWS_WITH_AS(Recording{*on}, doctest::Contains("records already"), Error);
    }
    CHECK(first_of(x) == 1);
  }
}

TEST_CASE("record: memory is kept while the replay lives") {
  Device& on = device("cpu");
  const Array sum = Array::zeros({4000}, Dtype::float64, on);
  std::shared_ptr<Replay> replay;
  {
    const Array step = copy(full({4000}, Scalar::of(2.0), Dtype::float64, on));
    Recording recording(on);
    apply_in_place(Op::add, sum, step);
    replay = recording.finish();
  }
  std::vector<Array> others;
  for (int i = 0; i < 8; ++i) others.push_back(copy(full({4000}, Scalar::of(9.0), Dtype::float64, on)));
  for (const Array& each : others) (void)each.data();
  replay->run(on.current_stream());
  CHECK(first_of(sum) == 4);
}

TEST_CASE("memory that others can write: C++ knows no statements, so nothing that reads it waits") {
  Device& on = device("cpu");
  std::vector<double> memory(4000, 1.0);
  const auto buffer = Buffer::adopt(on, memory.data(), memory.size() * sizeof(double), nullptr, false);
  const Array x = Array::view(buffer, 0, {4000}, {8}, Dtype::float64);
  const Array y = apply(Op::add, {x, 1.0});
  memory[0] = 5;
  CHECK(first_of(y) == 2);
  CHECK(first_of(apply(Op::add, {x, 1.0})) == 6);
}
