/// \file python/src/jit_read.h
/// Python's `ast` of a function and all that it reaches -> jit::Unit.
#pragma once

#include "bindings.h"
#include "kasoku/base/error.h"
#include "kasoku/jit/tree.h"
#include "kasoku/jit/typed_function.h"

#include <memory>
#include <vector>

namespace kasoku {

/// A name outside that the function read: when it is bound to something else, what was compiled
/// no longer holds.
struct Dependency {
  nb::object container;  ///< a dict, or a closure's cell
  nb::object name;
  nb::object value;
  bool holds() const;
};

struct ReadFunction {
  std::shared_ptr<const jit::Unit> unit;
  std::vector<Dependency> dependencies;
  std::vector<nb::object> arrays;  ///< outside, in the order of the hidden arguments
  std::vector<nb::object> raised;  ///< what makes the exceptions of its raise statements
};

/// The function and options of an object of ks.jit.
struct JitObject {
  nb::object function;
  jit::Options options;
  std::vector<jit::Signature> declared;
};
bool as_jit_object(nb::handle object, JitObject& out);

/// Throws Python's TypingError for what has no compiled form.
[[noreturn]] void throw_typing_error(const Error& error);

/// Throws Error(type) with the user's line for what has no compiled form, Error(unsupported) if
/// there is no source.
ReadFunction read_function(const JitObject& function);

/// Asks the program's overload for its function for these arguments, and remembers it.
void ask(const jit::Overload& asked, bool in_kernels);

/// What compile() gives, which is called again with what the program's overloads give each time that it asks for one;
/// the function has to be read anew then.
template <class Compile, class Forget>
auto with_overloads(bool in_kernels, const Compile& compile, const Forget& forget) -> decltype(compile()) {
  constexpr int most_overloads = 200;
  for (int asked = 0;; ++asked) {
    try {
      return compile();
    } catch (const jit::OverloadAsked& error) {
      if (asked == most_overloads) throw;
      ask(error.asked, in_kernels);
      forget();
    }
  }
}

/// A type as Python describes it: (dtype, ndim, is contiguous, is read-only), ("tuple", items), ("none",).
jit::Type type_of_description(nb::handle description);
nb::object description(const jit::Type& type);

/// The type of a Python value as an argument; unknown if it has none.
jit::Type type_of_value(nb::handle value);

}  // namespace kasoku
