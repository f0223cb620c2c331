/// \file python/src/jit_inspect.cpp
/// What Python asks of a JitFunction besides calls: compiling ahead, signatures, texts, the report.
#include "jit_lists.h"
#include "jit_state.h"
#include "kasoku/base/env.h"
#include "kasoku/base/error.h"
#include "kasoku/compile/backends.h"
#include "kasoku/compile/compile.h"
#include "kasoku/device/cpu/pool.h"

#include <algorithm>

namespace kasoku {

using namespace jit;
using namespace nb::literals;

void bind_jit_inspect(nb::module_& m) {
  m.def("_jit_function", [](nb::handle f) { return jit_state(f).function; });
  m.def("_jit_compile", [](nb::handle f, nb::list types) {
    JitState& state = jit_state(f);
    std::vector<Type> all;
    for (nb::handle item : types) all.push_back(at_run_time(type_of_description(item)));
    Where where{nullptr, nullptr, std::ranges::any_of(all, &Type::is_array)};
    try {
      compile_for(state, all, where);
    } catch (const Error& error) {
      if (state.nopython || !means_no_form(error)) throw;
      std::string signature;
      for (const Type& type : all) signature += (signature.empty() ? "(" : ", ") + str(type);
      refuse(state, signature + ")", error);
    }
  });
  m.def("_jit_declare", [](nb::handle f, nb::list signatures) {
    // ((argument types…), result type or None): the function is compiled for these alone.
    JitState& state = jit_state(f);
    for (nb::handle item : signatures) {
      nb::tuple parts = nb::borrow<nb::tuple>(item);
      Signature signature;
      for (nb::handle type : nb::object(parts[0])) signature.arguments.push_back(type_of_description(type));
      if (!nb::object(parts[1]).is_none()) signature.result = type_of_description(nb::object(parts[1]));
      state.declared.push_back(std::move(signature));
    }
    forget(state);
  });
  m.def("_jit_options", [](nb::handle f) {
    // As _jit_make takes them.
    const JitState& state = jit_state(f);
    const Options& o = state.options;
    return nb::make_tuple(o.parallel, o.fastmath, o.boundscheck, o.python_errors, state.nopython, o.is_cuda);
  });
  m.def("_jit_declared", [](nb::handle f) {
    // As _jit_declare takes them.
    nb::list all;
    for (const Signature& signature : jit_state(f).declared) {
      nb::list arguments;
      for (const Type& type : signature.arguments) arguments.append(description(type));
      all.append(nb::make_tuple(arguments, signature.result.is_known() ? description(signature.result) : nb::none()));
    }
    return all;
  });
  m.def("_jit_result", [](nb::handle f, nb::list types) {
    // The type that a call with these gives, found without compiling it.
    JitState& state = jit_state(f);
    std::vector<Type> all;
    for (nb::handle item : types) all.push_back(type_of_description(item));
    return description(infer(*read_function({state.function, state.options, state.declared}).unit, all).functions[0]->result);
  });
  m.def("_jit_signatures", [](nb::handle f) {
    // ((argument types…), result type), the oldest first.
    nb::list all;
    const JitState& state = jit_state(f);
    for (auto entry = state.entries.rbegin(); entry != state.entries.rend(); ++entry) {
      nb::list arguments;
      for (const Type& type : (*entry)->arguments) arguments.append(description(type));
      all.append(nb::make_tuple(arguments, description((*entry)->compiled.lowered().result)));
    }
    return all;
  });
  m.def("_jit_report", [](nb::handle f) {
    JitState& state = jit_state(f);
    std::string text;
    for (const auto& entry : state.entries) text += entry->compiled.report();
    if (state.interpreted.is_valid()) text += nb::cast<std::string>(state.interpreted.attr("report")());
    return text;
  });
  m.def("_jit_text", [](nb::handle f, std::string form) {
    std::vector<std::pair<std::string, std::string>> all;
    for (const auto& entry : jit_state(f).entries) {
      std::string signature = "(";
      for (size_t i = 0; i < entry->arguments.size(); ++i) signature += (i ? ", " : "") + str(entry->arguments[i]);
      const Lowered& lowered = entry->compiled.lowered();
      const uint32_t block[3] = {1, 1, 1};
      std::string text = lowered.program.text;
      if (!lowered.device_program.text.empty()) text += "\n// --- kernels ---\n" + lowered.device_program.text;
      if (form != "text") {
        const GilReleased released;
        text = code_text(lowered.program, device("cpu"), lowered.entry, form == "llvm" ? CodeForm::llvm_ir : CodeForm::assembly, block);
      }
      all.emplace_back(signature + ")", std::move(text));
    }
    return all;
  });
  m.def("_jit_lower", [](nb::handle f, nb::args arguments) {
    // The text for these arguments, without compiling it.
    JitState& state = jit_state(f);
    std::vector<Type> types;
    for (nb::handle argument : arguments) types.push_back(argument_type(argument));
    ReadFunction read = read_function({state.function, state.options, state.declared});
    TypedUnit typed = infer(*read.unit, types);
    for (const nb::object& array : read.arrays) typed.hidden.push_back(type_of_value(array));
    return (state.options.is_cuda ? lower_kernel(typed) : lower(typed)).program.text;
  });
  m.def("_set_thread_limit", &cpu::set_thread_limit, "n"_a);
  m.def("_thread_limit", &cpu::thread_limit);
  m.def("_thread_number", &cpu::thread_number);
  m.def("_worker_count", &cpu::worker_count);
  set_offloads_to_cpu(env_flag(Env::KASOKU_JIT_OFFLOAD));
  m.def("_jit_offload_to_cpu", &set_offloads_to_cpu, "on"_a);
  m.def("_jit_seed", [](int64_t value) { seed(value); });
}

}  // namespace kasoku
