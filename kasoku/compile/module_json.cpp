/// \file kasoku/compile/module_json.cpp
#include "kasoku/compile/module_json.h"

#include "kasoku/base/error.h"
#include "kasoku/base/text.h"

#include <nlohmann/json.hpp>

namespace kasoku {

namespace {

using Json = nlohmann::json;

template <class T>
void get(const Json& json, const char* name, T& value) {
  if (const auto found = json.find(name); found != json.end() && !found->is_null())
    value = found->template get<T>();
}

/// Enumerators by name or number.
ParamKind param_kind(const Json& json) {
  const auto found = json.find("kind");
  if (found == json.end()) return ParamKind::scalar;
  if (found->is_number()) return static_cast<ParamKind>(found->get<int>());
  const std::string name = found->get<std::string>();
  if (name == "pointer") return ParamKind::pointer;
  return name == "record" ? ParamKind::record : ParamKind::scalar;
}

Dtype param_dtype(const Json& json) {
  const auto found = json.find("dtype");
  if (found == json.end()) return Dtype::opaque;
  if (found->is_number()) return static_cast<Dtype>(found->get<int>());
  return dtype_from_name(found->get<std::string>()).value_or(Dtype::opaque);
}

ParamInfo param_info(const Json& json) {
  ParamInfo param;
  get(json, "name", param.name);
  get(json, "type", param.type);
  param.kind = param_kind(json);
  param.dtype = param_dtype(json);
  get(json, "size", param.size);
  get(json, "align", param.align);
  get(json, "element_size", param.element_size);
  get(json, "is_const", param.is_const);
  get(json, "is_restrict", param.is_restrict);
  get(json, "is_read", param.is_read);
  get(json, "is_written", param.is_written);
  return param;
}

KernelInfo kernel_info(const Json& json) {
  KernelInfo kernel;
  get(json, "name", kernel.name);
  get(json, "symbol", kernel.symbol);
  get(json, "line", kernel.line);
  get(json, "params_known", kernel.params_known);
  if (const auto params = json.find("params"); params != json.end())
    for (const Json& param : *params) kernel.params.push_back(param_info(param));
  get(json, "max_threads", kernel.max_threads);
  get(json, "static_shared_bytes", kernel.static_shared_bytes);
  get(json, "uses_barrier", kernel.uses_barrier);
  get(json, "uses_grid_sync", kernel.uses_grid_sync);
  return kernel;
}

GlobalInfo global_info(const Json& json) {
  GlobalInfo global;
  get(json, "name", global.name);
  get(json, "symbol", global.symbol);
  get(json, "size", global.size);
  get(json, "align", global.align);
  get(json, "is_constant", global.is_constant);
  return global;
}

[[noreturn]] void refuse(const std::exception& error) {
  throw Error(ErrorKind::internal, "the compiler's description of its output cannot be read")
      .why(error.what());
}

}  // namespace

ModuleInfo module_info_from_json(std::string_view text,
                                 std::map<std::string, std::string>* initial_values) try {
  ModuleInfo info;
  if (text.empty()) return info;
  const Json json = Json::parse(text);
  if (const auto rows = json.find("kernels"); rows != json.end())
    for (const Json& row : *rows) info.kernels.push_back(kernel_info(row));
  if (const auto rows = json.find("globals"); rows != json.end())
    for (const Json& row : *rows) info.globals.push_back(global_info(row));
  get(json, "expressions", info.expressions);
  if (const auto rows = json.find("includes"); rows != json.end())
    for (const Json& row : *rows) {
      IncludedFile& file = info.includes.emplace_back();
      get(row, "path", file.path);
      get(row, "hash", file.hash);
    }
  get(json, "warnings", info.warnings);
  if (initial_values) {
    std::map<std::string, std::string> hex;
    get(json, "initial_values", hex);
    for (const auto& [symbol, value] : hex) (*initial_values)[symbol] = from_hex(value);
  }
  return info;
} catch (const Json::exception& error) {
  refuse(error);
}

KernelCode kernel_code_from_json(std::string_view text) try {
  KernelCode code;
  const Json json = Json::parse(text);
  get(json, "symbol", code.symbol);
  get(json, "scratch_bytes", code.scratch_bytes);
  get(json, "scratch_bytes_per_thread", code.scratch_bytes_per_thread);
  get(json, "static_shared_bytes", code.static_shared_bytes);
  get(json, "spans_blocks", code.spans_blocks);
  get(json, "waits_in_memory", code.waits_in_memory);
  return code;
} catch (const Json::exception& error) {
  refuse(error);
}

}  // namespace kasoku
