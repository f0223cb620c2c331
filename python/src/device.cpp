/// \file device.cpp
/// Devices, the default one, and waiting for them.
#include "device.h"

#include "kasoku/array/graph.h"
#include "kasoku/base/env.h"
#include "kasoku/base/error.h"
#include "kasoku/compile/backends.h"
#include "kasoku/device/cuda/libraries.h"
#include "kasoku/device/memory_limit.h"
#include "kasoku/device/memory_listener.h"
#include "kasoku/linalg/provider.h"

#include <memory>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace kasoku {

Device& to_device(nb::handle object) {
  if (object.is_none()) return default_device();
  Device* found = nullptr;
  if (nb::try_cast(object, found) && found) return *found;
  return device(nb::cast<std::string>(nb::str(object)));
}

namespace {

/// The result of default_device(x): the default was set for all threads at the
/// call; `with` makes that the block's and this thread's only.
class DefaultDevice {
 public:
  /// `for_all`: set for all threads until somebody enters it.
  DefaultDevice(Device& wanted, bool for_all) : wanted_(wanted) {
    if (!for_all) return;
    const std::lock_guard lock(mutex());
    Device& before = set_default_device(wanted);
    if (pending().empty()) base() = &before;
    pending().push_back(this);
  }
  DefaultDevice(const DefaultDevice&) = delete;
  ~DefaultDevice() {  // what nobody entered stays
    const std::lock_guard lock(mutex());
    if (std::erase(pending(), this)) base() = &wanted_;
  }

  Device& enter() {
    {
      const std::lock_guard lock(mutex());
      if (std::erase(pending(), this)) set_default_device(pending().empty() ? *base() : pending().back()->wanted_);
    }
    scope_.emplace_back(std::make_unique<DefaultDeviceScope>(wanted_));
    return wanted_;
  }
  void exit() {
    if (!scope_.empty()) scope_.pop_back();
  }
  Device& wanted() const { return wanted_; }

 private:
  // Threads enter theirs at once: each takes back what it set, and nobody else's.
  static std::mutex& mutex() {
    static std::mutex& mutex = *new std::mutex;
    return mutex;
  }
  static std::vector<const DefaultDevice*>& pending() {  ///< set and not entered, the newest last
    static auto& all = *new std::vector<const DefaultDevice*>;
    return all;
  }
  static Device*& base() {  ///< the default without those
    static Device* device = nullptr;
    return device;
  }

  Device& wanted_;
  std::vector<std::unique_ptr<DefaultDeviceScope>> scope_;
};

nb::dict properties(Device& device) {
  const DeviceProperties& p = device.properties();
  nb::dict result;
  result["name"] = p.name;
  result["architecture"] = p.architecture;
  result["total_memory"] = p.total_memory;
  result["multiprocessors"] = p.multiprocessors;
  result["max_threads_per_block"] = p.max_threads_per_block;
  result["max_block"] = nb::make_tuple(p.max_block[0], p.max_block[1], p.max_block[2]);
  result["max_grid"] = nb::make_tuple(p.max_grid[0], p.max_grid[1], p.max_grid[2]);
  result["max_shared_bytes_per_block"] = p.max_shared_bytes_per_block;
  result["max_shared_bytes_opt_in"] = p.max_shared_bytes_opt_in;
  result["warp_size"] = p.warp_size;
  result["compute_capability"] =
      nb::make_tuple(p.compute_capability[0], p.compute_capability[1]);
  return result;
}

nb::dict memory(Device& device) {
  const MemoryUse use = device.memory_use();
  nb::dict result;
  result["free"] = use.free;
  result["total"] = use.total;
  result["used"] = use.used;
  result["cached"] = use.cached;
  result["limit"] = memory_limit(device.kind, device.index).load();
  return result;
}

/// PyPI's nvidia and OpenBLAS wheels lie in these folders.
void add_site_packages() {
  const nb::list path = nb::module_::import_("sys").attr("path");
  for (nb::handle entry : path) {
    std::string folder;
    if (!nb::try_cast(entry, folder)) continue;
    if (!folder.ends_with("site-packages") && !folder.ends_with("dist-packages")) continue;
    cuda::add_search_folder(folder);
    linalg::add_search_folder(folder);
  }
}

/// The function of a program that is told of memory, and on whose thread it is told now: what it takes itself is not told.
PyObject* told_of_memory = nullptr;
thread_local bool is_telling = false;

void tell(MemoryEvent event, Device& device, void* address, size_t bytes) {
  if (is_telling || is_python_gone()) return;
  is_telling = true;
  {
    const GilHeld held;
    PyObject *kind, *error, *trace;
    PyErr_Fetch(&kind, &error, &trace);
    if (told_of_memory) {
      const nb::object function = nb::borrow(told_of_memory);
      try {
        function(static_cast<int>(event), nb::cast(&device, nb::rv_policy::reference), reinterpret_cast<uintptr_t>(address), bytes);
      } catch (nb::python_error& failed) {
        failed.restore();
        PyErr_WriteUnraisable(function.ptr());
      }
    }
    PyErr_Restore(kind, error, trace);
  }
  is_telling = false;
}

}  // namespace

void bind_device(nb::module_& m) {
  using namespace nb::literals;
  constexpr auto reference = nb::rv_policy::reference;
  add_site_packages();
  m.def("_tell_of_memory", [](nb::object function) {
    Py_XDECREF(std::exchange(told_of_memory, function.is_none() ? nullptr : function.release().ptr()));
    memory_listener.store(told_of_memory ? tell : nullptr, std::memory_order_release);
  }, "function"_a.none(), "function(0 to 3, device, address, bytes) before and after memory is taken, before and after it is "
     "given back; None: nobody is told.");

  nb::class_<Device>(m, "Device", R"(A processor: a CPU with all its cores, or one GPU.

ks.Device("cpu") or ks.Device("cuda:0"); there is one object of each. A device that is not there is a
RuntimeError that says why.

>>> ks.Device("cpu").kind
'cpu')")
      .def(nb::new_([](nb::object name) { return &to_device(name); }), "name"_a, reference)
      .def_prop_ro("name", &Device::str, "\"cpu\" or \"cuda:0\"; what device= arguments take.")
      .def_prop_ro("kind", [](Device& d) { return d.str().substr(0, d.str().find(':')); },
                   "\"cpu\" or \"cuda\".")
      .def_prop_ro("index", [](Device& d) { return d.index; })
      .def_prop_ro("properties", properties, "Name, architecture, limits, as a dict.")
      .def_prop_ro("memory", memory,
                   "Bytes: free and total of the device, used and cached by kasoku, and the limit that limit_memory() set.")
      .def("limit_memory", [](Device& d, uint64_t bytes) { memory_limit(d.kind, d.index) = bytes; }, "bytes"_a,
           R"(Lets kasoku have so many bytes here, arrays and what is kept for reuse together; 0 lifts the limit.

An allocation that would go beyond raises a MemoryError that names the sizes. Arrays that are there stay.

>>> device = ks.Device("cpu")
>>> device.limit_memory(device.memory["used"] + 10**7)
>>> ks.eval(ks.zeros(10**8))
Traceback (most recent call last):
...
kasoku.MemoryError: cannot allocate ...
>>> device.limit_memory(0))")
      .def("synchronize", [](Device& d) {
        run_pending(&d);
        d.synchronize();
      }, no_gil(), "Runs what is pending and waits for all work on this device.")
      .def("can_reach", [](Device& d, nb::handle other) { return d.can_reach(to_device(nb::borrow(other))); }, "other"_a,
           "Whether its kernels may read and write the memory of another device, as two GPUs of one host mostly may.")
      .def("trim", &Device::trim, no_gil(), "Gives memory that is kept for reuse back.")
      .def("__str__", &Device::str)
      .def("__repr__", [](Device& d) { return "kasoku.Device('" + d.str() + "')"; })
      .def("__reduce__", [](nb::handle self) {
        return nb::make_tuple(nb::type<Device>(), nb::make_tuple(nb::str(self)));
      })
      .def("__hash__", [](Device& d) { return reinterpret_cast<intptr_t>(&d) >> 4; })
      .def("__eq__", [](Device& d, nb::object other) -> nb::object {
        Device* o = nullptr;
        if (nb::try_cast(other, o)) return nb::bool_(o == &d);
        if (nb::isinstance<nb::str>(other)) return nb::bool_(nb::cast<std::string>(other) == d.str());
        return nb::borrow(Py_NotImplemented);  // a face's device knows ours
      }, nb::arg().none());

  m.def("devices", [] {
    nb::list result;
    for (Device* d : devices()) result.append(nb::cast(d, nb::rv_policy::reference));
    return result;
  }, R"(All devices of this machine, the CPU first. Returns a list of Device.

>>> ks.devices()[0]
kasoku.Device('cpu'))");
  m.def("has_device", [](std::string_view name) { return has_device(name); }, "name"_a,
        R"(Whether there is a device of that name, such as "cuda" or "cuda:1". Returns a bool.

>>> ks.has_device("cpu")
True)");
  m.def("synchronize", [](nb::object of) {
    if (!of.is_none()) {
      Device& d = to_device(of);
      const GilReleased released;
      run_pending(&d);
      d.synchronize();
      return;
    }
    const GilReleased released;
    run_pending();
    for (Device* d : devices()) d->synchronize();
  }, "device"_a = nb::none(), R"(Runs what is pending and waits for all work of a device; of all devices if none is given.

device= is a Device or its name. Returns None. What a kernel did wrong meanwhile is raised here.

>>> ks.synchronize("cpu"))");

  nb::class_<DefaultDevice>(m, "_DefaultDevice")
      .def("__enter__", &DefaultDevice::enter, reference)
      .def("__exit__", [](DefaultDevice& self, nb::args) { self.exit(); })
      .def("__repr__", [](DefaultDevice& self) {
        return "kasoku.default_device('" + self.wanted().str() + "')";
      });
  m.def("default_device", [](nb::object wanted) -> nb::object {
    if (wanted.is_none()) return nb::cast(&default_device(), nb::rv_policy::reference);
    Device& found = to_device(wanted);
    return nb::cast(std::make_unique<DefaultDevice>(found, true));
  }, "device"_a = nb::none(),
  R"(default_device() is the device that new arrays and kernels use.

default_device("cuda") sets it for the whole process; `with default_device("cuda"):`
sets it for the block, in this thread only.
Returns the Device, or what `with` takes. A device that is not there is a RuntimeError.

>>> with ks.default_device("cpu"):
...     x = ks.zeros(2)
>>> x.device
kasoku.Device('cpu'))");

  m.def("_device_scope", [](Device& device) { return nb::cast(std::make_unique<DefaultDevice>(device, false)); }, "device"_a,
        "Makes the device the default of the thread that enters it.");

  nb::list names;  // which reads none of them: a program may set one before its first use
  for (const EnvInfo& row : env_table) names.append(row.name);
  m.attr("_variable_names") = nb::tuple(names);

  m.def("_variables", [] {
    nb::list rows;
    for (size_t i = 0; i < std::size(env_table); ++i)
      rows.append(nb::make_tuple(env_table[i].name, env(static_cast<Env>(i)),
                                 env_table[i].default_value, env_table[i].meaning));
    return rows;
  }, "Every KASOKU_ variable: name, value, default, meaning.");

  m.def("passes", [] {
    nb::list rows;
#define PASS(id, name, may_be_left_out, text) rows.append(nb::make_tuple(name, may_be_left_out, text));
#include "kasoku/compile/clang/passes/passes.def"
#undef PASS
    return rows;
  }, "Every pass of the CPU's compiler in its order: name, whether KASOKU_PASSES=-name leaves it out, what it does.");
}

}  // namespace kasoku
