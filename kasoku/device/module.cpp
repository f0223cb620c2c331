/// \file kasoku/device/module.cpp
#include "kasoku/device/module.h"

#include "kasoku/base/error.h"
#include "kasoku/base/text.h"

namespace kasoku {

namespace {

/// "scale < float >" and "scale<float>" are one expression.
std::string without_space(std::string_view text) {
  std::string result;
  for (const char c : text)
    if (c != ' ' && c != '\t') result += c;
  return result;
}

template <class Row>
const Row* find_row(const std::vector<Row>& rows, const ModuleInfo& info, std::string_view name) {
  for (const Row& row : rows)
    if (row.name == name || row.symbol == name) return &row;
  const auto with_symbol = [&](const std::string& symbol) -> const Row* {
    for (const Row& row : rows)
      if (row.symbol == symbol) return &row;
    return nullptr;
  };
  if (const auto found = info.expressions.find(std::string(name)); found != info.expressions.end())
    return with_symbol(found->second);
  const std::string bare = without_space(name);
  for (const auto& [expression, symbol] : info.expressions)
    if (without_space(expression) == bare) return with_symbol(symbol);
  for (const Row& row : rows)
    if (without_space(row.name) == bare) return &row;
  // The last part of a qualified name does when there is only one of it.
  const Row* only = nullptr;
  for (const Row& row : rows) {
    const std::string_view full = row.name;
    if (full.size() > name.size() + 2 && full.ends_with(name) &&
        full.substr(full.size() - name.size() - 2, 2) == "::") {
      if (only) return nullptr;
      only = &row;
    }
  }
  return only;
}

template <class Row>
std::vector<std::string> names_of(const std::vector<Row>& rows) {
  std::vector<std::string> names;
  for (const Row& row : rows) names.push_back(row.name);
  return names;
}

}  // namespace

const KernelInfo& find_kernel(const ModuleInfo& info, std::string_view name) {
  if (const KernelInfo* kernel = find_row(info.kernels, info, name)) return *kernel;
  std::vector<std::string> names = names_of(info.kernels);
  for (const auto& [expression, symbol] : info.expressions) {
    bool is_kernel = false, is_listed = false;
    for (const KernelInfo& kernel : info.kernels) is_kernel |= kernel.symbol == symbol;
    for (const std::string& known : names) is_listed |= known == expression;
    if (is_kernel && !is_listed) names.push_back(expression);
  }
  Error error(ErrorKind::value, "there is no kernel " + quote(name) + " in this module");
  error.why(known_names(name, names, "kernels"));
  if (names.empty()) error.fix("write __global__ before the kernel; of a template name an instance, as " + quote(std::string(name) + "<float>"));
  throw error;
}

const GlobalInfo& find_global(const ModuleInfo& info, std::string_view name) {
  if (const GlobalInfo* global = find_row(info.globals, info, name)) return *global;
  throw Error(ErrorKind::value, "there is no global variable " + quote(name) + " in this module")
      .why(known_names(name, names_of(info.globals), "__device__ and __constant__ variables"));
}

}  // namespace kasoku
