#include "kasoku/compile/nvrtc_ptx.h"

#include "kasoku/base/text.h"

#include <cctype>
#include <cstdlib>
#include <vector>

namespace kasoku {
namespace {

/// Words of one declaration: directives, names, numbers, and single brackets.
std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '$' ||
           c == '%';
  };
  for (size_t i = 0; i < text.size();) {
    if (is_word(text[i])) {
      const size_t begin = i;
      while (i < text.size() && is_word(text[i])) ++i;
      words.push_back(text.substr(begin, i - begin));
    } else {
      if (std::string_view("[](),;{}=").find(text[i]) != std::string_view::npos)
        words.push_back(text.substr(i, 1));
      ++i;
    }
  }
  return words;
}

uint32_t number(std::string_view text) {
  return static_cast<uint32_t>(std::strtoul(std::string(text).c_str(), nullptr, 10));
}

struct Type {
  std::string_view name;
  uint32_t size;
  Dtype dtype;
};

// PTX widens small integers and has no signs for them, so only sizes are certain.
constexpr Type type_table[] = {
    {".b8", 1, Dtype::uint8},    {".u8", 1, Dtype::uint8},    {".s8", 1, Dtype::int8},
    {".b16", 2, Dtype::uint16},  {".u16", 2, Dtype::uint16},  {".s16", 2, Dtype::int16},
    {".b32", 4, Dtype::uint32},  {".u32", 4, Dtype::uint32},  {".s32", 4, Dtype::int32},
    {".b64", 8, Dtype::uint64},  {".u64", 8, Dtype::uint64},  {".s64", 8, Dtype::int64},
    {".f16", 2, Dtype::float16}, {".f32", 4, Dtype::float32}, {".f64", 8, Dtype::float64},
};

const Type* find_type(std::string_view word) {
  for (const Type& type : type_table)
    if (type.name == word) return &type;
  return nullptr;
}

/// A variable or parameter: ".align 8 .b8 name[24]" or ".u64 name".
struct Declared {
  std::string_view name;
  const Type* type = nullptr;
  uint64_t elements = 1;
  uint32_t align = 0;
  bool is_array = false;
};

Declared read_declared(const std::vector<std::string_view>& words, size_t begin, size_t end) {
  Declared out;
  for (size_t i = begin; i < end; ++i) {
    if (words[i] == ".align" && i + 1 < end)
      out.align = number(words[++i]);
    else if (const Type* type = find_type(words[i]))
      out.type = type;
    else if (words[i] == "[") {
      out.is_array = true;
      if (i + 1 < end && words[i + 1] != "]") out.elements *= number(words[i + 1]);
      while (i < end && words[i] != "]") ++i;
    } else if (words[i] == "=") {
      break;
    } else if (words[i][0] != '.') {
      out.name = words[i];
    }
  }
  return out;
}

KernelInfo read_entry(const std::vector<std::string_view>& words, size_t at) {
  KernelInfo kernel;
  kernel.symbol = words[at];
  kernel.name = source_name(kernel.symbol);
  kernel.params_known = false;
  size_t i = at + 1;
  if (i < words.size() && words[i] == "(") {
    for (size_t begin = ++i; i < words.size(); ++i) {
      if (words[i] != "," && words[i] != ")") continue;
      const Declared declared = read_declared(words, begin, i);
      if (declared.type) {
        ParamInfo param;
        param.kind = declared.is_array ? ParamKind::record : ParamKind::scalar;
        param.dtype = declared.is_array ? Dtype::opaque : declared.type->dtype;
        param.size = static_cast<uint32_t>(declared.type->size * declared.elements);
        param.align = declared.align ? declared.align : declared.type->size;
        kernel.params.push_back(param);
      }
      begin = i + 1;
      if (words[i] == ")") break;
    }
  }
  // .maxntid 128, 1, 1 stands between the parameters and the body.
  for (; i < words.size() && words[i] != "{" && words[i] != ";"; ++i)
    if (words[i] == ".maxntid") {
      uint32_t threads = 1;
      for (++i; i < words.size() &&
                (words[i] == "," || std::isdigit(static_cast<unsigned char>(words[i][0])));
           ++i)
        if (words[i] != ",") threads *= number(words[i]);
      kernel.max_threads = threads;
      --i;
    }
  return kernel;
}

}  // namespace

std::string source_name(const std::string& symbol) {
  std::string name = demangled(symbol);
  if (name == symbol) return symbol;
  // "void ns::scale<float>(float*, int)": the parameters go, then the result. Brackets
  // of template arguments may hold spaces and parentheses.
  int depth = 0;
  for (size_t i = name.size(); i-- > 0;) {
    if (name[i] == ')') ++depth;
    if (name[i] == '(' && --depth == 0) {
      if (i + 1 < name.size() && name.compare(i, 2, "()") == 0 && i >= 8 &&
          name.compare(i - 8, 8, "operator") == 0)
        break;
      name.resize(i);
      break;
    }
  }
  depth = 0;
  for (size_t i = name.size(); i-- > 0;) {
    if (name[i] == '>' || name[i] == ')') ++depth;
    if (name[i] == '<' || name[i] == '(') --depth;
    if (name[i] == ' ' && depth == 0) return name.substr(i + 1);
  }
  return name;
}

ModuleInfo read_ptx(std::string_view ptx) {
  ModuleInfo info;
  int depth = 0;
  size_t begin = 0;
  // Declarations at file scope end with ';' or are followed by a body in braces.
  for (size_t i = 0; i < ptx.size(); ++i) {
    const char c = ptx[i];
    if (c == '/' && i + 1 < ptx.size() && ptx[i + 1] == '/') {
      const size_t end = std::min(ptx.find('\n', i), ptx.size());
      if (depth == 0 &&
          ptx.substr(begin, i - begin).find_first_not_of(" \t\r\n") == std::string_view::npos)
        begin = end;
      i = end;
      continue;
    }
    if (c == '"') {
      i = std::min(ptx.find('"', i + 1), ptx.size());
      continue;
    }
    const std::string_view so_far = ptx.substr(begin, i - begin);
    if (c == '{') {
      // A body, or the initial values of a variable.
      if (depth++ == 0 && so_far.find(".entry") != std::string_view::npos) {
        const auto words = words_of(ptx.substr(begin, i + 1 - begin));
        for (size_t w = 0; w + 1 < words.size(); ++w)
          if (words[w] == ".entry") info.kernels.push_back(read_entry(words, w + 1));
      }
    } else if (c == '}') {
      if (--depth == 0 && so_far.find('=') == std::string_view::npos) begin = i + 1;
    } else if (c == ';' && depth == 0) {
      const auto words = words_of(so_far.substr(0, std::min(so_far.find('{'), so_far.size())));
      for (size_t w = 0; w < words.size(); ++w) {
        if (words[w] != ".global" && words[w] != ".const") continue;
        const Declared declared = read_declared(words, w + 1, words.size());
        const bool is_own =
            declared.name.starts_with("$") || declared.name.starts_with("__unnamed");
        if (!declared.type || declared.name.empty() || is_own) break;
        GlobalInfo global;
        global.symbol = declared.name;
        global.name = source_name(global.symbol);
        global.size = declared.type->size * declared.elements;
        global.align = declared.align ? declared.align : declared.type->size;
        global.is_constant = words[w] == ".const";
        info.globals.push_back(global);
        break;
      }
      begin = i + 1;
    }
  }
  return info;
}

}  // namespace kasoku
