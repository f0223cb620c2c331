/// \file python/src/jit_records.cpp
#include "jit_records.h"

#include "kasoku/base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace kasoku {

using namespace jit;

namespace {

struct Known {
  nb::object dtype;  ///< kept, so that its address stays its own
  Type aligned, packed;
  int64_t alignment = 1;
};

int64_t alignment_of(Dtype dtype) {
  const auto size = static_cast<int64_t>(info(dtype).size);
  return is_complex(dtype) ? size / 2 : size;
}

std::unordered_map<PyObject*, Known>& all_known() {
  static std::unordered_map<PyObject*, Known>& all = *new std::unordered_map<PyObject*, Known>;
  return all;
}

const Known& known_record(nb::handle dtype) {
  const auto found = all_known().find(dtype.ptr());
  if (found != all_known().end()) return found->second;
  Known known{nb::borrow(dtype), {}, {}, 1};
  nb::object fields = dtype.attr("fields");
  if (fields.is_none()) return all_known()[dtype.ptr()] = known;
  std::vector<Type> items;
  std::string lines;
  bool is_aligned = true;
  const auto size = nb::cast<int64_t>(dtype.attr("itemsize"));
  for (nb::handle name : nb::object(dtype.attr("names"))) {
    nb::object field = fields[name], of = nb::borrow(field[0]);
    const auto offset = nb::cast<int64_t>(field[1]);
    nb::tuple shape = nb::cast<nb::tuple>(of.attr("shape"));
    lines += fmt::format("\n{}\t{}", nb::cast<std::string>(name), offset);
    for (nb::handle n : shape) lines += fmt::format("\t{}", nb::cast<int64_t>(n));
    nb::object base = of.attr("base");
    Type type;
    int64_t alignment = 1;
    if (!nb::object(base.attr("fields")).is_none()) {
      const Known& inner = known_record(base);
      if (nb::len(shape) == 0) type = inner.aligned;
      alignment = inner.alignment;
      is_aligned &= jit::is_aligned(inner.aligned);
    } else if (const auto found = dtype_from_name(nb::cast<std::string>(base.attr("name")));
               found && *found != Dtype::float16 && nb::cast<bool>(base.attr("isnative"))) {
      type = nb::len(shape) ? Type::array(*found, static_cast<int>(nb::len(shape)), true) : Type::scalar(*found);
      alignment = alignment_of(*found);
    }
    items.push_back(type);
    is_aligned &= offset % alignment == 0 && size % alignment == 0;
    known.alignment = std::max(known.alignment, alignment);
  }
  known.aligned.kind = TypeKind::record;
  known.aligned.items = std::move(items);
  known.packed = known.aligned;
  known.aligned.text = fmt::format("{}\t{}{}", size, is_aligned ? 1 : 0, lines);
  known.packed.text = fmt::format("{}\t0{}", size, lines);
  return all_known()[dtype.ptr()] = known;
}

}  // namespace

Type record_type(nb::handle dtype, bool is_aligned) {
  const Known& known = known_record(dtype);
  return is_aligned ? known.aligned : known.packed;
}

nb::object dtype_of_record(const Type& record) {
  for (const auto& [address, known] : all_known())
    if (known.aligned.text == record.text || known.packed.text == record.text)
      if (known.aligned.items == record.items) return known.dtype;
  throw Error(ErrorKind::internal, "a record without a dtype");
}

Type type_of_records(PyObject* value) {
  nb::dict modules = nb::borrow<nb::dict>(nb::module_::import_("sys").attr("modules"));
  if (!modules.contains("numpy")) return {};
  nb::object numpy = modules["numpy"];
  const bool is_array = PyObject_IsInstance(value, nb::object(numpy.attr("ndarray")).ptr()) == 1;
  if (!is_array && PyObject_IsInstance(value, nb::object(numpy.attr("void")).ptr()) != 1) return {};
  nb::object dtype = nb::handle(value).attr("dtype");
  if (nb::object(dtype.attr("fields")).is_none()) return {};
  const auto alignment = static_cast<uintptr_t>(known_record(dtype).alignment);
  if (!is_array) {
    Type type = record_type(dtype, reinterpret_cast<uintptr_t>(record_address(value)) % alignment == 0);
    nb::object base = nb::handle(value).attr("base");
    type.is_read_only = !base.is_none() && nb::hasattr(base, "flags") && !nb::cast<bool>(base.attr("flags").attr("writeable"));
    return type;
  }
  const auto* array = reinterpret_cast<const NumpyArray*>(value);
  const auto size = nb::cast<Py_ssize_t>(dtype.attr("itemsize"));
  if (size == 0) return {};
  for (int k = 0; k < array->ndim; ++k)
    if (array->strides[k] % size) return {};
  Type type = Type::array(Dtype::opaque, array->ndim, array->flags & 0x1);
  type.is_read_only = is_read_only(*array);
  type.items = {record_type(dtype, reinterpret_cast<uintptr_t>(array->data) % alignment == 0)};
  return type;
}

char* record_address(PyObject* value) {
  Py_buffer view;
  if (PyObject_GetBuffer(value, &view, PyBUF_SIMPLE)) throw nb::python_error();
  auto* const address = static_cast<char*>(view.buf);
  PyBuffer_Release(&view);
  return address;
}

}  // namespace kasoku
