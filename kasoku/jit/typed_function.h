/// \file kasoku/jit/typed_function.h
/// A function for one list of argument types: every variable and expression has
/// its type. What inference makes and lowering reads.
#pragma once

#include "kasoku/base/error.h"
#include "kasoku/jit/tree.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kasoku::jit {

struct Variable {
  std::string name;  ///< as the user wrote it
  std::string text;  ///< its name in kernel text; unique in the function
  Type type;
  Place place;       ///< of its first assignment
  int n_assignments = 0;
};

struct TypedFunction {
  const Function* function = nullptr;
  std::vector<Type> parameters;
  std::vector<int> parameter_variables;  ///< index into variables
  std::vector<Variable> variables;
  Block body;
  Type result;
  Type declared_result;  ///< what returned values convert to, if a signature says so
  std::string symbol;   ///< in kernel text
};

struct TypedUnit {
  std::vector<std::unique_ptr<TypedFunction>> functions;  ///< [0] is the root
  std::vector<Type> hidden;  ///< types of the arrays outside, in their order
};

/// Thrown by infer(): a program's overload has to be asked for a function first, and the root to be read anew. For who
/// cannot, an error.
struct OverloadAsked : Error {
  OverloadAsked(const Error& error, Overload asked) : Error(error), asked(std::move(asked)) {}
  Overload asked;
};

/// Types of everything `unit` reaches from its root called with `arguments`
/// (hidden ones not among them). An error names the user's line.
TypedUnit infer(const Unit& unit, const std::vector<Type>& arguments);

/// Whether a parameter's text, if it is one, is read as letters; else it is a word that chooses: it is compared with texts known
/// when compiling, or given to functions that take such a word.
bool is_read_as_letters(const Function& function, size_t parameter);

/// A loop over a tuple of several types, which inference met and which has to stand there once for each item. Which of the
/// copies of the loops around it the loop is in, says `copy`.
struct MixedLoop {
  const Function* function;
  std::vector<Type> arguments;
  Place place;
  std::string copy;
  size_t n_items;
};

/// A branch that the type of a local variable decides, which inference met: the one not taken has no part in the types.
struct DecidedBranch {
  const Function* function;
  std::vector<Type> arguments;
  Place place;
  std::string copy;  ///< as a MixedLoop's
  bool is_taken;
};

/// What inference met that all has to be typed anew for.
struct Met {
  std::vector<MixedLoop> loops;
  std::vector<DecidedBranch> branches;
};

/// Takes out the branches of `body` that the arguments' types decide: `if x is None`, and writes loops over tuples of several
/// types out: those of which the arguments tell it, and those that inference met.
void prune(const Function& function, const std::vector<Type>& arguments, const Met& met, Block& body);

/// The types of names, as far as they are known.
using Known = std::map<std::string, Type>;

/// The type of a name, or null.
const Type* known_type(const Expr& e, const Known& known);

/// What the condition of a branch is where names have these types; nothing if they do not say it.
std::optional<bool> decided(const Expr& condition, const Known& known);

/// Splits names into variables: definitions that no use sees together become
/// variables of their own, so that `x = x[mask]` may change x's type. Fills
/// Expr::variable in `body` and returns the variables, parameters first. A name
/// that may be read before it has a value gets a variable that says whether it
/// has: its assignments are put into `body`.
std::vector<Variable> split_variables(const Function& function, Block& body);

}  // namespace kasoku::jit
