/// \file kasoku/jit/tree.h
/// A Python function as read from its source: expressions, statements, and what
/// its global names mean. Nothing here knows types yet.
#pragma once

#include "kasoku/jit/type.h"

#include <complex>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace kasoku::jit {

/// Lines count from the function's own `def` (1), so that moving a function in
/// its file changes nothing that is compiled.
struct Place {
  int line = 0;
  int column = 0;
};

enum class Operator : uint8_t {
  add, subtract, multiply, divide, floor_divide, modulo, power, matmul,
  left_shift, right_shift, bit_and, bit_or, bit_xor,
  negative, positive, invert, not_,
  and_, or_,
  less, less_equal, greater, greater_equal, equal, not_equal, is, is_not, in, not_in,
};

/// Python's spelling: "+", "//", "not in".
const char* str(Operator op);

struct None {
  bool operator==(const None&) const = default;
};
using Value = std::variant<None, bool, int64_t, uint64_t, double, std::complex<double>, std::string>;

struct Function;

/// What a name from outside the function means at compile time.
struct Binding {
  enum class Kind : uint8_t {
    value,      ///< a constant: number, string, None
    intrinsic,  ///< `name` is a row of intrinsics.def: "numpy.sqrt"
    dtype,      ///< np.float32, numba.int64; of records, which `type` is
    function,   ///< another function that is compiled along
    tuple,      ///< of items
    array,      ///< an array outside; becomes a hidden argument
    member,     ///< of an Enum; `name` is its own
    instance,   ///< a new instance of the class of `type`, whose fields have no values yet
    object,     ///< anything else; an error where it is used, `name` says what it is
  };
  Kind kind = Kind::object;
  std::string name;            ///< as written, or the intrinsic's
  Value value;
  Dtype dtype = Dtype::opaque; ///< of dtype; of a NumPy scalar value; of an array
  const Function* function = nullptr;
  std::vector<Binding> items;
  Type type;                   ///< array; the record of a dtype
  int hidden = -1;             ///< array: which hidden argument
  std::string overloaded;      ///< what the program overloads, if it does: the arguments' types choose a function
};

enum class ExprKind : uint8_t {
  constant,
  name,
  global,
  attribute,
  subscript,
  slice,
  unary,
  binary,
  compare,
  logic,
  conditional,
  call,
  tuple,
  list,
  walrus,
  ellipsis,
  starred,  ///< an argument of a call: items of a tuple
  dict,
  set,            ///< displays; of a dict: key, value, key, value…
  present,        ///< items[0], which may be None: a TypeError if it is
  comprehension,  ///< [item for target in items]: items = {item, target, source, condition…}
};

struct Expr {
  ExprKind kind = ExprKind::constant;
  Place place;
  Operator op = Operator::add;           ///< unary, binary, logic
  std::vector<Operator> ops;             ///< compare, one less than items
  std::string text;                      ///< name; attribute's name
  Value value;                           ///< constant
  /// By kind: attribute {object}; subscript {object, index}; slice {start, stop, step}, each
  /// possibly null; conditional {condition, then, else}; call {function, arguments…}; walrus {name, value}; of a name that
  /// may have no value here, and of a walrus that gives it one: behind them the name of the variable that says so.
  std::vector<std::unique_ptr<Expr>> items;
  std::vector<std::string> keywords;     ///< call: names of the last arguments
  Binding binding;                       ///< global; of a display of a dict or a set, in `type`, what Dict.empty() says it holds
  int variable = -1;                     ///< name: index into TypedFunction::variables
  bool may_be_unset = false;             ///< name: of a variable that is taken as it is, with or without a value
  int callee = -1;                       ///< call: index into TypedUnit::functions
  Type type;                             ///< set by inference

  std::unique_ptr<Expr> clone() const;
};
using ExprPtr = std::unique_ptr<Expr>;

ExprPtr make_expr(ExprKind kind, Place place);
ExprPtr make_constant(Value value, Place place);
ExprPtr make_name(const std::string& text, Place place);

enum class StmtKind : uint8_t {
  assign,      ///< targets = expr
  del_,        ///< targets[0] has no value from here on; gone when variables are known
  augment,     ///< targets[0] op= expr
  expr, if_, for_, while_, break_, continue_, return_, pass, assert_, raise,
  try_,        ///< body; orelse: except_ each, and an else_ at the end if there is one
  except_, else_,
  finally_,    ///< body; orelse runs however the body ends
  block,       ///< body, once
  leave,       ///< goes to the end of the block around that has the same level
};

struct Stmt {
  StmtKind kind = StmtKind::pass;
  Place place;
  Operator op = Operator::add;
  std::vector<ExprPtr> targets;        ///< assign, augment, for
  ExprPtr expr;                        ///< value, condition, iterable
  ExprPtr message;                     ///< assert, raise
  std::string text;                    ///< raise: the exception's name; except_: those that it catches
  int level = -1;                      ///< raise: again what the except_ so many around this one caught; block, leave: its number
  std::vector<std::unique_ptr<Stmt>> body, orelse;

  std::unique_ptr<Stmt> clone() const;
};
using StmtPtr = std::unique_ptr<Stmt>;
using Block = std::vector<StmtPtr>;

StmtPtr make_stmt(StmtKind kind, Place place);

Block clone(const Block& block);

struct Options {
  bool parallel = true;        ///< prange and array expressions use the pool
  bool fastmath = false;       ///< floating point may be reassociated and contracted
  bool boundscheck = true;
  bool python_errors = true;   ///< division by zero raises (error_model="python")
  bool is_cuda = false;        ///< a kernel or device function of ks.cuda.jit
  bool is_checked = false;     ///< iterations of prange tell the checker who they are

  bool operator==(const Options&) const = default;
};

struct Parameter {
  std::string name;
  bool has_default = false;
  bool is_by_name = false;  ///< behind a `*`: never by place
  bool is_rest = false;     ///< `*args`: the tuple of what else is given by place
  Binding default_value;
};

/// A list of argument types that was given ahead, with the result's type or an unknown one.
struct Signature {
  std::vector<Type> arguments;
  Type result;
};

/// A function as read. Lives as long as what was compiled from it.
struct Function {
  std::string name;
  std::string file;
  int first_line = 1;               ///< of `def` in the file
  std::vector<std::string> lines;   ///< the source, for messages
  std::vector<Parameter> parameters;
  Block body;
  Options options;
  std::vector<Signature> declared;  ///< if any, it is compiled for these alone and arguments convert
  bool is_jitted = true;            ///< false: a plain Python function, compiled along
};

/// The function that a program's overload returned for arguments of these types.
struct Overload {
  std::string of;                    ///< Binding::overloaded
  std::vector<Type> arguments;
  std::vector<std::string> by_name;  ///< names of the last arguments
  const Function* function;          ///< null: it is not for such arguments
};

/// What an instance has besides its fields.
struct Class {
  std::map<std::string, const Function*> methods, getters;
};

/// A root function and all that it reaches.
struct Unit {
  std::vector<std::unique_ptr<Function>> functions;  ///< [0] is the root
  int n_hidden = 0;                                  ///< hidden array arguments
  std::vector<Overload> overloads;                   ///< those that were asked before it was read
  std::map<std::string, Class> classes;              ///< by the text of their instances' type
};

/// "file.py:12, in f" for messages.
std::string place_text(const Function& function, Place place);

}  // namespace kasoku::jit
