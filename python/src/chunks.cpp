/// \file python/src/chunks.cpp
/// Plans of chunks, for faces with arrays in chunks. Lengths go and come as tuples and lists of integers.
#include "kasoku/task/chunks.h"

#include "bindings.h"

namespace kasoku {

namespace {

using namespace nb::literals;

nb::object tuple_of(const chunks::Lengths& lengths) {
  nb::list items;
  for (int64_t n : lengths) items.append(n);
  return nb::tuple(items);
}

nb::list tuples_of(const std::vector<chunks::Lengths>& several) {
  nb::list items;
  for (const chunks::Lengths& one : several) items.append(tuple_of(one));
  return items;
}

nb::list or_none(const std::vector<std::optional<chunks::Lengths>>& several) {
  nb::list items;
  for (const auto& one : several) items.append(one ? tuple_of(*one) : nb::none());
  return items;
}

}  // namespace

void bind_chunks(nb::module_& core) {
  using chunks::Lengths;
  nb::module_ m = core.def_submodule("_chunks", "How arrays in chunks are cut.");
  m.def("cut", [](int64_t length, int64_t size) { return tuple_of(chunks::cut(length, size)); }, "length"_a, "size"_a);
  m.def("evenly", [](int64_t length, int64_t parts) { return tuple_of(chunks::evenly(length, parts)); }, "length"_a,
        "parts"_a);
  m.def("gathered", [](const Lengths& lengths, double size) { return tuple_of(chunks::gathered(lengths, size)); },
        "lengths"_a, "size"_a);
  m.def("balanced", [](const Lengths& lengths) -> nb::object {
    const auto found = chunks::balanced(lengths);
    return found ? tuple_of(*found) : nb::none();
  }, "lengths"_a);
  m.def("of_equal_sides",
        [](const Lengths& shape, double room) { return tuples_of(chunks::of_equal_sides(shape, room)); }, "shape"_a,
        "room"_a);
  m.def("in_proportion", [](const std::vector<Lengths>& before, double room, double tolerance) {
    return tuples_of(chunks::in_proportion(before, room, tolerance));
  }, "before"_a, "room"_a, "tolerance"_a);
  m.def("sliced", [](const Lengths& lengths, int64_t start, int64_t stop, int64_t step) {
    const chunks::Pieces found = chunks::sliced(lengths, start, stop, step);
    nb::list pieces;
    for (const auto& [begin, end] : found.ends) pieces.append(nb::make_tuple(begin, end));
    return nb::make_tuple(pieces, tuple_of(found.lengths));
  }, "lengths"_a, "start"_a, "stop"_a, "step"_a);
  m.def("parts_of", [](const Lengths& lengths, const chunks::Ends& pieces) {
    nb::list found;
    for (const std::vector<chunks::Part>& piece : chunks::parts_of(lengths, pieces)) {
      nb::list parts;
      for (const chunks::Part& part : piece) parts.append(nb::make_tuple(part.chunk, part.begin, part.end));
      found.append(parts);
    }
    return found;
  }, "lengths"_a, "pieces"_a);
  m.def("reshaping", [](const Lengths& old_shape, const Lengths& new_shape, const std::vector<Lengths>& own, double limit,
                        bool merges) {
    const chunks::Reshaping plan = chunks::reshaping(old_shape, new_shape, own, limit, merges);
    nb::list runs;
    for (const chunks::Run& run : plan.runs) runs.append(nb::make_tuple(run.before, run.after));
    return nb::make_tuple(runs, or_none(plan.before), or_none(plan.after));
  }, "old_shape"_a, "new_shape"_a, "chunks"_a, "limit"_a, "merges"_a);
}

}  // namespace kasoku
