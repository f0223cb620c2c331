#include "kasoku/jit/text.h"

#include "kasoku/codegen/reduce_text.h"

#include <fmt/format.h>

#include <set>

namespace kasoku::jit {

std::string_view support_text() {
  // clang-format off: their order is that of the text.
  static constexpr std::string_view text =
#include "kasoku/jit/support_scalar.inc"
#include "kasoku/jit/support_array.inc"
#include "kasoku/jit/support_run.inc"
#include "kasoku/jit/support_list.inc"
#include "kasoku/jit/support_dict.inc"
#include "kasoku/jit/support_string.inc"
#include "kasoku/jit/support_kernel.inc"
      ;
  // clang-format on
  return text;
}

static std::string tree_function(const char* name, bool by_threads) {
  Reduction r;
  r.loop = Loop{{}, 2, 1, true};
  r.form = by_threads ? ReduceForm::threads : ReduceForm::rows;
  r.by_threads = by_threads;
  r.is_range = true;
  r.type = "T";
  r.identity = "identity";
  r.element = [](const kasoku::Place&, const std::string&, const std::string&) { return std::string(); };
  r.value = by_threads ? "values(_i0)(_i1)" : "values(_i0)(_i1 + _place)";
  r.store = [](const std::string&, const std::string& value, const std::string&, const std::string& indent) { return fmt::format("{}result = {};\n", indent, value); };
  return fmt::format("template <class T, class V, class J>\nstatic __device__ {}T {}(ks_i64 _at, ks_i64 _length, ks_i64 _n1, T identity, const V& values, const J& ks_join) {{\n"
                     "  typedef T ks_lane;\n  const ks_i64 _end = _at + 1, _first_chunk = 0;\n  T result = identity;\n{}  return result;\n}}\n",
                     by_threads ? "" : "__noinline__ ", name, reduce_text(r));
}

const std::string& tree_text() {
  static const std::string text = "#ifdef KS_JIT_HOST\n" + tree_function("ks_reduce_vectors", false) + "#endif\n" + tree_function("ks_reduce_in_order", true);
  return text;
}

/// How many items tuples in the text have: all up to 16, so that most programs have one header, and those that are
/// longer.
static std::set<size_t> tuple_lengths(std::string_view text) {
  std::set<size_t> lengths;
  for (size_t n = 1; n <= 16; ++n) lengths.insert(n);
  constexpr std::string_view name = "ks_tuple<";
  for (size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
    size_t n = 1;
    int depth = 1;
    for (size_t i = at + name.size(); i < text.size() && depth; ++i) {
      depth += (text[i] == '<') - (text[i] == '>');
      n += text[i] == ',' && depth == 1;
    }
    lengths.insert(n);
  }
  return lengths;
}

std::string tuple_text(std::string_view text) {
  const std::set<size_t> lengths = tuple_lengths(text);
  std::string structs = "template <class... T> struct ks_tuple;\ntemplate <> struct ks_tuple<> {};\n", parts,
              parameters, names, members;
  for (size_t k = 0; k < *lengths.rbegin(); ++k) {
    parameters += fmt::format("{}class T{}", k ? ", " : "", k);
    names += fmt::format("{}T{}", k ? ", " : "", k);
    members += fmt::format(" T{0} _{0};", k);
    if (lengths.contains(k + 1))
      structs += fmt::format("template <{}> struct ks_tuple<{}> {{{} }};\n", parameters, names, members);
    parts += fmt::format("if constexpr (I == {0}) return t._{0}; else ", k);
  }
  return fmt::format("{}template <int I, class... T> KS_FN auto& ks_part(const ks_tuple<T...>& t) {{ {}; }}\n", structs,
                     parts);
}

}  // namespace kasoku::jit
