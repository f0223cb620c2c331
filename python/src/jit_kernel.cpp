/// \file python/src/jit_kernel.cpp
/// kasoku._core.JitKernel: a kernel written in Python (ks.cuda.jit) and its launches, on any device.
#include "convert.h"
#include "device.h"
#include "foreign.h"
#include "jit_raise.h"
#include "jit_read.h"
#include "jit_records.h"
#include "jit_values.h"
#include "kasoku/array/array.h"
#include "kasoku/array/creation.h"
#include "kasoku/array/elementwise.h"
#include "kasoku/base/env.h"
#include "kasoku/base/error.h"
#include "kasoku/check/kernel_check.h"
#include "kasoku/compile/backends.h"
#include "kasoku/compile/compile.h"
#include "kasoku/device/counters.h"
#include "kasoku/jit/compiled.h"
#include "kasoku/jit/lower.h"
#include "kasoku/jit/offload.h"
#include "kasoku/jit/signature.h"
#include "to_python.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <deque>

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
    std::vector<nb::object> given;
    Device* placed = nullptr;
    for (nb::handle argument : arguments) {
      given.push_back(bare(nb::borrow(argument)));
      if (!placed) placed = device_of(given.back());
    }
    Device& target = placed ? *placed : default_device();
    static const bool is_checked = env(Env::KASOKU_CHECK) == "bounds";
    if (is_checked && target.is_host())
      for (const Finding& finding : check(grid, block, shared_bytes, arguments))
        if (finding.kind == "bounds")
          throw Error(ErrorKind::index, name() + ": " + finding.text).at(finding.file + ":" + std::to_string(finding.line));
    std::vector<Type> types;
    std::vector<nb::object> values;
    std::vector<Host> hosts;
    for (nb::object& value : given) {
      Type type;
      values.push_back(there(std::move(value), target, type, hosts));
      types.push_back(type);
      if (!type.is_known())
        throw Error(ErrorKind::type, fmt::format("argument {} of {} is a {}, which a kernel does not take", values.size(),
                                                 name(), nb::cast<std::string>(values.back().type().attr("__name__"))));
    }
    Entry& entry = find(types, target);
    std::deque<std::vector<uint64_t>> words;
    std::vector<void*> pointers;
    for (size_t i = 0; i < values.size(); ++i) fill(values[i], types[i], entry.types[i], words, pointers);
    for (size_t i = 0; i < entry.hidden.size(); ++i) fill(entry.hidden[i], entry.hidden_types[i], entry.hidden_types[i], words, pointers);
    const LaunchShape shape = shape_of(grid, block, shared_bytes);
    CallRecord record;
    {
      const GilReleased released;
      run(entry, shape, pointers, record);
    }
    for (size_t i = 0; i < values.size(); ++i)
      if (const Array* array = as_array(values[i])) array->buffer()->check_end(name(), unit_->functions[0]->parameters[i].name);
    for (Host& host : hosts)
      if (const Array* ours = as_array(host.array))
        ours->assign(host.on_device);
      else
        nb::module_::import_("numpy").attr("copyto")(host.array, to_numpy(host.on_device));
    if (record.status) raise_failure(record, failure_text(record, entry.functions) + thread_text(record), entry.raised);
  }

  /// Compiles for the default device, ahead of a launch.
  void compile_ahead(nb::list described) {
    std::vector<Type> types;
    for (nb::handle type : described) types.push_back(type_of_description(type));
    find(types, default_device());
  }

  /// Types of arguments that it was compiled for, the oldest first.
  nb::list signatures() const {
    nb::list all;
    for (const auto& entry : entries_) {
      nb::list types;
      for (const Type& type : entry->types) types.append(description(type));
      all.append(types);
    }
    return all;
  }

  /// A figure of each compiled kernel under the name of CUDA's function attribute.
  std::vector<int64_t> attributes(const std::string& name) const {
    std::vector<int64_t> all;
    for (const auto& entry : entries_) all.push_back(entry->function->attribute(name));
    return all;
  }

  /// How many blocks of so many threads of each compiled kernel run at once.
  std::vector<uint64_t> blocks_at_once(uint64_t threads, uint32_t shared_bytes) const {
    std::vector<uint64_t> all;
    for (const auto& entry : entries_) all.push_back(entry->function->blocks_at_once(threads, shared_bytes));
    return all;
  }

  /// Runs the launch on the CPU, on copies of the arrays, one thread after another with every access watched.
  std::vector<Finding> check(nb::tuple grid, nb::tuple block, uint32_t shared_bytes, nb::tuple arguments) {
    Device& cpu = kasoku::device("cpu");
    JitObject jitted;
    as_jit_object(function_, jitted);
    jitted.options.is_checked = true;
    jitted.options.boundscheck = jitted.options.python_errors = false;  // findings instead of exceptions
    const ReadFunction read = read_function(jitted);
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
    std::deque<std::vector<uint64_t>> words;
    std::vector<void*> pointers;
    std::vector<KnownArray> arrays;
    for (size_t i = 0; i < values.size(); ++i) {
      fill(values[i], types[i], types[i], words, pointers);
      if (types[i].is_array()) arrays.push_back(known_array(types[i], words.back().data(), read.unit->functions[0]->parameters[i].name));
    }
    const LaunchShape shape = shape_of(grid, block, shared_bytes);
    std::vector<Finding> findings;
    {
      const GilReleased released;
      findings = launch_watched(entry, shape, pointers.data(), std::move(arrays));
    }
    for (const nb::object& value : values)  // what it wrote behind them is told already
      if (const Array* array = as_array(value)) cpu.was_overrun(array->buffer()->memory(), array->buffer()->bytes());
    return findings;
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
    std::vector<nb::object> hidden;  ///< arrays outside, as they were when it was compiled
    std::vector<Type> hidden_types;
    std::vector<nb::object> raised;           ///< what makes the exceptions of its raise statements
    std::vector<const jit::Function*> functions;  ///< by index in the text
    Lowered lowered;
    std::shared_ptr<Module> module;
    kasoku::Function* function;
  };

  /// With debug=True the first failure of a thread comes back in `record`.
  static void run(const Entry& entry, const LaunchShape& shape, std::vector<void*>& pointers, CallRecord& record) {
    Stream& stream = entry.device->current_stream();
    if (!entry.lowered.raises) return entry.function->launch(shape, pointers.data(), stream);
    const DeviceFailure failure(*entry.device, stream);
    void* address = failure.address();
    pointers.push_back(&address);
    entry.function->launch(shape, pointers.data(), stream);
    failure.read(record);
  }

  /// Which thread it was, from the words that ks_jit_fail_in of a kernel writes.
  static std::string thread_text(const CallRecord& record) {
    const auto part = [](uint64_t word, int at, uint64_t mask) { return word >> at & mask; };
    return fmt::format("\n  in   thread ({}, {}, {}) of block ({}, {}, {})", part(record.key, 0, 0xffff), part(record.key, 16, 0xffff),
                       part(record.key, 32, 0xffff), part(record.draw, 0, 0xffffffff), part(record.draw, 32, 0xffff), part(record.draw, 48, 0xffff));
  }

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

  static nb::object bare(nb::object value) {
    while (nb::hasattr(value, "__kasoku_array__")) value = value.attr("__kasoku_array__");
    return value;
  }

  /// Where an argument's arrays lie. What another package shows is replaced by the array that it shows.
  static Device* device_of(nb::object& value) {
    if (PyTuple_Check(value.ptr())) {
      for (nb::handle item : value) {
        nb::object own = bare(nb::borrow(item));
        if (Device* inside = device_of(own)) return inside;
      }
      return nullptr;
    }
    if (!type_of(value).is_known())
      if (nb::object array = shown_by(value); array.is_valid()) value = std::move(array);
    const Array* array = as_array(value);
    return array ? &array->device() : nullptr;
  }

  /// The array that another package's object shows, in its own memory.
  static nb::object shown_by(nb::handle value) {
    const nb::object numpys = nb::make_tuple(numpy().attr("ndarray"), numpy().attr("generic"));
    if (as_array(value) || PyObject_IsInstance(value.ptr(), numpys.ptr()) == 1) return {};  // NumPy's: of an element that kernels lack
    if (std::optional<Array> array = array_of_interface(value)) return nb::cast(*array);
    if (nb::hasattr(value, "__array_interface__")) return numpy().attr("asarray")(value);
    return stand_in(value);
  }

  static void want_host_for_records(const Device& device) {
    if (!device.is_host())
      throw Error(ErrorKind::type, "structured arrays are taken by kernels on a CPU alone")
          .fix("pass the fields as arrays of their own");
  }

  static nb::object constant_records(const nb::object& records, const Device& device) {
    want_host_for_records(device);
    nb::object copy = records.attr("copy")();
    copy.attr("flags").attr("writeable") = false;
    return copy;
  }

  struct Host {
    nb::object array;
    Array on_device;
  };

  /// The value where the kernel runs, and its type. A host array travels there and, unless it is
  /// read-only, back, as Numba has it.
  static nb::object there(nb::object value, Device& target, Type& type, std::vector<Host>& hosts) {
    if (PyTuple_Check(value.ptr())) {
      nb::list items;
      type = Type::tuple({});
      if (nb::hasattr(value, "_fields")) type.text = names_of_tuple(value.type());
      for (nb::handle item : value) {
        Type own;
        items.append(there(bare(nb::borrow(item)), target, own, hosts));
        if (!own.is_known()) return type = {}, value;
        type.items.push_back(own);
      }
      return nb::tuple(items);
    }
    if ((type = type_of_records(value.ptr())).is_known()) want_host_for_records(target);
    Dtype dtype;
    bool is_constant = false;
    if (const nb::object copy = as_array(value.ptr()) ? well_placed_copy(value.ptr()) : nb::object(); copy.is_valid()) {
      const Array& x = *as_array(copy);
      if (!x.is_read_only()) hosts.push_back({value, x});
      value = copy;
    } else if (well_placed_copy(value.ptr()).is_valid() || (!target.is_host() && as_numpy(value.ptr(), dtype))) {
      is_constant = is_read_only(*reinterpret_cast<const NumpyArray*>(value.ptr()));
      Array copy = import_host(value, std::nullopt, target, true);
      if (!is_constant) hosts.push_back({value, copy});
      value = nb::cast(copy);
    }
    type = type_of(value);
    if (!type.is_known())
      if (nb::object array = shown_by(value); array.is_valid()) return there(array, target, type, hosts);
    type.is_read_only |= is_constant;
    return value;
  }

  static Type type_of(nb::handle value) {
    if (const Array* array = as_array(value)) {
      if (array->dtype() == Dtype::opaque || array->dtype() == Dtype::bfloat16) return {};
      Type type = Type::array(array->dtype(), array->ndim(), array->is_contiguous());
      type.is_read_only = array->is_read_only();
      return type;
    }
    return type_of_value(value);
  }

  /// The kernel's parameters: a tuple's items one by one (kernel_parameter() of jit/lower_entry.cpp).
  static void fill(nb::handle value, const Type& type, const Type& wanted, std::deque<std::vector<uint64_t>>& words, std::vector<void*>& pointers) {
    if (type.is_symbol()) return;
    if (type.is_tuple()) {
      for (size_t i = 0; i < type.items.size(); ++i)
        fill(nb::handle(PyTuple_GetItem(value.ptr(), static_cast<Py_ssize_t>(i))), type.items[i], wanted.items[i], words, pointers);
      return;
    }
    std::vector<uint64_t>& own = words.emplace_back(static_cast<size_t>(std::max(words_of(type), words_of(wanted))) + 4);
    uint64_t* at = own.data();
    pointers.push_back(at);
    if (const Array* array = as_array(value)) {
      own[0] = reinterpret_cast<uint64_t>(array->data());
      for (int k = 0; k < type.ndim; ++k) {
        const auto axis = static_cast<size_t>(k);
        own[1 + axis] = static_cast<uint64_t>(array->shape()[axis]);
        own[1 + static_cast<size_t>(type.ndim) + axis] = static_cast<uint64_t>(array->strides()[axis] / static_cast<int64_t>(array->itemsize()));
      }
    } else if (!pack_converted(value.ptr(), type, wanted, at)) {
      throw Error(ErrorKind::internal, "an argument does not fit the type made of it");
    } else if (wanted.is_scalar() && wanted.dtype == Dtype::complex64) {  // words hold both parts as doubles
      double parts[2];
      std::memcpy(parts, own.data(), sizeof parts);
      const float narrow[2] = {static_cast<float>(parts[0]), static_cast<float>(parts[1])};
      std::memcpy(own.data(), narrow, sizeof narrow);
    }
  }

  Entry& find(const std::vector<Type>& given, Device& device) {
    for (const Dependency& dependency : dependencies_)
      if (!dependency.holds()) {
        entries_.clear(), unit_.reset();
        break;
      }
    for (const auto& entry : entries_)
      if (entry->device == &device && entry->types == given) return *entry;
    JitObject jitted;
    as_jit_object(function_, jitted);
    std::vector<Type> types = given;
    if (!jitted.declared.empty()) {
      types = choose(jitted.declared, given, nb::cast<std::string>(nb::repr(jitted.function))).arguments;
      for (const auto& entry : entries_)
        if (entry->device == &device && entry->types == types) return *entry;
    }
    return with_overloads(true, [&]() -> Entry& { return make(jitted, types, device); }, [&] { unit_.reset(); });
  }

  Entry& make(const JitObject& jitted, const std::vector<Type>& types, Device& device) {
    if (!unit_) {
      ReadFunction read = [&] {
        try {
          return read_function(jitted);
        } catch (const Error& error) {
          if (error.kind == ErrorKind::type) throw_typing_error(error);
          throw;
        }
      }();
      unit_ = read.unit;
      dependencies_ = std::move(read.dependencies);
      outside_ = std::move(read.arrays);
      raised_ = std::move(read.raised);
    }
    auto entry = std::make_unique<Entry>();
    entry->types = types;
    entry->device = &device;
    entry->raised = raised_;
    for (const nb::object& array : outside_) {  // constants: what they hold now
      if (type_of_records(array.ptr()).is_known())
        entry->hidden.push_back(constant_records(array, device));
      else
        entry->hidden.push_back(nb::cast(as_array(array) ? kasoku::copy(to_device(*as_array(array), device))
                                                         : import_host(array, std::nullopt, device, true)));
      entry->hidden_types.push_back(type_of(entry->hidden.back()));
      entry->hidden_types.back().is_read_only = true;
    }
    const std::shared_ptr<const Unit> unit = unit_;
    try {
      const GilReleased released;
      TypedUnit typed = infer(*unit, types);
      typed.hidden = entry->hidden_types;
      for (const auto& function : typed.functions) entry->functions.push_back(function ? function->function : nullptr);
      if (typed.functions[0]->result.kind != TypeKind::none)
        throw Error(ErrorKind::type, fmt::format("the kernel {} returns a value", unit->functions[0]->name))
            .fix("store results into an array");
      entry->lowered = lower_kernel(typed);
      entry->module = compile(entry->lowered.program, device);
      entry->function = &entry->module->function(entry->lowered.entry);
    } catch (const OverloadAsked&) {
      throw;
    } catch (const Error& error) {
      if (error.kind != ErrorKind::type && error.kind != ErrorKind::unsupported) throw;
      throw_typing_error(error);
    }
    entries_.push_back(std::move(entry));
    return *entries_.back();
  }

  std::vector<nb::object> outside_, raised_;
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
      .def("compile", &JitKernel::compile_ahead, "types"_a)
      .def("signatures", &JitKernel::signatures)
      .def("attributes", &JitKernel::attributes, "name"_a)
      .def("blocks_at_once", &JitKernel::blocks_at_once, "threads"_a, "shared_bytes"_a)
      .def("texts", &JitKernel::texts, "form"_a);
}

}  // namespace kasoku
