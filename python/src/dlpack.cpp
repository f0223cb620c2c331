/// \file dlpack.cpp
/// DLPack: `Array.__dlpack__`, and from_dlpack. What is read of a capsule is in foreign.cpp.
#include "dlpack.h"

#include "arguments.h"
#include "foreign.h"
#include "kasoku/array/creation.h"
#include "kasoku/base/error.h"
#include "kasoku/compile/backends.h"

#include <string>

namespace kasoku {

namespace {

using namespace nb::literals;

/// An array that a capsule's consumer holds.
template <class Held>
struct Given {
  Held held;
  std::shared_ptr<Buffer> buffer;
  std::vector<int64_t> shape, strides;
};

template <class Held>
constexpr const char* name_of = std::is_same_v<Held, dlpack::Managed> ? "dltensor" : "dltensor_versioned";

void fill_head(dlpack::Managed&, uint64_t) {}
void fill_head(dlpack::ManagedVersioned& held, uint64_t flags) {
  held.version = dlpack::version;
  held.flags = flags;
}

template <class Held>
nb::object capsule_of(const Array& x, uint64_t flags) {
  auto given = std::make_unique<Given<Held>>();
  given->buffer = x.buffer();
  given->buffer->is_shared = true;
  given->shape.assign(x.shape().begin(), x.shape().end());
  for (const int64_t stride : x.strides()) given->strides.push_back(stride / static_cast<int64_t>(x.itemsize()));
  fill_head(given->held, flags);
  given->held.context = given.get();
  given->held.deleter = [](Held* held) { delete static_cast<Given<Held>*>(held->context); };
  given->held.tensor = {x.address(),
                        {x.device().dlpack_type(), x.device().index},
                        x.ndim(),
                        dlpack::type_of(x.dtype()),
                        given->shape.data(),
                        given->strides.data(),
                        0};
  PyObject* const capsule = PyCapsule_New(&given->held, name_of<Held>, [](PyObject* unused) {
    if (!PyCapsule_IsValid(unused, name_of<Held>)) return;  // a consumer gave it another name and has what it holds
    auto* const held = static_cast<Held*>(PyCapsule_GetPointer(unused, name_of<Held>));
    held->deleter(held);
  });
  if (!capsule) throw nb::python_error();
  given.release();
  return nb::steal(capsule);
}

nb::tuple dlpack_place(const Array& x) { return nb::make_tuple(x.device().dlpack_type(), x.device().index); }

[[noreturn]] void refuse(const std::string& why) { throw nb::buffer_error(("__dlpack__: " + why).c_str()); }

nb::object give(const Array& array, nb::handle stream, nb::handle max_version, nb::handle wanted, nb::handle copies) {
  Array x = array;
  const bool must_copy = !copies.is_none() && nb::cast<bool>(copies), may_copy = copies.is_none() || must_copy;
  bool is_copied = must_copy;
  if (!wanted.is_none() && !wanted.equal(dlpack_place(x))) {
    if (!wanted.equal(nb::make_tuple(static_cast<int>(dlpack::cpu), 0)))
      refuse("the array is on " + x.device().str() + " and can go to the host alone");
    if (!may_copy) refuse("the array is on " + x.device().str() + " and is on the host only in a copy");
    const GilReleased release;
    x = to_device(x, device("cpu"));
    is_copied = true;
  } else if (must_copy) {
    const GilReleased release;
    x = copy(x);
  }
  const std::optional<int64_t> handle = stream.is_none() ? std::nullopt : std::optional(nb::cast<int64_t>(stream));
  if (x.device().is_host()) {
    if (handle && array.device().is_host() && *handle != -1)
      throw Error(ErrorKind::value, "__dlpack__: memory of a host has no streams, stream= is None there");
    const GilReleased release;
    x.data();
  } else {
    give_to(x, handle);
  }
  for (const int64_t stride : x.strides())
    if (stride % static_cast<int64_t>(x.itemsize()) != 0)
      refuse("the array's strides are no whole numbers of elements");
  const bool knows_flags = !max_version.is_none() && nb::cast<int64_t>(nb::int_(nb::object(max_version[0]))) >= 1;
  if (knows_flags) {
    uint64_t flags = 0;
    if (x.is_read_only()) flags |= dlpack::read_only;
    if (is_copied) flags |= dlpack::copied;
    return capsule_of<dlpack::ManagedVersioned>(x, flags);
  }
  if (x.is_read_only())
    refuse("the array is read-only, which DLPack says from version 1.0 on; copy=True, or max_version=(1, 0)");
  return capsule_of<dlpack::Managed>(x, 0);
}

Array from_dlpack(nb::handle object, nb::handle where, nb::handle copies) {
  const Array shown = array_of_dlpack(object);
  const bool must_copy = !copies.is_none() && nb::cast<bool>(copies), may_copy = copies.is_none() || must_copy;
  Device& to = where.is_none() ? shown.device() : device_from(where);
  if (&to != &shown.device() && !may_copy)
    throw Error(ErrorKind::value,
                "from_dlpack: what is on " + shown.device().str() + " is on " + to.str() + " only in a copy");
  const GilReleased release;
  return &to != &shown.device() ? to_device(shown, to) : must_copy ? copy(shown) : shown;
}

}  // namespace

void bind_dlpack(nb::module_& m) {
  nb::object cls = m.attr("Array");
  add_method(cls, "__dlpack__", &give, nb::kw_only(), "stream"_a = nb::none(), "max_version"_a = nb::none(),
             "dl_device"_a = nb::none(), "copy"_a = nb::none(),
             "A capsule of DLPack, versioned if max_version is (1, 0) or more. BufferError for what it cannot say.");
  add_method(cls, "__dlpack_device__", &dlpack_place, "DLPack's (kind, index) of the array's device.");
  m.def("from_dlpack", &from_dlpack, "x"_a, nb::kw_only(), "device"_a = nb::none(), "copy"_a = nb::none(),
        R"(An array that shows what another library's array, or a capsule, shows: without a copy, unless copy=True or
device= is another one.

Returns an Array. ValueError for a capsule that was used before, and for copy=False where there is no other way.

>>> import numpy as np
>>> ks.from_dlpack(np.arange(3))
array([0, 1, 2]))");
}

}  // namespace kasoku
