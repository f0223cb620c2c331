#include "kasoku/jit/signature.h"

#include "kasoku/base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace kasoku::jit {

namespace {

constexpr std::array numbers = {Dtype::bool_,  Dtype::int8,   Dtype::int16,   Dtype::int32,   Dtype::int64,
                                Dtype::uint8,  Dtype::uint16, Dtype::uint32,  Dtype::uint64,  Dtype::float16,
                                Dtype::float32, Dtype::float64, Dtype::complex64, Dtype::complex128};
constexpr size_t n_numbers = numbers.size();

using Table = std::array<std::array<Conversion, n_numbers>, n_numbers>;

size_t row_of(Dtype dtype) { return static_cast<size_t>(std::ranges::find(numbers, dtype) - numbers.begin()); }

/// The single steps, and what chains of them give: a chain is as bad as its worst step.
Table make_table() {
  Table table;
  for (auto& row : table) row.fill(Conversion::none);
  const auto step = [&](Dtype from, Dtype to, Conversion there, Conversion back = Conversion::unsafe) {
    table[row_of(from)][row_of(to)] = there;
    table[row_of(to)][row_of(from)] = back;
  };
  using enum Conversion;
  step(Dtype::bool_, Dtype::int8, safe), step(Dtype::bool_, Dtype::uint8, safe);
  step(Dtype::int8, Dtype::int16, promote), step(Dtype::uint8, Dtype::uint16, promote);
  step(Dtype::int16, Dtype::int32, promote), step(Dtype::uint16, Dtype::uint32, promote);
  step(Dtype::int32, Dtype::int64, promote), step(Dtype::uint32, Dtype::uint64, promote);
  step(Dtype::uint8, Dtype::int16, safe), step(Dtype::uint16, Dtype::int32, safe), step(Dtype::uint32, Dtype::int64, safe);
  step(Dtype::int8, Dtype::float16, safe), step(Dtype::int16, Dtype::float32, safe), step(Dtype::int32, Dtype::float64, safe);
  step(Dtype::int16, Dtype::float16, unsafe), step(Dtype::int32, Dtype::float32, unsafe);
  step(Dtype::int64, Dtype::float64, safe), step(Dtype::uint64, Dtype::float64, safe);
  step(Dtype::float16, Dtype::float32, promote), step(Dtype::float32, Dtype::float64, promote);
  step(Dtype::float32, Dtype::complex64, safe, none), step(Dtype::float64, Dtype::complex128, safe, none);
  step(Dtype::complex64, Dtype::complex128, promote);
  for (size_t via = 0; via < n_numbers; ++via)
    for (size_t from = 0; from < n_numbers; ++from)
      for (size_t to = 0; to < n_numbers; ++to)
        table[from][to] = std::min(table[from][to], std::max(table[from][via], table[via][to]));
  for (size_t i = 0; i < n_numbers; ++i) table[i][i] = exact;
  return table;
}

}  // namespace

Conversion conversion(const Type& from, const Type& to) {
  static const Table table = make_table();
  if (from == to) return Conversion::exact;
  if (from.kind != to.kind) return Conversion::none;
  switch (from.kind) {
    case TypeKind::scalar: {
      const size_t a = row_of(from.dtype), b = row_of(to.dtype);
      return a < n_numbers && b < n_numbers ? table[a][b] : Conversion::none;
    }
    case TypeKind::array: {
      const bool fits = from.dtype == to.dtype && from.items == to.items && from.text == to.text && from.ndim == to.ndim && (from.is_contiguous || !to.is_contiguous) &&
                        (!from.is_read_only || to.is_read_only);
      return fits ? Conversion::safe : Conversion::none;
    }
    case TypeKind::tuple: {
      if (from.items.size() != to.items.size()) return Conversion::none;
      Conversion worst = Conversion::exact;
      for (size_t i = 0; i < from.items.size(); ++i) worst = std::max(worst, conversion(from.items[i], to.items[i]));
      return worst;
    }
    default: return Conversion::none;
  }
}

std::vector<const Signature*> best(const std::vector<Signature>& declared, const std::vector<Type>& given) {
  std::vector<const Signature*> found;
  std::array<int, 3> least{};  // unsafe, safe, promote
  for (const Signature& signature : declared) {
    if (signature.arguments.size() != given.size()) continue;
    std::array<int, 3> cost{};
    bool fits = true;
    for (size_t i = 0; i < given.size(); ++i) switch (conversion(given[i], signature.arguments[i])) {
        case Conversion::exact: break;
        case Conversion::promote: ++cost[2]; break;
        case Conversion::safe: ++cost[1]; break;
        case Conversion::unsafe: ++cost[0]; break;
        case Conversion::none: fits = false; break;
      }
    if (!fits || (!found.empty() && cost > least)) continue;
    if (cost < least) found.clear();
    least = cost;
    found.push_back(&signature);
  }
  return found;
}

std::string str(const std::vector<Type>& arguments) {
  std::string text = "(";
  for (size_t i = 0; i < arguments.size(); ++i) text += (i ? ", " : "") + str(arguments[i]);
  return text + ")";
}

std::string str(const Signature& signature) {
  return str(signature.arguments) + (signature.result.is_known() ? " -> " + str(signature.result) : "");
}

const Signature& choose(const std::vector<Signature>& declared, const std::vector<Type>& given, const std::string& name) {
  const std::vector<const Signature*> found = best(declared, given);
  if (found.empty()) {
    const std::string types = str(given);
    Error error(ErrorKind::type, "No matching definition for argument type(s) " + types.substr(1, types.size() - 2));
    std::string known;
    for (const Signature& signature : declared) known += (known.empty() ? "" : " and ") + str(signature);
    throw SignatureError(error.why(fmt::format("{} was declared for {} alone", name, known)).fix("add a signature, or give none"));
  }
  if (found.size() > 1) {
    std::string text = fmt::format("Ambiguous overloading for {} {}:", name, str(given));
    for (const Signature* signature : found) text += "\n" + str(*signature);
    throw SignatureError(Error(ErrorKind::type, text));
  }
  return *found[0];
}

}  // namespace kasoku::jit
