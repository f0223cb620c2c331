/// \file kasoku/jit/infer.h
/// The class behind infer(): one walk over a function sets the type of each
/// expression and joins them into variables; repeated until nothing changes.
/// Everything only grows (unknown -> int64 -> float64 …), so it ends.
#pragma once

#include "kasoku/base/error.h"
#include "kasoku/jit/intrinsics.h"
#include "kasoku/jit/typed_function.h"

#include <string>

namespace kasoku::jit {

class Inference {
 public:
  Inference(TypedUnit& unit, const Unit& read, const Met& met)
      : unit_(unit), overloads_(read.overloads), classes_(read.classes), met_(met) {}

  int instance(const Function& function, std::vector<Type> arguments);
  void run();

 private:
  void walk(Block& block);
  void walk(Stmt& stmt);
  void assignment(Stmt& stmt);
  void augmented(Stmt& stmt);
  void return_statement(Stmt& stmt);
  void index_statement(Stmt& stmt);
  bool is_slice_of_list(Expr& target);
  void slice_statement(Stmt& stmt);
  void assign(Expr& target, const Type& type);
  /// Whether the target is a part of an array of numbers, and the values a tuple or list that becomes an array for it.
  bool is_row_for(Expr& target, const Type& values);
  /// The type that a kernel's name gets: with the value, if that is a constant and a length of shared or local memory.
  Type kept(const Expr& target, const Expr& value, const Type& type) const;
  void set(int variable, const Type& type, Place place);
  void for_target(Stmt& stmt);
  Type iterated(Expr& iterable);

  /// Sets expr.type. What may be None is, unless that is taken, the value that it otherwise has: ExprKind::present.
  Type visit(Expr& expr, bool takes_none = false);
  void visit_items(Expr& display);  ///< of a tuple that a function takes apart: none may be None
  /// The type of a comparison of what may be None, or nothing if that is no value to compare.
  std::optional<Type> compare_absent(Expr& expr, const std::vector<Type>& types);
  /// Types all anew with this branch alone, if the types of variables decide it.
  void decide(const Expr& condition, Place place, const std::string& copy);
  Type condition(Expr& expr);   ///< visits what is asked whether it is true, which arrays do not say
  Type type_of(Expr& expr);
  Type constant(const Expr& expr);
  Type variable(const Expr& expr);
  Type tuple(Expr& expr);
  Type unary(Expr& expr);
  Type binary(Expr& expr);
  Type compare(Expr& expr);
  /// Whether comparison `i` of a chain, of `a` with `b`, gives an array; an error where it has no meaning.
  bool compare_pair(Expr& chain, size_t i, const Type& a, const Type& b);
  Type logic(Expr& expr);
  Type conditional(Expr& expr);
  Type global(const Expr& expr);
  Type attribute(Expr& expr);
  Type subscript(Expr& expr);
  Type tuple_subscript(Expr& expr, const Type& object);
  Type array_subscript(Expr& expr, const Type& object);
  /// Whether an assignment to it is one of kasoku/_library/indices.py; `takes_array`: a value that is an array.
  bool is_indexed_by_array(Expr& target, bool takes_array);
  void index_call(Expr& expr, size_t n_items);
  Type call(Expr& expr);
  Type call_method(Expr& expr);
  /// A call of a function that a variable or a tuple's item holds: its type says which function that is.
  Type call_held(Expr& expr);
  Type call_dtype(Expr& expr, Dtype dtype);  ///< np.float32(x)
  Type call_listed(Expr& expr, const Intrinsic& intrinsic);  ///< visits the arguments, then call_intrinsic() or a method's rule
  /// Puts the items of tuples in the place of `*tuple` among the arguments; false if a tuple is not known yet.
  bool spread_starred(Expr& expr);
  Type call_function(Expr& expr, const Function& callee);
  /// A call of what a program overloads (infer_overload.cpp), by the function for these arguments; nothing if there is none.
  std::optional<Type> call_overload(Expr& expr);
  Type call_intrinsic(Expr& expr, const Intrinsic& intrinsic);
  Type call_elementwise(Expr& expr, const Intrinsic& intrinsic);
  Type call_operator(Expr& expr, const Intrinsic& intrinsic, Operator op);
  Type call_conversion(Expr& expr, const Intrinsic& intrinsic, Dtype dtype);  ///< int(), float(), bool()
  Type call_complex(Expr& expr);
  Type call_len(const Expr& expr);
  Type call_result_type(const Expr& expr);
  Type call_abs(const Expr& expr);
  Type call_round(Expr& expr, const Intrinsic& intrinsic);
  Type call_extreme(Expr& expr, const Intrinsic& intrinsic);
  Type call_where(const Expr& expr);
  Type call_clip(const Expr& expr);
  Type call_drawn(Expr& expr);
  Type call_algorithm(const Expr& expr);
  Type call_reduction(Expr& expr, const Intrinsic& row);
  Type call_isinstance(Expr& expr, const Type& first);
  Type reduced_items(Expr& expr, const Intrinsic& row, const Type& first);
  void want_real_numbers(Expr& expr, const Intrinsic& row);
  Type call_creation(Expr& expr, Handler handler);
  Type array_of_list(Expr& expr, const Type& first);
  Type array_of_tuple(Expr& expr, const Type& first);
  Type call_arange(Expr& expr);
  Type call_view(Expr& expr, const Type& first);
  Type call_reshape(Expr& expr, const Type& first);
  Type call_random(Expr& expr, Handler handler);
  Type call_cuda(Expr& expr, Handler handler);
  // lists (infer_list.cpp)
  Type display(Expr& expr);
  Type list_method(Expr& expr, Handler handler);
  // texts (infer_string.cpp)
  Type string_method(Expr& expr, const Intrinsic& row);
  Type string_call(Expr& expr, const Intrinsic& row);
  // records (infer_record.cpp)
  Type field(Expr& expr, const Type& object, const std::string& name);
  Type named_item(Expr& expr, const Type& object);
  void assign_field(Expr& target, const Type& type);
  // instances of classes (infer_instance.cpp)
  Type instance_attribute(Expr& expr, const Type& object);
  Type instance_method(Expr& expr, const Type& object);
  void assign_attribute(Expr& target, const Type& type);
  /// Makes an expression whose operands stand from `first` on a call of the class' method; false if it has none of the
  /// name.
  bool instance_operator(Expr& expr, const Type& object, const char* name, size_t first);
  const Class& class_of(const Type& instance, Place place);
  // dicts and sets (infer_dict.cpp)
  Type dict_display(Expr& expr);
  Type dict_method(Expr& expr, Handler handler);
  Type set_method(Expr& expr, Handler handler);
  Type set_binary(Expr& expr, const Type& a, const Type& b);
  void assign_to_dict(Expr& target, const Type& type);
  Type dict_subscript(Expr& expr, const Type& object);
  /// The dict or set may get such a key; or is only asked for it.
  void want_key(Expr& container, const Type& given, Place place, bool is_put);
  /// The type of `a op b` where one of them is a list.
  Type list_binary(Expr& expr, const Type& a, const Type& b);
  Type list_subscript(Expr& expr, const Type& object);
  /// Makes what gives the list's items give `type`: lists that meet have items of one type.
  void expect(Expr& expr, const Type& type);
  /// Lists that nothing was ever put into have items of some type.
  void close_lists();
  /// Whether it was met for a list of which nobody knew yet what it holds.
  static bool is_open(const TypedFunction& function);
  void place_arguments(Expr& expr, const Intrinsic& intrinsic);

  Error error(Place place, const std::string& what, const std::string& why, const std::string& fix) const;
  [[noreturn]] void fail(Place place, const std::string& what, const std::string& why = "",
                         const std::string& fix = "");
  /// The type of argument `i` of a call (0 is the first), unknown if it is absent.
  Type argument(const Expr& call, size_t i) const;
  bool has(const Expr& call, size_t i) const;
  /// Axes of a shape argument: an integer or a tuple of integers.
  int shape_ndim(Expr& call, size_t i);
  Dtype dtype_argument(Expr& call, size_t i, Dtype otherwise);
  /// An array of the records that argument i names as its dtype; unknown if that is none of records.
  Type records_argument(const Expr& call, size_t i, int ndim);
  /// An error if `array` may not be written.
  void want_writable(const Expr& array);
  void want_scalar(const Expr& call, size_t i);
  void want_arguments(const Expr& call, const Intrinsic& intrinsic, size_t n);
  void want_number_text(const Expr& expr, const std::string& text, Dtype dtype);

  TypedUnit& unit_;
  const std::vector<Overload>& overloads_;
  const std::map<std::string, Class>& classes_;
  const Met& met_;
  TypedFunction* function_ = nullptr;
  bool changed_ = false;
  bool is_result_ = false;  ///< the tuple that is visited next is returned: its items may be None
  bool knows_nones_ = false;  ///< variables that are None alone are known to be
  bool is_last_ = false;  ///< the walk in which nothing may be unknown
};

/// Whether values of the type are of one of the classes ("int,ndarray"), if that is known.
std::optional<bool> is_of(const Type& type, const std::string& classes);

/// The name of the method that an operator of two operands calls of the first one; null of `is` and `in`.
const char* method_of(Operator op);
/// Whether an expression that is read twice gives one value: a name, or a field of an object that has one.
bool can_be_read_twice(const Expr& e);

/// The type of `a op b`; nothing if there is none.
std::optional<Type> binary_type(Operator op, const Type& a, const Type& b, const Expr* right);

/// The name of the field that `x.name` or `x["name"]` means, if x is a record or an array of records; else "".
std::string field_name(const Expr& expr);

/// A name from outside that means this.
ExprPtr global_expr(const Binding& binding, const std::string& text, Place place);
/// np.array(values)
ExprPtr row_of(ExprPtr values);

/// The value of a constant expression (a literal, a global number, -literal, n * 2), if it is an integer.
std::optional<int64_t> constant_int(const Expr& expr);

/// Whether kasoku/_library/indices.py does it: the index array is one of several, or the array has more axes.
bool needs_library(const Type& object, size_t n_items, const Type& index);

/// The items that a slice takes of a tuple of n; nothing if a part of the slice is no constant.
std::optional<std::vector<int64_t>> tuple_slice(const Expr& slice, int64_t n);

/// The shape that broadcasting two arrays gives is only known at run time; its
/// number of axes and whether the result is elementwise is known here.
Type elementwise_type(Dtype dtype, const std::vector<Type>& operands);

}  // namespace kasoku::jit
