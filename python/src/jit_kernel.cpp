/// \file python/src/jit_kernel.cpp
/// kasoku._core.JitKernel: a kernel written in Python (ks.cuda.jit) and its launches, on any device.
#include "convert.h"
#include "device.h"
#include "jit_read.h"
#include "jit_values.h"
#include "kasoku/array/array.h"
#include "kasoku/array/creation.h"
#include "kasoku/array/elementwise.h"
#include "kasoku/base/error.h"
#include "kasoku/check/shadow.h"
#include "kasoku/compile/backends.h"
#include "kasoku/compile/compile.h"
#include "kasoku/device/counters.h"
#include "kasoku/device/cpu/pool.h"
#include "kasoku/jit/lower.h"

#include <fmt/format.h>

#include <cstring>

namespace kasoku {

using namespace jit;
using namespace nb::literals;

namespace {

class JitKernel {
 public:
  explicit JitKernel(nb::object function) : function_(std::move(function)) {}
  JitKernel(const JitKernel&) = delete;
  JitKernel& operator=(const JitKernel&) = delete;

  void launch(nb::tuple grid, nb::tuple block, uint32_t shared_bytes, nb::tuple arguments) {
    const CopyScope reason(CopyReason::argument);
    Device& target = device_of(arguments);
    std::vector<Type> types;
    std::vector<nb::object> values;
    struct Host {
      nb::object array;
      Array on_device;
    };
    std::vector<Host> hosts;
    for (nb::handle given : arguments) {
      nb::object value = nb::borrow(given);
      while (nb::hasattr(value, "__kasoku_array__")) value = value.attr("__kasoku_array__");
      Dtype dtype;
      bool is_constant = false;
      if (const NumpyArray* host = target.kind != DeviceKind::cpu ? as_numpy(value.ptr(), dtype) : nullptr) {
        // A host array travels there and, unless it is read-only, back, as Numba has it.
        is_constant = is_read_only(*host);
        Array copy = import_host(value, std::nullopt, target, true);
        if (!is_constant) hosts.push_back({value, copy});
        value = nb::cast(copy);
      }
      types.push_back(type_of(value));
      types.back().is_read_only |= is_constant;
      if (!types.back().is_known())
        throw Error(ErrorKind::type, fmt::format("argument {} of {} is a {}, which a kernel does not take", values.size() + 1,
                                                 name(), nb::cast<std::string>(value.type().attr("__name__"))));
      values.push_back(value);
    }
    Entry& entry = find(types, target);
    std::vector<std::vector<uint64_t>> words(values.size());
    std::vector<void*> pointers;
    for (size_t i = 0; i < values.size(); ++i) {
      if (types[i].kind == TypeKind::none) continue;
      words[i].resize(static_cast<size_t>(words_of(types[i])) + 4);
      fill(values[i], types[i], words[i].data());
      pointers.push_back(words[i].data());
    }
    const LaunchShape shape = shape_of(grid, block, shared_bytes);
    {
      nb::gil_scoped_release released;
      entry.function->launch(shape, pointers.data(), target.current_stream());
    }
    for (Host& host : hosts) nb::module_::import_("numpy").attr("copyto")(host.array, to_numpy(host.on_device));
  }

  /// Runs the launch on the CPU, on copies of the arrays, one thread after another with every access watched.
  std::vector<Finding> check(nb::tuple grid, nb::tuple block, uint32_t shared_bytes, nb::tuple arguments) {
    Device& cpu = kasoku::device("cpu");
    JitObject jitted;
    as_jit_object(function_, jitted);
    jitted.options.is_checked = true;
    const ReadFunction read = read_function(jitted.function, jitted.options);
    std::vector<Type> types;
    std::vector<nb::object> values;
    for (nb::handle given : arguments) {
      nb::object value = nb::borrow(given);
      while (nb::hasattr(value, "__kasoku_array__")) value = value.attr("__kasoku_array__");
      Dtype dtype;
      if (as_numpy(value.ptr(), dtype)) value = nb::cast(import_host(value, std::nullopt, cpu, true));
      else if (const Array* array = as_array(value)) value = nb::cast(kasoku::copy(to_device(*array, cpu)));
      values.push_back(value);
      types.push_back(type_of(value));
    }
    const TypedUnit typed = infer(*read.unit, types);
    const Lowered lowered = lower_kernel(typed);
    register_check_functions();
    const std::shared_ptr<Module> module = compile(lowered.program, cpu);
    kasoku::Function& entry = module->function(lowered.entry);
    std::vector<std::vector<uint64_t>> words(values.size());
    std::vector<void*> pointers;
    std::vector<KnownArray> arrays;
    for (size_t i = 0; i < values.size(); ++i) {
      if (types[i].kind == TypeKind::none) continue;
      words[i].resize(static_cast<size_t>(words_of(types[i])) + 4);
      fill(values[i], types[i], words[i].data());
      pointers.push_back(words[i].data());
      if (types[i].is_array()) arrays.push_back(known_array(types[i], words[i].data(), read.unit->functions[0]->parameters[i].name));
    }
    const LaunchShape shape = shape_of(grid, block, shared_bytes);
    Shadow shadow(std::move(arrays), Shadow::Agents::threads);
    {
      nb::gil_scoped_release released;
      const Shadow::Scope watched(shadow);
      const cpu::SerialScope serial;
      entry.launch(shape, pointers.data(), cpu.current_stream());
    }
    return shadow.findings();
  }

  std::vector<std::pair<std::string, std::string>> texts(const std::string& form) {
    std::vector<std::pair<std::string, std::string>> all;
    for (const auto& entry : entries_) {
      std::string signature = "(";
      for (size_t i = 0; i < entry->types.size(); ++i) signature += (i ? ", " : "") + str(entry->types[i]);
      const uint32_t block[3] = {0, 0, 0};
      std::string text = entry->lowered.program.text;
      if (form != "text")
        text = code_text(entry->lowered.program, *entry->device, entry->lowered.entry,
                         form == "ptx" ? CodeForm::ptx : form == "llvm" ? CodeForm::llvm_ir : CodeForm::assembly, block);
      all.emplace_back(signature + ")", text);
    }
    return all;
  }

 private:
  struct Entry {
    std::vector<Type> types;
    Device* device;
    Lowered lowered;
    std::shared_ptr<Module> module;
    kasoku::Function* function;
  };

  std::string name() const { return nb::cast<std::string>(nb::str(function_.attr("__name__"))); }

  static LaunchShape shape_of(nb::tuple grid, nb::tuple block, uint32_t shared_bytes) {
    LaunchShape shape;
    for (size_t k = 0; k < 3; ++k) {
      shape.grid[k] = k < nb::len(grid) ? nb::cast<uint32_t>(nb::int_(nb::object(grid[k]))) : 1;
      shape.block[k] = k < nb::len(block) ? nb::cast<uint32_t>(nb::int_(nb::object(block[k]))) : 1;
    }
    shape.shared_bytes = shared_bytes;
    return shape;
  }

  static const Array* as_array(nb::handle value) {
    return nb::isinstance<Array>(value) ? &nb::cast<const Array&>(value) : nullptr;
  }

  static Device& device_of(nb::tuple arguments) {
    for (nb::handle given : arguments) {
      nb::object value = nb::borrow(given);
      while (nb::hasattr(value, "__kasoku_array__")) value = value.attr("__kasoku_array__");
      if (const Array* array = as_array(value)) return array->device();
    }
    return default_device();
  }

  static Type type_of(nb::handle value) {
    if (const Array* array = as_array(value)) {
      if (array->dtype() == Dtype::opaque || array->dtype() == Dtype::float16 || array->dtype() == Dtype::bfloat16) return {};
      Type type = Type::array(array->dtype(), array->ndim(), array->is_contiguous());
      type.is_read_only = array->is_read_only();
      return type;
    }
    return type_of_value(value);
  }

  static void fill(nb::handle value, const Type& type, uint64_t* words) {
    uint64_t* at = words;
    const Array* array = as_array(value);
    if (array) {
      words[0] = reinterpret_cast<uint64_t>(array->data());
      for (int k = 0; k < type.ndim; ++k) {
        const auto axis = static_cast<size_t>(k);
        words[1 + k] = static_cast<uint64_t>(array->shape()[axis]);
        words[1 + type.ndim + k] = static_cast<uint64_t>(array->strides()[axis] / static_cast<int64_t>(array->itemsize()));
      }
    } else if (!pack(value.ptr(), type, at)) {
      throw Error(ErrorKind::internal, "an argument does not fit the type made of it");
    }
  }

  Entry& find(const std::vector<Type>& types, Device& device) {
    bool holds = true;
    for (const Dependency& dependency : dependencies_) holds &= dependency.holds();
    if (!holds) entries_.clear(), unit_.reset();
    for (const auto& entry : entries_)
      if (entry->device == &device && entry->types == types) return *entry;
    if (!unit_) {
      JitObject jitted;
      as_jit_object(function_, jitted);
      ReadFunction read = read_function(jitted.function, jitted.options);
      unit_ = read.unit;
      dependencies_ = std::move(read.dependencies);
      if (!read.arrays.empty())
        throw Error(ErrorKind::type, "a kernel cannot read arrays outside of it").fix("pass them as arguments");
    }
    auto entry = std::make_unique<Entry>();
    entry->types = types;
    entry->device = &device;
    const std::shared_ptr<const Unit> unit = unit_;
    {
      nb::gil_scoped_release released;
      const TypedUnit typed = infer(*unit, types);
      if (typed.functions[0]->result.kind != TypeKind::none)
        throw Error(ErrorKind::type, fmt::format("the kernel {} returns a value", unit->functions[0]->name))
            .fix("store results into an array");
      entry->lowered = lower_kernel(typed);
      entry->module = compile(entry->lowered.program, device);
      entry->function = &entry->module->function(entry->lowered.entry);
    }
    entries_.push_back(std::move(entry));
    return *entries_.back();
  }

  nb::object function_;  ///< a JitFunction
  std::shared_ptr<const Unit> unit_;
  std::vector<Dependency> dependencies_;
  std::vector<std::unique_ptr<Entry>> entries_;
};

}  // namespace

void bind_jit_kernel(nb::module_& m) {
  nb::class_<JitKernel>(m, "_JitKernel")
      .def(nb::init<nb::object>(), "function"_a)
      .def("check", &JitKernel::check, "grid"_a, "block"_a, "shared_bytes"_a, "arguments"_a)
      .def("launch", &JitKernel::launch, "grid"_a, "block"_a, "shared_bytes"_a, "arguments"_a)
      .def("texts", &JitKernel::texts, "form"_a);
}

}  // namespace kasoku
