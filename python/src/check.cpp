/// \file python/src/check.cpp
/// Finding in Python.
#include <nanobind/stl/string.h>

#include <algorithm>

#include "bindings.h"
#include "check_call.h"
#include "kasoku/check/finding.h"
#include "kasoku/check/kernel_check.h"
#include "kasoku/kernel/raw_module.h"
#include "jit_lists.h"
#include "jit_read.h"
#include "jit_values.h"
#include "kasoku/base/error.h"
#include "kasoku/check/shadow.h"
#include "kasoku/device/cpu/pool.h"
#include "kasoku/jit/compiled.h"
#include "kernel_arguments.h"

namespace kasoku {

KnownArray known_array(const jit::Type& type, const uint64_t* words, std::string name) {
  const auto size = static_cast<int64_t>(info(type.dtype).size);
  const auto* shape = reinterpret_cast<const int64_t*>(words + 1);
  const auto* strides = shape + type.ndim;
  int64_t low = 0, high = 1;
  for (int k = 0; k < type.ndim; ++k) {
    if (shape[k] == 0) return {nullptr, 0, std::move(name), 0};
    (strides[k] < 0 ? low : high) += (shape[k] - 1) * strides[k];
  }
  const auto* first = reinterpret_cast<const char*>(words[0]);
  return {first + low * size, static_cast<uint64_t>((high - low) * size), std::move(name), static_cast<uint64_t>(size),
          first, {shape, shape + type.ndim}, {strides, strides + type.ndim}};
}

std::vector<KnownArray> known_arrays(nb::tuple args, const std::vector<std::string>& parameters) {
  CallArguments arguments;
  for (nb::handle argument : args) arguments.add(argument);
  std::vector<KnownArray> known;
  for (size_t k = 0; k < std::min(arguments.span().size(), parameters.size()); ++k) {
    const ArrayRef& array = arguments.span()[k].array;
    if (arguments.span()[k].kind != Argument::Kind::array || array.size() == 0) continue;
    int64_t low = 0, high = static_cast<int64_t>(array.itemsize);
    for (int axis = 0; axis < array.ndim; ++axis)
      (array.strides[axis] < 0 ? low : high) += (array.shape[axis] - 1) * array.strides[axis];
    known.push_back({static_cast<const char*>(array.data) + low, static_cast<uint64_t>(high - low), parameters[k], array.itemsize});
  }
  return known;
}

namespace {

void extents(nb::handle given, uint32_t out[3]) {
  if (given.is_none()) return;
  if (nb::isinstance<nb::int_>(given)) {
    out[0] = nb::cast<uint32_t>(given);
    return;
  }
  size_t axis = 0;
  for (nb::handle extent : given) {
    if (axis == 3) throw nb::value_error("check: block and grid have at most three extents");
    out[axis++] = nb::cast<uint32_t>(nb::int_(nb::borrow(extent)));
  }
}

std::vector<Finding> check_raw(const RawKernel& kernel, nb::tuple args, nb::handle block,
                               nb::handle grid, uint32_t shared) {
  if (block.is_none())
    throw nb::value_error("check: a kernel needs its launch shape\n  fix  check(kernel, x, block=(64, 1, 1), grid=(1, 1))");
  LaunchShape shape;
  extents(block, shape.block);
  extents(grid, shape.grid);
  shape.shared_bytes = shared;
  CallArguments arguments;
  for (nb::handle argument : args) arguments.add(argument);
  const GilReleased release;
  return check_kernel(kernel, shape, arguments.span());
}

std::vector<Finding> check_jit(nb::handle function, nb::tuple args) {
  JitObject jitted;
  if (!as_jit_object(function, jitted)) throw nb::type_error("check: not a compiled function");
  if (jitted.options.is_cuda)
    throw Error(ErrorKind::type, "check: a device function runs inside of kernels alone").fix("check the kernel that calls it");
  jitted.options.is_checked = true;
  jitted.options.parallel = true;
  ReadFunction read = read_function(jitted);
  std::vector<jit::Type> types, hidden;
  for (nb::handle argument : args) types.push_back(argument_type(argument));
  for (const nb::object& array : read.arrays) hidden.push_back(type_of_value(array));
  register_check_functions();
  auto compiled = without_gil([&] { return std::make_unique<jit::Compiled>(read.unit, types, hidden); });
  const jit::Lowered& lowered = compiled->lowered();
  const jit::Function& root = *read.unit->functions[0];
  const ListScope lists;
  std::vector<uint64_t> words(std::max({compiled->argument_words(), compiled->result_words(), 1}));
  std::vector<KnownArray> arrays;
  uint64_t* at = words.data();
  for (size_t i = 0; i < lowered.arguments.size(); ++i) {
    const uint64_t* begin = at;
    nb::handle value = i < nb::len(args) ? nb::handle(args[i]) : nb::handle(read.arrays[i - nb::len(args)]);
    if (!pack(value.ptr(), lowered.arguments[i], at))
      throw Error(ErrorKind::type, "check: the arguments do not fit " + root.name);
    if (lowered.arguments[i].is_array())
      arrays.push_back(known_array(lowered.arguments[i], begin,
                                   i < root.parameters.size() ? root.parameters[i].name : "a global array"));
  }
  Shadow shadow(std::move(arrays), Shadow::Agents::iterations);
  for (const jit::Remark& remark : lowered.remarks)
    if (!remark.carried.empty()) {
      const auto& functions = read.unit->functions;
      const auto found = std::ranges::find_if(functions, [&](const auto& f) { return f->name == remark.function; });
      const jit::Function& where = found == functions.end() ? root : **found;
      shadow.report({"race", remark.carried, where.file, where.first_line + remark.line - 1, 0,
                     "each iteration reads what an earlier one left in " + remark.carried +
                         ", so the loop runs serially; make it a reduction, or an array with an element for each iteration"});
    }
  jit::CallRecord record;
  record.words = words.data();
  {
    const GilReleased release;
    const Shadow::Scope watched(shadow);
    const cpu::SerialScope serial;
    compiled->call(record);
  }
  if (record.status == 0) {
    const uint64_t* result = words.data();
    if (lowered.result.kind != jit::TypeKind::none) {
      std::vector<PyObject*> owners;
      for (nb::handle argument : args) owners.push_back(argument.ptr());
      unpack(lowered.result, result, owners.data(), owners.size());
    }
  } else if (static_cast<jit::Failure>(record.status) == jit::Failure::index) {
    const auto& functions = read.unit->functions;
    const jit::Function& where = record.function >= 0 && static_cast<size_t>(record.function) < functions.size()
                                     ? *functions[record.function] : root;
    shadow.report({"bounds", record.name ? record.name : "", where.file, where.first_line + record.line - 1, 0,
                   "index " + std::to_string(record.a) + " is outside of " + (record.name ? record.name : "the array") +
                       ", which has " + std::to_string(record.b) + " elements along axis " + std::to_string(record.c)});
  } else {
    if (record.interruption) std::rethrow_exception(record.interruption);
    throw Error(ErrorKind::value, compiled->failure_text(record));
  }
  return shadow.findings();
}

}  // namespace

void bind_check(nb::module_& m) {
  using namespace nb::literals;
  nb::class_<Finding>(m, "Finding",
                      R"(One thing that kasoku.check found; prints as a sentence.

kind: 'race', 'bounds', 'mutation', 'uninitialised' or 'divergence'; array: the name in
the source; file, line: of the access that completes it; other_line: of the earlier one.

>>> ks.Finding("race", "x", "a.py", 7, 5).kind
'race')")
      .def("__init__",
           [](Finding* self, std::string kind, std::string array, std::string file, int line, int other_line,
              std::string text) {
             new (self) Finding{std::move(kind), std::move(array), std::move(file), line, other_line, std::move(text)};
           },
           "kind"_a, "array"_a, "file"_a = "", "line"_a = 0, "other_line"_a = 0, "text"_a = "")
      .def_ro("kind", &Finding::kind, "'race', 'bounds', 'mutation', 'uninitialised' or 'divergence'.")
      .def_ro("array", &Finding::array, "The name in the source.")
      .def_ro("file", &Finding::file, "The file of the access that completes it.")
      .def_ro("line", &Finding::line, "The line of that access.")
      .def_ro("other_line", &Finding::other_line, "The line of the earlier access; 0 where there is none.")
      .def_ro("text", &Finding::text, "What it says, as a sentence.")
      .def("__str__", &Finding::str)
      .def("__repr__", [](const Finding& self) { return "<Finding: " + self.str() + ">"; });
  m.def("_report_launches", [](nb::callable report) {
    nb::object* const kept = new nb::object(std::move(report));  // as long as the process
    report_launches([kept](const std::string& kernel, const std::vector<Finding>& findings, const std::string& why_not) {
      const GilHeld gil;
      (*kept)(kernel, findings, why_not);
    });
  }, "report"_a, "Has report(kernel, findings, why_not) called for each launch that _check_launches(True) looks at.");
  m.def("_check_launches", &check_launches, "are_checked"_a,
        "Whether each launch of a kernel in CUDA C++ is checked before it runs.");
  m.def("_check_jit", &check_jit, "function"_a, "args"_a);
  m.def("_check_kernel", &check_raw, "kernel"_a, "args"_a, "block"_a.none() = nb::none(),
        "grid"_a.none() = nb::none(), "shared"_a = 0);
}

}  // namespace kasoku
