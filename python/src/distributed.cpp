/// \file python/src/distributed.cpp
/// A process's place among those that each have a GPU, for kasoku.distributed.
#include "kasoku/base/error.h"
#include "kasoku/distributed/nccl.h"

#include "bindings.h"
#include "device.h"

namespace kasoku {

namespace {

using namespace nb::literals;
using distributed::NcclGroup;
using distributed::Reduction;

constexpr std::string_view reductions[] = {"sum", "prod", "max", "min"};

Reduction reduction_of(std::string_view name) {
  for (size_t i = 0; i < std::size(reductions); ++i)
    if (reductions[i] == name) return static_cast<Reduction>(i);
  throw Error(ErrorKind::value, "there is no reduction " + std::string(name));
}

/// What to read and the new array to write; arrays come in C order, of the group's device.
Array like(const Array& x, const Shape& shape) { return Array::empty(shape, x.dtype(), x.device()); }

size_t count_of(const Array& x) { return static_cast<size_t>(x.size()); }

}  // namespace

void bind_distributed(nb::module_& m) {
  m.def("_nccl_file", &NcclGroup::library_file);
  m.def("_nccl_id", [] {
    const std::string id = NcclGroup::make_id();
    return nb::bytes(id.data(), id.size());
  });
  nb::class_<NcclGroup>(m, "_NcclGroup")
      .def(nb::new_([](nb::handle device, nb::bytes id, int rank, int size) {
        Device& place = to_device(device);
        const GilReleased released;
        return std::make_unique<NcclGroup>(place, std::string_view(id.c_str(), id.size()), rank, size);
      }))
      .def_static("can_reduce", [](const Array& x, std::string_view op) { return NcclGroup::can_reduce(x.dtype(), reduction_of(op)); })
      .def("all_reduce", [](NcclGroup& group, const Array& x, std::string_view op) {
        Array result = like(x, x.shape());
        group.all_reduce(x.data_for_read(), result.data(), count_of(x), x.dtype(), reduction_of(op));
        return result;
      }, no_gil())
      .def("all_gather", [](NcclGroup& group, const Array& x, int64_t size) {
        Shape shape(x.shape());
        shape.insert(shape.begin(), size);
        Array result = like(x, shape);
        group.all_gather(x.data_for_read(), result.data(), x.nbytes());
        return result;
      }, no_gil())
      .def("reduce_scatter", [](NcclGroup& group, const Array& x, std::string_view op, int64_t size) {
        Shape shape(x.shape());
        shape[0] /= size;
        Array result = like(x, shape);
        group.reduce_scatter(x.data_for_read(), result.data(), count_of(result), x.dtype(), reduction_of(op));
        return result;
      }, no_gil())
      .def("broadcast", [](NcclGroup& group, const Array& x, int root) {
        Array result = like(x, x.shape());
        group.broadcast(x.data_for_read(), result.data(), x.nbytes(), root);
        return result;
      }, no_gil())
      .def("send", [](NcclGroup& group, const Array& x, int rank) { group.send(x.data_for_read(), x.nbytes(), rank); }, no_gil())
      .def("receive", [](NcclGroup& group, const Array& into, int rank) { group.receive(into.data(), into.nbytes(), rank); }, no_gil());
}

}  // namespace kasoku
