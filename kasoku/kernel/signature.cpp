#include "kasoku/kernel/signature.h"

#include "kasoku/base/error.h"
#include "kasoku/base/text.h"
#include "kasoku/base/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace kasoku {
namespace {

bool is_identifier(std::string_view text) {
  return !text.empty() && !(text[0] >= '0' && text[0] <= '9') &&
         std::all_of(text.begin(), text.end(), is_word_char);
}

/// Words, and every other character on its own; "complex<float>" and "ns::type" stay whole.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      ++i;
      continue;
    }
    size_t end = i + 1;
    if (is_word_char(c)) {
      int depth = 0;
      while (end < text.size()) {
        const char e = text[end];
        if (e == '<') ++depth;
        else if (e == '>') --depth;
        else if (e == ':' && end + 1 < text.size() && text[end + 1] == ':') ++end;
        else if (!is_word_char(e) && depth == 0) break;
        ++end;
      }
    }
    words.emplace_back(text.substr(i, end - i));
    i = end;
  }
  return words;
}

/// At commas outside of brackets. An empty list has no parts.
std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  size_t start = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && (text[i] == '<' || text[i] == '(')) ++depth;
    if (i < text.size() && (text[i] == '>' || text[i] == ')')) --depth;
    if (i < text.size() && (text[i] != ',' || depth > 0)) continue;
    parts.push_back(strip(text.substr(start, i - start)));
    start = i + 1;
  }
  if (parts.size() == 1 && parts[0].empty()) parts.clear();
  return parts;
}

Error bad_parameter(std::string_view part, std::string_view all, const std::string& example) {
  return Error(ErrorKind::value, quote(part) + " is no parameter, in the list " + quote(all))
      .fix("write each as " + example);
}

void check_names(const std::vector<Parameter>& parameters, std::string_view all) {
  for (size_t i = 0; i < parameters.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (parameters[i].name == parameters[j].name)
        throw Error(ErrorKind::value,
                    "two parameters are named " + quote(parameters[i].name) + ", in " + quote(all));
}

const std::map<std::string_view, Dtype>& named_types() {
  static const std::map<std::string_view, Dtype> table = {
      {"bool", Dtype::bool_},
      {"int8_t", Dtype::int8},        {"int16_t", Dtype::int16},
      {"int32_t", Dtype::int32},      {"int64_t", Dtype::int64},
      {"uint8_t", Dtype::uint8},      {"uint16_t", Dtype::uint16},
      {"uint32_t", Dtype::uint32},    {"uint64_t", Dtype::uint64},
      {"uchar", Dtype::uint8},        {"ushort", Dtype::uint16},
      {"uint", Dtype::uint32},        {"ulong", Dtype::uint64},
      {"size_t", Dtype::uint64},      {"std::size_t", Dtype::uint64},
      {"ssize_t", Dtype::int64},      {"ptrdiff_t", Dtype::int64},
      {"uintptr_t", Dtype::uint64},   {"intptr_t", Dtype::int64},
      {"float", Dtype::float32},      {"double", Dtype::float64},
      {"half", Dtype::float16},       {"__half", Dtype::float16},
      {"float16", Dtype::float16},    {"__nv_bfloat16", Dtype::bfloat16},
      {"nv_bfloat16", Dtype::bfloat16},
      {"complex<float>", Dtype::complex64},           {"complex<double>", Dtype::complex128},
      {"pycuda::complex<float>", Dtype::complex64},   {"pycuda::complex<double>", Dtype::complex128},
      {"thrust::complex<float>", Dtype::complex64},   {"thrust::complex<double>", Dtype::complex128},
      {"cuComplex", Dtype::complex64},                {"cuFloatComplex", Dtype::complex64},
      {"cuDoubleComplex", Dtype::complex128},
      {"ks_complex64", Dtype::complex64},             {"ks_complex128", Dtype::complex128},
  };
  return table;
}

}  // namespace

std::optional<Dtype> dtype_from_c(std::string_view type) {
  const std::vector<std::string> words = words_of(type);
  std::string joined;
  bool is_unsigned = false, is_signed = false, has_char = false, has_short = false;
  int longs = 0;
  bool only_integer_words = !words.empty();
  for (const std::string& word : words) {
    if (word == "const" || word == "volatile") continue;
    joined += (joined.empty() ? "" : " ") + word;
    if (word == "unsigned") is_unsigned = true;
    else if (word == "signed") is_signed = true;
    else if (word == "char") has_char = true;
    else if (word == "short") has_short = true;
    else if (word == "long") ++longs;
    else if (word != "int") only_integer_words = false;
  }
  if (joined.empty()) return std::nullopt;
  if (only_integer_words) {
    (void)is_signed;
    if (has_char) return is_unsigned ? Dtype::uint8 : Dtype::int8;
    if (has_short) return is_unsigned ? Dtype::uint16 : Dtype::int16;
    if (longs > 0) return is_unsigned ? Dtype::uint64 : Dtype::int64;
    return is_unsigned ? Dtype::uint32 : Dtype::int32;
  }
  joined.erase(std::remove(joined.begin(), joined.end(), ' '), joined.end());
  const auto found = named_types().find(joined);
  if (found == named_types().end()) return std::nullopt;
  return found->second;
}

std::string_view c_type(Dtype dtype) {
  if (dtype == Dtype::complex64) return "complex<float>";
  if (dtype == Dtype::complex128) return "complex<double>";
  return info(dtype).text;
}

std::vector<Parameter> parse_pointer_parameters(std::string_view text) {
  std::vector<Parameter> parameters;
  const std::string example = "'type *name' for an array, 'type name' for a scalar";
  for (std::string_view part : parts_of(text)) {
    Parameter parameter;
    std::vector<std::string> words = words_of(part);
    if (words.size() >= 3 && words.back() == "]" && words[words.size() - 2] == "[") {
      words.resize(words.size() - 2);  // "float x[]"
      parameter.is_pointer = true;
    }
    if (words.size() < 2 || !is_identifier(words.back())) throw bad_parameter(part, text, example);
    parameter.name = words.back();
    words.pop_back();
    for (const std::string& word : words) {
      if (word == "*") {
        if (parameter.is_pointer) throw bad_parameter(part, text, example);
        parameter.is_pointer = true;
      } else if (word == "const") {
        if (!parameter.is_pointer) parameter.is_const = true;
      } else if (word == "__restrict__" || word == "__restrict" || word == "volatile") {
        continue;
      } else if (word.size() == 1 && !is_word_char(word[0])) {
        throw bad_parameter(part, text, example);
      } else {
        parameter.type += (parameter.type.empty() ? "" : " ") + word;
      }
    }
    if (parameter.type.empty()) throw bad_parameter(part, text, example);
    parameter.dtype = dtype_from_c(parameter.type);
    parameters.push_back(std::move(parameter));
  }
  check_names(parameters, text);
  return parameters;
}

std::vector<Parameter> parse_element_parameters(std::string_view text) {
  std::vector<Parameter> parameters;
  const std::string example = "'T name', 'float32 name' or 'raw T name'";
  for (std::string_view part : parts_of(text)) {
    Parameter parameter;
    std::vector<std::string> words = words_of(part);
    if (words.size() < 2 || !is_identifier(words.back())) throw bad_parameter(part, text, example);
    parameter.name = words.back();
    words.pop_back();
    for (const std::string& word : words) {
      if (word == "raw") parameter.is_raw = true;
      else if (word == "const") parameter.is_const = true;
      else if (word == "_non_const" || word == "nonconst") continue;
      else if (word.size() == 1 && !is_word_char(word[0])) throw bad_parameter(part, text, example);
      else parameter.type += (parameter.type.empty() ? "" : " ") + word;
    }
    if (parameter.type.empty()) throw bad_parameter(part, text, example);
    if (parameter.name == "i" || parameter.name[0] == '_')
      throw Error(ErrorKind::value, "a parameter cannot be named " + quote(parameter.name))
          .why("i and names that begin with _ belong to the loop");
    if (parameter.type.size() == 1 && parameter.type[0] >= 'A' && parameter.type[0] <= 'Z') {
      parameter.is_placeholder = true;
    } else {
      // NumPy's name first: its "int8" is no word of C.
      parameter.dtype = dtype_from_name(parameter.type);
      if (parameter.type == "bool_") parameter.dtype = Dtype::bool_;
      if (parameter.dtype == Dtype::opaque) parameter.dtype.reset();
      if (!parameter.dtype) parameter.dtype = dtype_from_c(parameter.type);
      if (parameter.dtype) parameter.type = c_type(*parameter.dtype);
    }
    parameters.push_back(std::move(parameter));
  }
  check_names(parameters, text);
  return parameters;
}

std::string declaration(const Parameter& param) {
  return fmt::format("{}{} {}{}", param.is_const ? "const " : "", param.type,
                     param.is_pointer ? "*" : "", param.name);
}

bool mentions_word(std::string_view text, std::string_view name) {
  return find_word(text, name) != text.npos;
}

void check_kernel_name(std::string_view name) {
  if (!is_identifier(name))
    throw Error(ErrorKind::value, "Invalid kernel name: " + quote(name))
        .why("a kernel's name is a C identifier: letters, digits and _, no digit first");
}

}  // namespace kasoku
