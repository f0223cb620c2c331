/// The program around a unit's functions: the entry that takes arguments from words and puts the
/// result there, and which helpers the text needs.
#include "kasoku/codegen/helpers.h"
#include "kasoku/compile/backends.h"
#include "kasoku/device/device.h"
#include "kasoku/jit/lowering.h"
#include "kasoku/jit/text.h"

namespace kasoku::jit {

int words_of(const Type& type) {
  switch (type.kind) {
    case TypeKind::scalar: return is_complex(type.dtype) ? 2 : 1;
    case TypeKind::array: return 2 + 2 * type.ndim;
    case TypeKind::tuple: {
      int n = 0;
      for (const Type& item : type.items) n += words_of(item);
      return n;
    }
    case TypeKind::optional: return 1 + words_of(type.items[0]);
    case TypeKind::string: return 2;
    case TypeKind::list:
    case TypeKind::dict:
    case TypeKind::set:
    case TypeKind::instance:
    case TypeKind::record: return 1;
    default: return 0;
  }
}

namespace {

/// Text that fills `name` from words starting at `at`.
void unpack(std::string& out, const std::string& name, const Type& type, int& at, bool offloads) {
  switch (type.kind) {
    case TypeKind::scalar:
      if (is_complex(type.dtype)) {
        out += fmt::format("  {} = {}(*(const double*)(w + {}), *(const double*)(w + {}));\n", name,
                           text_of(type.dtype), at, at + 1);
        at += 2;
      } else {
        out += fmt::format("  {} = *(const {}*)(w + {});\n", name, text_of(type.dtype), at++);
      }
      break;
    case TypeKind::array:
      out += fmt::format("  {}.data = *({}* const*)(w + {});\n", name, element_text(type), at++);
      for (int k = 0; k < type.ndim; ++k)
        out += fmt::format("  {}.shape[{}] = (ks_i64)w[{}];\n", name, k, at++);
      if (type.is_contiguous) {
        out += fmt::format("  ks_set_strides({});\n", name);
        at += type.ndim;
      } else {
        for (int k = 0; k < type.ndim; ++k)
          out += fmt::format("  {}.stride[{}] = ks_stride((ks_i64)w[{}]);\n", name, k, at++);
      }
      if (offloads) out += fmt::format("  {}.memory = (ks_memory*)w[{}];\n", name, at);
      else out += fmt::format("  {}.memory = nullptr;\n", name);
      ++at;
      break;
    case TypeKind::tuple:
      for (size_t i = 0; i < type.items.size(); ++i)
        unpack(out, fmt::format("{}._{}", name, i), type.items[i], at, offloads);
      break;
    case TypeKind::list: out += fmt::format("  {}.body = (ks_list_body*)w[{}];\n", name, at++); break;
    case TypeKind::instance: out += fmt::format("  {0}.body = (decltype({0}.body))w[{1}];\n", name, at++); break;
    case TypeKind::record: out += fmt::format("  {} = (char*)w[{}];\n", name, at++); break;
    case TypeKind::string:
      out += fmt::format("  {0}.at = (const unsigned*)w[{1}];\n  {0}.size = (ks_i64)w[{2}];\n", name, at, at + 1);
      at += 2;
      break;
    case TypeKind::dict:
    case TypeKind::set: out += fmt::format("  {}.body = (ks_dict_body*)w[{}];\n", name, at++); break;
    default: break;
  }
}

void pack(std::string& out, const std::string& name, const Type& type, int& at) {
  switch (type.kind) {
    case TypeKind::scalar:
      if (is_complex(type.dtype)) {
        out += fmt::format("  *(double*)(w + {}) = {}.re;\n  *(double*)(w + {}) = {}.im;\n", at, name, at + 1, name);
        at += 2;
      } else {
        out += fmt::format("  *({}*)(w + {}) = {};\n", text_of(type.dtype), at++, name);
      }
      break;
    case TypeKind::array:
      out += fmt::format("  w[{}] = (ks_u64)({}*){}.data;\n", at++, element_text(type), name);
      for (const char* field : {"shape", "stride"})
        for (int k = 0; k < type.ndim; ++k)
          out += fmt::format("  w[{}] = (ks_u64){}.{}[{}];\n", at++, name, field, k);
      out += fmt::format("  w[{}] = (ks_u64){}.memory;\n", at++, name);
      break;
    case TypeKind::tuple:
      for (size_t i = 0; i < type.items.size(); ++i) pack(out, fmt::format("{}._{}", name, i), type.items[i], at);
      break;
    case TypeKind::list:
    case TypeKind::dict:
    case TypeKind::instance:
    case TypeKind::set: out += fmt::format("  w[{}] = (ks_u64){}.body;\n", at++, name); break;
    case TypeKind::string:
      out += fmt::format("  w[{1}] = (ks_u64){0}.at;\n  w[{2}] = (ks_u64){0}.size;\n", name, at, at + 1);
      at += 2;
      break;
    case TypeKind::optional:
      out += fmt::format("  w[{}] = {}.is_some;\n", at++, name);
      pack(out, name + ".value", type.items[0], at);
      break;
    default: break;
  }
}

}  // namespace

/// The whole text: ks_jit.h with the helpers that it calls, those that only this text calls,
/// functions of ops.def's rows, and what was written.
static void set_text(Program& program, const std::string& defines, const std::string& text) {
  const std::string support(support_text()), functions = op_functions(text);
  const bool has_dicts = text.find("ks_dict<") != text.npos;
  const char* lists = has_dicts ? "#define KS_JIT_LISTS 1\n#define KS_JIT_DICTS 1\n"
                      : text.find("ks_list<") != text.npos || text.find("ks_object<") != text.npos
                          ? "#define KS_JIT_LISTS 1\n"
                          : "";
  const char* strings = text.find("ks_string") != text.npos ? "#define KS_JIT_STRINGS 1\n" : "";
  program.text = fmt::format("{}{}{}#include \"ks_jit.h\"\n{}{}{}", defines, lists, strings, helper_text(functions + text, support), functions, text);
  program.headers.emplace_back("ks_jit.h", fmt::format("#define ks_helper __device__ __forceinline__\nenum {{ ks_tree_chunk = {}, ks_tree_lanes = {} }};\n{}{}",
                                                   chunk_elements, chunk_lanes, helper_text(support), support));
  program.headers.emplace_back("ks_tree.h", tree_text());
  program.headers.emplace_back("ks_tuple.h", tuple_text(text));
  program.is_generated = true;
}

Lowered lower(const TypedUnit& unit, bool offloads) {
  UnitLowering lowering(unit, offloads);
  lowering.function(0);
  const TypedFunction& root = *unit.functions[0];
  const Effects& effects = lowering.host.effects[0];

  std::string entry;
  int at = 0;
  std::string arguments = "ks";
  if (effects.uses_random) arguments += ", ks_stream_of(ks), 0, 0";
  for (size_t i = 0; i < root.parameters.size(); ++i) {
    const Type& type = root.parameters[i];
    if (type.is_symbol()) continue;
    const std::string name = fmt::format("a{}", i);
    entry += fmt::format("  {} {};\n", text_of(type), name);
    unpack(entry, name, type, at, offloads);
    arguments += ", " + name;
  }
  if (root.result.is_symbol()) {
    entry += fmt::format("  ks_fn_{}({});\n", root.symbol, arguments);
  } else {
    entry += fmt::format("  const {} result = ks_fn_{}({});\n", text_of(root.result), root.symbol, arguments);
    int result_at = 0;
    entry += "  if (ks->status) return;\n";
    pack(entry, "result", root.result, result_at);
  }
  Lowered lowered;
  lowered.entry = entry_name(root.symbol);
  const std::string checks = root.function->options.is_checked ? "extern \"C\" __device__ void ks_check_iteration(ks_i64);\n"
                                                                 "extern \"C\" __device__ void ks_check_interval();\n"
                                                                 "extern \"C\" __device__ ks_i64 ks_check_thread(ks_i64);\n"
                                                                 "extern \"C\" __device__ void ks_check_list(void*, const char*, ks_u64, ks_i64);\n"
                                                                 "extern \"C\" __device__ void ks_check_freed(void*);\n"
                                                                 "extern \"C\" __device__ void ks_check_array(const void*, const char*, ks_u64, int, const ks_i64*, const ks_i64*);\n"
                                                               : "";
  if (offloads) {
    lowered.kernels = lowering.kernel_names;
    lowered.device_words = (lowering.device.text + lowering.kernels).find("ks->words") != std::string::npos;
    set_text(lowered.device_program, "#define KS_JIT_DEVICE 1\n",
             fmt::format("{}{}{}{}", lowering.device.declarations, lowering.captures, lowering.device.text, lowering.kernels));
    lowered.device_program.file = root.function->name;
  }
  const bool is_wide = kasoku::device("cpu").properties().architecture == "x86-64-v4";
  set_text(lowered.program,
           fmt::format("#define KS_JIT_HOST 1\n{}{}", offloads ? "#define KS_JIT_OFFLOAD 1\n" : "", is_wide ? "#define KS_WIDE 1\n" : ""),
           fmt::format("{}{}{}{}\nextern \"C\" __global__ void {}(ks_call* ks) {{\n  ks_u64* const w = ks->words;\n{}}}\n", checks,
                       lowering.captures, lowering.host.declarations, lowering.host.text, lowered.entry, entry));
  lowered.program.is_checked = root.function->options.is_checked;
  lowered.program.file = root.function->name;
  lowered.arguments = root.parameters;
  for (const Type& type : unit.hidden) lowered.arguments.push_back(type);
  lowered.result = root.result;
  lowered.uses_random = effects.uses_random;
  for (const auto& [index, effect] : lowering.host.effects) {
    lowered.has_loops |= effect.has_loops || effect.is_recursive;
    lowered.has_arrays |= effect.has_arrays;
    lowered.recurses |= effect.is_recursive;
  }
  lowered.remarks = std::move(lowering.remarks);
  return lowered;
}

/// A kernel's parameter; a tuple's items are parameters of their own, so that a launch knows their places.
static void kernel_parameter(const std::string& name, const Type& type, std::string& parameters, std::string& body) {
  if (type.is_symbol()) return;
  if (!type.is_tuple()) {
    parameters += fmt::format("{}{} {}", parameters.empty() ? "" : ", ", text_of(type), name);
    return;
  }
  body += fmt::format("  {} {};\n", text_of(type), name);
  std::string items;
  for (size_t i = 0; i < type.items.size(); ++i) {
    const std::string item = fmt::format("{}_ks{}", name, i);
    kernel_parameter(item, type.items[i], parameters, body);
    if (!type.items[i].is_symbol()) items += fmt::format("  {}._{} = {};\n", name, i, item);
  }
  body += items;
}

Lowered lower_kernel(const TypedUnit& unit) {
  UnitLowering lowering(unit, false);
  lowering.function(0);
  const TypedFunction& root = *unit.functions[0];
  std::string parameters, arguments, body;
  for (size_t i = 0; i < root.parameters.size(); ++i) {
    const Type& type = root.parameters[i];
    if (type.is_symbol()) continue;
    const std::string name = safe_name(root.function->parameters[i].name);
    kernel_parameter(name, type, parameters, body);
    arguments += (arguments.empty() ? "" : ", ") + name;
  }
  for (size_t i = 0; i < unit.hidden.size(); ++i) {
    const std::string name = fmt::format("ks_outside{}", i);
    kernel_parameter(name, unit.hidden[i], parameters, body);
    arguments += (arguments.empty() ? "" : ", ") + name;
  }
  Lowered lowered;
  lowered.entry = entry_name(root.symbol);
  lowered.raises = root.function->options.python_errors;
  if (lowered.raises) {  // the record of the first failure comes last
    parameters += (parameters.empty() ? "" : ", ") + std::string("ks_call* ks");
    arguments = "ks" + (arguments.empty() ? "" : ", " + arguments);
  }
  const bool is_checked = root.function->options.is_checked;
  set_text(lowered.program, lowered.raises ? "#define KS_JIT_DEBUG 1\n" : "",
           fmt::format("{}{}{}\nextern \"C\" __global__ void {}({}) {{\n{}  ks_fn_{}({});\n}}\n",
                       is_checked ? "extern \"C\" __device__ ks_i64 ks_check_index(ks_i64, ks_i64, int, const char*, const char*, int, ks_u64, ks_u64);\n" : "",
                       lowering.host.declarations, lowering.host.text, lowered.entry, parameters, body, root.symbol, arguments));
  lowered.program.file = root.function->name;
  lowered.program.is_generated = !is_checked;  // the checker asks for its threads
  if (is_checked) lowered.program.options.push_back("-w");
  lowered.program.is_checked = is_checked;
  lowered.arguments = root.parameters;
  lowered.result = root.result;
  lowered.remarks = std::move(lowering.remarks);
  return lowered;
}

}  // namespace kasoku::jit
