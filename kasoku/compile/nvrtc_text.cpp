#include "kasoku/compile/nvrtc_text.h"

#include "kasoku/base/file.h"
#include "kasoku/base/hash.h"
#include "kasoku/base/words.h"
#include "kasoku/compile/absent.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iterator>
#include <set>

namespace kasoku {
namespace {

constexpr std::string_view names_text =
#include "kasoku/compile/prelude/nvrtc/names.inc"
    ;

// clang-format off: their order is that of the text.
constexpr std::string_view complex_text =
#include "kasoku/compile/prelude/nvrtc/complex_words.inc"
#include "complex.inc"
    "\n#undef ks_inline\n#undef __builtin_isinf\n#undef __builtin_copysign\n#undef __builtin_inf\n";
// clang-format on

std::string_view last_word(std::string_view text) {
  size_t end = text.size();
  while (end && std::isspace(static_cast<unsigned char>(text[end - 1]))) --end;
  size_t begin = end;
  while (begin && is_word_char(text[begin - 1])) --begin;
  return text.substr(begin, end - begin);
}

struct Include {
  std::string name;
  bool is_quoted;
};

std::vector<Include> includes_of(std::string_view text) {
  std::vector<Include> found;
  for (size_t at = text.find('#'); at != std::string_view::npos; at = text.find('#', at + 1)) {
    size_t i = at + 1;
    const auto skip = [&] {
      while (i < text.size() && (text[i] == ' ' || text[i] == '\t')) ++i;
    };
    skip();
    if (text.compare(i, 7, "include") != 0) continue;
    i += 7;
    skip();
    if (i >= text.size() || (text[i] != '"' && text[i] != '<')) continue;
    const char close = text[i] == '"' ? '"' : '>';
    const size_t end = text.find_first_of(std::string("\n") + close, i + 1);
    if (end == std::string_view::npos || text[end] != close) continue;
    found.push_back({std::string(text.substr(i + 1, end - i - 1)), close == '"'});
  }
  return found;
}

class Reader {
 public:
  Reader(const Program& program, const std::vector<std::string>& dirs, NvrtcText& out)
      : program_(program), dirs_(dirs), out_(out) {}

  void read(std::string_view text, const std::string& folder) {
    out_.all += text;
    out_.all += '\n';
    for (const Include& include : includes_of(text)) follow(include, folder);
  }

 private:
  void follow(const Include& include, const std::string& folder) {
    const auto in_memory =
        std::find_if(program_.headers.begin(), program_.headers.end(),
                     [&](const auto& header) { return header.first == include.name; });
    if (in_memory != program_.headers.end()) {
      if (seen_.insert(include.name).second) read(in_memory->second, folder);
      return;
    }
    std::vector<std::string> places;
    if (include.is_quoted) places.push_back(folder);
    places.insert(places.end(), dirs_.begin(), dirs_.end());
    for (const std::string& place : places) {
      const std::filesystem::path path = std::filesystem::path(place) / include.name;
      std::error_code ignored;
      if (!std::filesystem::is_regular_file(path, ignored)) {
        if (seen_.insert(path.string()).second)
          out_.files.push_back({path.string(), absent_file});
        continue;
      }
      if (!seen_.insert(path.string()).second) return;
      const auto content = read_file(path.string());
      if (!content) continue;
      out_.files.push_back({path.string(), hash128(*content).hex()});
      read(*content, path.parent_path().string());
      return;
    }
    out_.headers.push_back(include.name);
  }

  const Program& program_;
  const std::vector<std::string>& dirs_;
  NvrtcText& out_;
  std::set<std::string> seen_;
};

/// Names of the prelude that a text may well declare itself.
// clang-format off
constexpr std::string_view declared_names[] = {
    "int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t",
    "intptr_t", "uintptr_t", "ssize_t", "uchar", "ushort", "uint", "ulong", "float_t", "double_t",
    "INFINITY", "NAN", "HUGE_VAL", "HUGE_VALF", "M_PI", "M_PI_2", "M_PI_4", "M_1_PI", "M_2_PI",
    "M_2_SQRTPI", "M_E", "M_LOG2E", "M_LOG10E", "M_LN2", "M_LN10", "M_SQRT2", "M_SQRT1_2",
    "cg", "std"};
// clang-format on
constexpr size_t n_integers = 10;  // the first of them

/// CUDA's headers that are pulled in where a text only uses their names.
struct HeaderRow {
  std::string_view word;
  std::string_view header;
};
// clang-format off
constexpr HeaderRow header_table[] = {
    {"cg", "cooperative_groups.h"},       {"cooperative_groups", "cooperative_groups.h"},
    {"__half", "cuda_fp16.h"},            {"half", "cuda_fp16.h"},
    {"half2", "cuda_fp16.h"},             {"__half2", "cuda_fp16.h"},
    {"__nv_bfloat16", "cuda_bf16.h"},     {"__nv_bfloat162", "cuda_bf16.h"},
    {"curand_init", "curand_kernel.h"},   {"curandState", "curand_kernel.h"},
    {"curandState_t", "curand_kernel.h"}, {"curandStatePhilox4_32_10_t", "curand_kernel.h"},
};
// clang-format on

/// Names of the C++ library beyond those of our own: they come from NVIDIA's, which is
/// cuda::std, where it is installed.
// clang-format off
constexpr HeaderRow library_table[] = {
    {"pair", "utility"},           {"make_pair", "utility"},       {"exchange", "utility"},
    {"tuple", "tuple"},            {"make_tuple", "tuple"},        {"tie", "tuple"},
    {"array", "array"},            {"complex", "complex"},         {"optional", "optional"},
    {"plus", "functional"},        {"minus", "functional"},        {"multiplies", "functional"},
    {"less", "functional"},        {"greater", "functional"},      {"less_equal", "functional"},
    {"greater_equal", "functional"}, {"equal_to", "functional"},   {"not_equal_to", "functional"},
    {"logical_and", "functional"}, {"logical_or", "functional"},   {"bit_and", "functional"},
    {"bit_or", "functional"},      {"bit_xor", "functional"},      {"negate", "functional"},
    {"bit_cast", "bit"},           {"popcount", "bit"},            {"countl_zero", "bit"},
    {"countr_zero", "bit"},        {"initializer_list", "initializer_list"},
    {"numeric", "numeric"},        {"accumulate", "numeric"},      {"fill", "algorithm"},
    {"fill_n", "algorithm"},       {"copy", "algorithm"},          {"lower_bound", "algorithm"},
    {"upper_bound", "algorithm"},  {"atomic", "atomic"},           {"byte", "cstddef"},
    {"decay_t", "type_traits"},    {"decay", "type_traits"},       {"remove_reference", "type_traits"},
    {"remove_reference_t", "type_traits"}, {"remove_cvref_t", "type_traits"},
    {"bool_constant", "type_traits"}, {"void_t", "type_traits"},   {"is_base_of", "type_traits"},
    {"is_base_of_v", "type_traits"}, {"is_convertible", "type_traits"}, {"is_convertible_v", "type_traits"},
    {"is_class", "type_traits"},   {"is_enum", "type_traits"},     {"is_void", "type_traits"},
    {"is_array", "type_traits"},   {"is_const", "type_traits"},    {"is_reference", "type_traits"},
    {"is_trivially_copyable", "type_traits"}, {"make_unsigned", "type_traits"},
    {"make_unsigned_t", "type_traits"}, {"make_signed", "type_traits"}, {"make_signed_t", "type_traits"},
    {"underlying_type", "type_traits"}, {"underlying_type_t", "type_traits"},
    {"common_type", "type_traits"}, {"common_type_t", "type_traits"}, {"conjunction", "type_traits"},
    {"conjunction_v", "type_traits"}, {"disjunction_v", "type_traits"}, {"negation", "type_traits"},
    {"invoke_result_t", "type_traits"}, {"add_const_t", "type_traits"}, {"alignment_of", "type_traits"},
};
// clang-format on
// A name that our std declares itself is found first, so nothing is ambiguous.
constexpr std::string_view library_text = "namespace std { using namespace ::cuda::std; }\n";

/// Headers of the host that texts include though NVRTC has none. Their names are
/// in the prelude or built in.
// clang-format off
constexpr std::string_view host_headers[] = {
    "stdint.h", "cstdint", "math.h", "cmath", "float.h", "cfloat", "limits.h", "climits", "limits",
    "algorithm", "stdio.h", "cstdio", "stdlib.h", "cstdlib", "string.h", "cstring", "assert.h",
    "cassert", "stddef.h", "cstddef", "stdbool.h", "type_traits", "utility", "inttypes.h",
    "cinttypes", "time.h", "ctime", "iostream", "initializer_list", "functional", "array", "tuple", "numeric", "complex", "optional", "vector", "string",
    "iomanip", "bit", "new", "iterator", "thread", "chrono",
    "cuda.h", "cuda_runtime.h", "cuda_runtime_api.h", "device_launch_parameters.h",
    "device_functions.h", "device_atomic_functions.h", "sm_20_atomic_functions.h",
    "vector_types.h", "vector_functions.h", "math_functions.h", "host_defines.h", "helper_cuda.h"};
// clang-format on

}  // namespace

bool has_word(std::string_view text, std::string_view word) {
  return find_word(text, word) != std::string_view::npos;
}

bool declares(std::string_view text, std::string_view name) {
  for (size_t at = find_word(text, name); at != std::string_view::npos;
       at = find_word(text, name, at + 1)) {
    const std::string_view before = text.substr(0, at);
    const std::string_view previous = last_word(before);
    if (previous == "define" || previous == "namespace" || previous == "struct" ||
        previous == "class" || previous == "enum" || previous == "union")
      return true;
    const size_t after = text.find_first_not_of(" \t\r\n", at + name.size());
    const char next = after == std::string_view::npos ? '\0' : text[after];
    const bool is_assigned = next == '=' && text[std::min(after + 1, text.size() - 1)] != '=';
    if (is_assigned && previous.size()) return true;  // using X =, const float X =
    if (next == ';' || next == ',' || next == '[') {
      // The statement that it ends: everything behind the last ; { } or directive.
      const size_t begin = before.find_last_of(";{}");
      std::string_view statement = before.substr(begin == std::string_view::npos ? 0 : begin + 1);
      if (find_word(statement, "typedef") != std::string_view::npos) return true;
      // typedef struct { … } name;
      if (begin != std::string_view::npos && before[begin] == '}' &&
          statement.find_first_not_of(" \t\r\n") == std::string_view::npos)
        return true;
    }
  }
  return false;
}

NvrtcText read_nvrtc_text(const Program& program, const std::vector<std::string>& include_dirs) {
  NvrtcText out;
  Reader(program, include_dirs, out)
      .read(program.text, std::filesystem::path(program.file).parent_path().string());
  return out;
}

namespace {

std::vector<std::string> library_options(const NvrtcText& text, bool has_cuda_headers) {
  std::vector<std::string> options;
  std::set<std::string_view> headers;
  for (size_t at = text.all.find("std::"); at != std::string::npos;
       at = text.all.find("std::", at + 5)) {
    const bool is_cuda = at >= 6 && text.all.compare(at - 6, 6, "cuda::") == 0;
    if (is_cuda || (at && is_word_char(text.all[at - 1]))) continue;
    const size_t end = word_end(text.all, at + 5);
    const std::string_view name = std::string_view(text.all).substr(at + 5, end - at - 5);
    for (const HeaderRow& row : library_table)
      if (row.word == name) headers.insert(row.header);
  }
  if (headers.empty() || !has_cuda_headers) return options;
  options.push_back("-DKS_NO_LIMITS");
  for (const std::string_view header : headers)
    options.push_back("-include=cuda/std/" + std::string(header));
  options.push_back("-include=kasoku_library.h");
  return options;
}

}  // namespace

std::string macro_text(const std::vector<std::string>& macros) {
  std::string text;
  for (const std::string& option : macros) {
    const std::string macro = option.substr(2);
    size_t end = word_end(macro, 0);
    text += "#undef " + macro.substr(0, end) + "\n";
    if (option[1] == 'U') continue;
    // F(x)=… keeps its parameters; no value means 1.
    if (end < macro.size() && macro[end] == '(')
      end = std::min(macro.find(')', end), macro.size() - 1) + 1;
    const bool has_value = end < macro.size() && macro[end] == '=';
    text +=
        "#define " + macro.substr(0, end) + " " + (has_value ? macro.substr(end + 1) : "1") + "\n";
  }
  return text;
}

std::vector<std::string> prelude_options(const NvrtcText& text, bool has_macros,
                                         bool has_cuda_headers) {
  std::vector<std::string> options;
  bool has_integers = true;
  for (size_t i = 0; i < std::size(declared_names); ++i) {
    if (!declares(text.all, declared_names[i])) continue;
    options.push_back("-DKS_NO_" + std::string(declared_names[i]));
    if (i < n_integers) has_integers = false;
  }
  if (!has_integers) options.push_back("-DKS_NO_INTEGERS");
  // NVIDIA's C++ library has limits and integers of its own.
  const bool has_library =
      std::any_of(text.headers.begin(), text.headers.end(), [](const std::string& name) {
        return name.starts_with("cub/") || name.starts_with("cuda/") || name.starts_with("thrust/");
      });
  if (has_library) options.push_back("-DKS_NO_LIMITS");
  if (!has_word(text.all, "std")) options.push_back("-DKS_NO_std");
  options.push_back("-include=kasoku_names.h");
  if (has_word(text.all, "ks_complex64") || has_word(text.all, "ks_complex128") ||
      has_word(text.all, "ks_complex"))
    options.push_back("-include=kasoku_complex.h");
  for (std::string& option : library_options(text, has_cuda_headers))
    options.push_back(std::move(option));
  if (has_macros) options.push_back(std::string("-include=") + macro_header_name);
  if (!has_cuda_headers) return options;
  std::set<std::string_view> given(text.headers.begin(), text.headers.end());
  for (const HeaderRow& row : header_table)
    if (!given.contains(row.header) && has_word(text.all, row.word) &&
        !declares(text.all, row.word)) {
      given.insert(row.header);
      options.push_back("-include=" + std::string(row.header));
    }
  return options;
}

const std::vector<std::pair<std::string, std::string>>& prelude_headers() {
  static const auto& headers = *new std::vector<std::pair<std::string, std::string>>([] {
    std::vector<std::pair<std::string, std::string>> all;
    all.emplace_back("kasoku_names.h", names_text);
    all.emplace_back("kasoku_complex.h", complex_text);
    all.emplace_back("kasoku_library.h", library_text);
    for (const std::string_view name : host_headers) all.emplace_back(name, "");
    return all;
  }());
  return headers;
}

std::string prelude_hash() {
  static const std::string& hash = *new std::string([] {
    std::string all;
    for (const auto& [name, content] : prelude_headers()) all += name + '\0' + content + '\0';
    for (const HeaderRow& row : header_table)
      all += std::string(row.word) + std::string(row.header);
    return hash128(all).hex();
  }());
  return hash;
}

}  // namespace kasoku
