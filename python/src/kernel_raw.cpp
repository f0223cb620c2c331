/// \file kernel_raw.cpp
/// ks.RawModule, ks.RawKernel and ks.SourceModule: CUDA C++ text as it stands.
#include "convert.h"
#include "device.h"
#include "kernel_arguments.h"
#include "kernel_call.h"
#include "origin.h"
#include "kasoku/base/launch_error.h"
#include "kasoku/compile/backends.h"
#include "kasoku/device/stream.h"
#include "kasoku/kernel/raw_module.h"

#include <fmt/format.h>
#include <nanobind/stl/vector.h>

#include <fstream>
#include <new>
#include <sstream>

namespace kasoku {
namespace {

constexpr const char* module_doc = R"doc(CUDA C++ text as it stands.

``RawModule(code, path=None, options=(), backend="nvrtc", name_expressions=None,
include_dirs=())``; ``path`` names a file of text. Options are NVRTC's (``-D -I -std=c++17
--use_fast_math …``). Nothing is compiled before a kernel is used; ``compile()`` does it now.
``get_function(name)`` takes a name of the source, a name expression or a symbol.

>>> module = ks.RawModule('extern "C" __global__ void one(int* x) { *x = 1; }')
>>> x = ks.zeros(1, "int32")
>>> module.get_function("one")((1,), (1,), (x,))
>>> x
array([1], dtype=int32))doc";

constexpr const char* kernel_doc = R"doc(One kernel of a RawModule; also ``RawKernel(code, name, options=(), device=None)``.

Launched as in PyCUDA or as in CuPy::

    kernel(n, y, x, block=(256, 1, 1), grid=(16, 1), shared=0, stream=None)
    kernel((16,), (256,), (n, y, x), shared_mem=0, stream=None)
    kernel(n, y, x)       # one thread for each element of the largest array, in one dimension

Arguments are checked against the declaration first: their number, dtypes, device, layout. Python
numbers take the declared type (an int for ``int n``); arrays must be contiguous, and writable
where the kernel writes; NumPy arrays are used where they are on a cpu; None is a null pointer, an
int an address. A wrong one is a TypeError or ValueError that names the parameter. It runs where its arrays
lie; without one on its stream's device, else on `device`, else on the default one.

>>> text = 'extern "C" __global__ void twice(float* x) { x[threadIdx.x] *= 2; }'
>>> x = ks.ones(3, "float32")
>>> ks.RawKernel(text, "twice")((1,), (3,), (x,))
>>> x
array([2., 2., 2.], dtype=float32))doc";

RawModule::Options module_options(const BoundArguments& bound) {
  RawModule::Options options;
  options.options = bound.texts("options");
  return options;
}

std::string text_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(ErrorKind::io, "cannot read " + path);
  std::stringstream text;
  text << file.rdbuf();
  if (text.str().starts_with("\x7f" "ELF"))
    throw Error(ErrorKind::unsupported, path + " is machine code").fix("give the text of the kernel");
  return text.str();
}

void construct_module(RawModule* self, const nb::args& args, const nb::kwargs& kwargs) {
  const BoundArguments bound("RawModule",
                             {"code", "path", "options", "backend", "translate_cucomplex",
                              "enable_cooperative_groups", "name_expressions", "jitify",
                              "include_dirs", "file"},
                             args, kwargs);
  if (bound.has("code") == bound.has("path"))
    throw Error(ErrorKind::type, "RawModule() takes either code or path");
  RawModule::Options options = module_options(bound);
  options.name_expressions = bound.texts("name_expressions");
  options.include_dirs = bound.texts("include_dirs");
  std::string text;
  if (bound.has("path")) {
    options.file = bound.text("path");
    text = text_of_file(options.file);
  } else {
    text = bound.source("code");
  }
  if (bound.has("file")) options.file = bound.text("file");
  if (!bound.has("path") && !bound.has("file")) options.locate = locator_here({{options.file, text}});
  new (self) RawModule(std::move(text), std::move(options));
}

/// PyCUDA's module: of one device, compiled where it is made.
struct SourceModule : RawModule {
  Device* device;
};

constexpr const char* source_doc = R"doc(PyCUDA's module: compiled where it is made.

``SourceModule(source, nvcc="nvcc", options=None, keep=False, no_extern_c=False, arch=None,
code=None, cache_dir=None, include_dirs=[], device=None)``. No nvcc is called, and no wrapping in
extern "C" is needed: kernels are found by the names of the source. Text that does not compile is
ks.CompileError with its line and a caret. ``get_global(name)`` gives (address, bytes).)doc";

Device& device_or_default(nb::handle device) {
  return to_device(device);
}

void construct_source(SourceModule* self, const nb::args& args, const nb::kwargs& kwargs) {
  const BoundArguments bound("SourceModule",
                             {"source", "nvcc", "options", "keep", "no_extern_c", "arch", "code",
                              "cache_dir", "include_dirs", "device"},
                             args, kwargs);
  RawModule::Options options = module_options(bound);
  options.include_dirs = bound.texts("include_dirs");
  std::string text = bound.source("source");
  options.locate = locator_here({{options.file, text}});
  const RawModule module(std::move(text), std::move(options));
  Device& device = device_or_default(bound.get("device"));
  {
    const GilReleased release;
    module.on(device);  // errors belong to this line
  }
  new (self) SourceModule{module, &device};
}

void construct_kernel(RawKernel* self, const nb::args& args, const nb::kwargs& kwargs) {
  const BoundArguments bound("RawKernel",
                             {"code", "name", "options", "backend", "translate_cucomplex",
                              "enable_cooperative_groups", "jitify", "include_dirs", "device"},
                             args, kwargs);
  RawModule::Options options = module_options(bound);
  options.include_dirs = bound.texts("include_dirs");
  std::string text = bound.source("code");
  options.locate = locator_here({{options.file, text}});
  const RawKernel kernel = RawModule(std::move(text), std::move(options)).kernel(nb::cast<std::string>(nb::str(bound.need("name"))));
  const nb::handle device = bound.get("device");
  new (self) RawKernel(device.is_none() ? kernel : kernel.at_home_on(to_device(device)));
}

struct Launch {
  std::optional<LaunchShape> shape;
  Stream* stream = nullptr;
};

void run(const RawKernel& kernel, CallArguments& arguments, const Launch& launch) {
  const GilReleased release;
  if (kernel.is_of_pycuda())
    for (Argument& argument : arguments.span()) argument.array.is_bits = true;
  if (!arguments.has_host_arguments()) {
    kernel(launch.shape, arguments.span(), launch.stream);
    return;
  }
  Device& device = kernel.device_for(arguments.span(), launch.stream);
  Stream& stream = launch.stream ? *launch.stream : device.current_stream();
  arguments.copy_in(device, stream);
  kernel(launch.shape, arguments.span(), &stream);
  arguments.copy_out(stream);
}

bool is_list(PyObject* object) { return PyTuple_Check(object) || PyList_Check(object); }

PyObject* call_kernel(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    const RawKernel& kernel = *nb::inst_ptr<RawKernel>(self);
    Launch launch;
    nb::handle grid, block, list;
    uint32_t shared = 0;
    bool is_timed = false;
    each_keyword(kwargs, [&](std::string_view name, nb::handle value) {
      if (name == "block") block = value;
      else if (name == "grid") grid = value;
      else if (name == "args") list = value;
      else if (name == "stream") launch.stream = stream_from(value);
      else if (name == "shared" || name == "shared_mem")
        shared = bytes_from(value);
      else if (name == "time_kernel") is_timed = PyObject_IsTrue(value.ptr()) == 1;
      else if (name == "texrefs") return;  // they were bound where the module keeps them
      else if (name == "enable_cooperative_groups") return;  // the text says it
      else unknown_keyword(kernel.name(), name, {"block", "grid", "args", "stream", "shared", "shared_mem", "time_kernel", "texrefs", "enable_cooperative_groups"});
    });
    Py_ssize_t first = 0, count = PyTuple_Size(args);
    // (grid, block, args): a tuple is never an argument of a kernel.
    if (list || (count >= 3 && is_list(PyTuple_GetItem(args, 2)))) {
      if (count > 3)
        throw Error(ErrorKind::type, kernel.name() + ": a launch takes the grid, the block and the arguments, and more by name alone")
            .fix("kernel(grid, block, args, shared_mem=" + std::string(nb::str(nb::handle(PyTuple_GetItem(args, 3))).c_str()) + ")");
      const std::pair<const char*, nb::handle*> places[] = {{"grid", &grid}, {"block", &block}, {"args", &list}};
      for (Py_ssize_t i = 0; i < count; ++i) {
        if (*places[i].second) throw Error(ErrorKind::type, kernel.name() + "() got multiple values for argument '" + places[i].first + "'");
        *places[i].second = PyTuple_GetItem(args, i);
      }
    } else if (count == 3 && PyTuple_Check(PyTuple_GetItem(args, 0)) &&
               PyTuple_Check(PyTuple_GetItem(args, 1))) {
      throw Error(ErrorKind::type, kernel.name() + ": the arguments must be a tuple")
          .fix("kernel(grid, block, (x,))");
    }
    if (block.is_valid() && block.is_none()) block = nb::handle();
    if (grid.is_valid() && grid.is_none()) grid = nb::handle();
    if (block || grid || shared) {
      if (!block)
        throw Error(ErrorKind::value, kernel.name() + ": a grid without a block")
            .fix("give block=(256, 1, 1) too");
      LaunchShape& shape = launch.shape.emplace();
      dims_from(block, "block", shape.block);
      if (grid) dims_from(grid, "grid", shape.grid);
      if (const uint32_t* of = shape.grid; !of[0] || !of[1] || !of[2])
        throw LaunchError(Error(ErrorKind::value, fmt::format("the grid ({}, {}, {}) of kernel '{}' is empty", of[0],
                                                              of[1], of[2], kernel.name()))
                              .fix("give every dimension at least one block"));
      shape.shared_bytes = shared;
    }
    CallArguments arguments;
    nb::object sequence;
    if (list) {
      sequence = nb::steal(PySequence_Tuple(list.ptr()));
      if (!sequence) throw nb::python_error();
      args = sequence.ptr();
      first = 0;
      count = PyTuple_Size(args);
    }
    for (Py_ssize_t i = first; i < count; ++i) arguments.add(PyTuple_GetItem(args, i));
    if (!is_timed) {
      run(kernel, arguments, launch);
      Py_RETURN_NONE;
    }
    Device& device = kernel.device_for(arguments.span(), launch.stream);
    Stream& stream = launch.stream ? *launch.stream : device.current_stream();
    const std::shared_ptr<Event> start = device.make_event(), end = device.make_event();
    start->record(stream);
    run(kernel, arguments, launch);
    end->record(stream);
    end->synchronize();
    return PyFloat_FromDouble(end->milliseconds_since(*start) * 1e-3);
  });
}

Function& function_on(const RawKernel& kernel, nb::handle device) {
  Device& on = device.is_none() ? kernel.device_for({}) : device_or_default(device);
  const GilReleased release;
  return kernel.on(on);
}

int64_t attribute_of(const RawKernel& kernel, const char* name) {
  return function_on(kernel, nb::none()).attribute(name);
}

constexpr const char* attribute_names[] = {
    "max_threads_per_block", "shared_size_bytes", "const_size_bytes", "local_size_bytes",
    "num_regs", "ptx_version", "binary_version", "cache_mode_ca", "max_dynamic_shared_size_bytes",
    "preferred_shared_memory_carveout",
};

std::string form_of(const RawKernel& kernel, CodeForm form, nb::handle device, nb::handle block) {
  uint32_t dims[3] = {0, 0, 0};
  if (!block.is_none()) dims_from(block, "block", dims);
  Device& on = device.is_none() ? kernel.device_for({}) : device_or_default(device);
  const GilReleased release;
  return code_text(kernel.module().program(), on, kernel.name(), form, dims);
}

/// The memory of a global as an array of bytes, which keeps the module.
Array global_array(const RawModule& module, const std::string& name, nb::handle dtype,
                   nb::handle device) {
  const Dtype element = dtype.is_none() ? Dtype::uint8 : dtype_from(dtype);
  Device& on = device_or_default(device);
  const GilReleased release;
  const GlobalMemory global = module.on(on).global(name);
  auto owner = std::make_shared<RawModule>(module);
  auto buffer = Buffer::adopt(on, global.memory, global.bytes, owner, false);
  const int64_t size = static_cast<int64_t>(global.bytes / info(element).size);
  return Array::view(std::move(buffer), 0, {size}, {static_cast<int64_t>(info(element).size)},
                     element);
}

/// A module's kernel, which remembers it; an unknown name is an error here.
nb::object made_of(nb::handle module, RawKernel kernel, Device& device) {
  {
    const GilReleased release;
    kernel.on(device);
  }
  nb::object made = nb::cast(std::move(kernel));
  made.attr("_module") = module;
  return made;
}

void bind_raw_kernel(nb::module_& m) {
  PyType_Slot slots[] = {{Py_tp_call, reinterpret_cast<void*>(call_kernel)}, {0, nullptr}};
  nb::class_<RawKernel> cls(m, "RawKernel", kernel_doc, nb::type_slots(slots), nb::dynamic_attr());
  bind_construct(cls, construct_kernel);
  cls.def_prop_ro("name", &RawKernel::name, "The kernel's name in the text.")
      .def_prop_ro("code", [](const RawKernel& k) { return k.module().program().text; }, "The module's CUDA C++ text.")
      .def_prop_ro("options", [](const RawKernel& k) {
        return nb::tuple(nb::cast(k.module().program().options));
      }, "The compiler's options, a tuple of texts.")
      .def("compile", [](const RawKernel& k, nb::args, nb::kwargs) { function_on(k, nb::none()); },
           "Compiles now, for the default device.")
      .def("text", [](const RawKernel& k, nb::handle device) {
             return form_of(k, CodeForm::text, device, nb::none());
           }, nb::arg("device") = nb::none(), "The text that the compiler reads.")
      .def("llvm_ir", [](const RawKernel& k, nb::handle device, nb::handle block) {
             return form_of(k, CodeForm::llvm_ir, device, block);
           }, nb::arg("device") = nb::none(), nb::arg("block") = nb::none(),
           "LLVM's form of it, for a block shape or for any.")
      .def("assembly", [](const RawKernel& k, nb::handle device, nb::handle block) {
             return form_of(k, CodeForm::assembly, device, block);
           }, nb::arg("device") = nb::none(), nb::arg("block") = nb::none(),
           "The processor's instructions, for a block shape or for any.")
      .def("ptx", [](const RawKernel& k, nb::handle device) {
             return form_of(k, CodeForm::ptx, device, nb::none());
           }, nb::arg("device") = nb::none(), "PTX, on an NVIDIA GPU.")
      .def_prop_ro("attributes", [](const RawKernel& k) {
        Function& function = function_on(k, nb::none());
        nb::dict attributes;
        for (const char* name : attribute_names) {
          int64_t value = 0;
          try {
            value = function.attribute(name);
          } catch (const Error&) {  // this device has no such number
          }
          attributes[name] = value;
        }
        return attributes;
      })
      .def("get_attribute", [](const RawKernel& k, nb::handle name) {
        // PyCUDA's enumeration names are upper case.
        std::string text = nb::cast<std::string>(nb::str(name));
        for (char& c : text) c = static_cast<char>(std::tolower(c));
        return attribute_of(k, text.c_str());
      }, "An attribute by name: max_threads_per_block, shared_size_bytes …")
      .def("set_attribute", [](const RawKernel& k, nb::handle name, int64_t value) {
        std::string text = nb::cast<std::string>(nb::str(name));
        for (char& c : text) c = static_cast<char>(std::tolower(c));
        function_on(k, nb::none()).set_attribute(text, value);
      }, "Sets max_dynamic_shared_size_bytes or preferred_shared_memory_carveout.")
      .def("set_cache_config", [](const RawKernel&, nb::handle) {}, "Kept for PyCUDA's programs: a hint that nothing needs.")
      .def("set_shared_size", [](nb::handle self, nb::handle bytes) {
        self.attr("_shared") = bytes;
      }, "Bytes of dynamic shared memory of prepared calls.")
      .def("_leave_more_alone", &RawKernel::leave_more_alone, "For cupy: arguments behind the declared ones mean nothing.")
      .def("prepare",
           [](nb::handle self, nb::handle types, nb::args, nb::kwargs kwargs) {
             self.attr("_shared") = kwargs.contains("shared") ? nb::object(kwargs["shared"])
                                                              : nb::object(nb::int_(0));
             self.attr("arg_types") = types;
             return nb::borrow(self);
           },
           "Kept for PyCUDA's programs: argument types are known from the declaration.")
      .def("prepared_call",
           [](nb::handle self, nb::handle grid, nb::handle block, nb::args args, nb::kwargs kwargs) {
             nb::object shared = kwargs.contains("shared_size") ? nb::object(kwargs["shared_size"])
                                                                : nb::getattr(self, "_shared", nb::int_(0));
             return self(*args, nb::arg("grid") = grid, nb::arg("block") = block,
                         nb::arg("shared") = shared);
           },
           "PyCUDA's: grid, block, then the arguments.")
      .def("prepared_async_call",
           [](nb::handle self, nb::handle grid, nb::handle block, nb::handle stream, nb::args args,
              nb::kwargs kwargs) {
             nb::object shared = kwargs.contains("shared_size") ? nb::object(kwargs["shared_size"])
                                                                : nb::getattr(self, "_shared", nb::int_(0));
             return self(*args, nb::arg("grid") = grid, nb::arg("block") = block,
                         nb::arg("shared") = shared, nb::arg("stream") = stream);
           },
           "PyCUDA's: grid, block, stream, then the arguments.")
      .def("prepared_timed_call",
           [](nb::handle self, nb::handle grid, nb::handle block, nb::args args, nb::kwargs kwargs) {
             nb::object shared = kwargs.contains("shared_size") ? nb::object(kwargs["shared_size"])
                                                                : nb::getattr(self, "_shared", nb::int_(0));
             nb::object seconds = self(*args, nb::arg("grid") = grid, nb::arg("block") = block,
                                       nb::arg("shared") = shared, nb::arg("time_kernel") = true);
             return nb::cpp_function([seconds] { return seconds; });
           },
           "PyCUDA's: waits, and gives a function that says the seconds.")
      .def("__repr__", [](const RawKernel& k) { return "<kasoku.RawKernel " + k.name() + ">"; });
  for (const char* name : attribute_names) {
    const auto get = nb::cpp_function([name](const RawKernel& k) { return attribute_of(k, name); });
    const auto set = nb::cpp_function([name](const RawKernel& k, int64_t value) {
      function_on(k, nb::none()).set_attribute(name, value);
    });
    cls.attr(name) = nb::module_::import_("builtins").attr("property")(get, set);
  }
}

}  // namespace

void bind_kernel_raw(nb::module_& m) {
  nb::class_<RawModule> cls(m, "RawModule", module_doc, nb::dynamic_attr());
  bind_construct(cls, construct_module);
  cls.def_prop_ro("code", [](const RawModule& x) { return x.program().text; })
      .def_prop_ro("options",
                   [](const RawModule& x) { return nb::tuple(nb::cast(x.program().options)); })
      .def("get_function",
           [](nb::handle module, const std::string& name, nb::handle device) {
             const RawKernel kernel = nb::cast<const RawModule&>(module).kernel(name);
             Device& on = device_or_default(device);
             return made_of(module, device.is_none() ? kernel : kernel.at_home_on(on), on);
           },
           nb::arg("name"), nb::arg("device") = nb::none(),
           "The kernel with a name of the source, a name expression or a symbol.")
      .def("get_global", &global_array, nb::arg("name"), nb::arg("dtype") = nb::none(),
           nb::arg("device") = nb::none(),
           "The memory of a __device__ or __constant__ variable, as an array (of bytes, unless a "
           "dtype is given) that writes through.")
      .def("compile",
           [](const RawModule& x, nb::handle log_stream) {
             Device& on = default_device();
             std::string warnings = without_gil([&] { return x.on(on).info().warnings; });
             if (!log_stream.is_none()) log_stream.attr("write")(warnings);
           },
           nb::arg("log_stream") = nb::none(), "Compiles now, for the default device.")
      .def_prop_ro("kernels", [](const RawModule& x) {
        Device& on = default_device();
        std::vector<std::string> names;
        const GilReleased release;
        for (const KernelInfo& kernel : x.on(on).info().kernels) names.push_back(kernel.name);
        return names;
      });
  bind_raw_kernel(m);
  nb::class_<SourceModule, RawModule> source(m, "SourceModule", source_doc);
  bind_construct(source, construct_source);
  source
      .def("get_function",
           [](nb::handle module, const std::string& name) {
             const SourceModule& x = nb::cast<const SourceModule&>(module);
             return made_of(module, x.kernel(name).at_home_on(*x.device, true), *x.device);
           },
           nb::arg("name"), "The kernel of that name, compiled.")
      .def("get_global",
           [](const SourceModule& x, const std::string& name) {
             const GilReleased release;
             const GlobalMemory global = x.on(*x.device).global(name);
             const GilHeld acquire;
             return nb::make_tuple(reinterpret_cast<uintptr_t>(global.memory), global.bytes);
           },
           nb::arg("name"), "(address, bytes) of a __device__ or __constant__ variable.");
}

}  // namespace kasoku
