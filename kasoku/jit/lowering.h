/// \file kasoku/jit/lowering.h
/// The class behind lower() that writes a function.
#pragma once

#include "kasoku/jit/lowered_parts.h"
#include "kasoku/jit/sign.h"

#include <fmt/format.h>

#include <optional>

namespace kasoku::jit {

class FunctionLowering {
 public:
  FunctionLowering(UnitLowering& unit, int index, bool on_device);
  void run();

 private:
  // --- text -------------------------------------------------------------------------------
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    write_line(format, fmt::make_format_args(args...));
  }
  void write_line(fmt::string_view format, fmt::format_args args);
  /// Lines of text that is indented by at least one step.
  void lines(std::string_view text);
  /// Returns the text that `write` writes at this indentation, instead of adding it to the function's.
  std::string written(int indent, const std::function<void()>& write);
  /// Remembers the type of a temporary that the line defines: a kernel may capture it.
  void note_definition(std::string_view line);
  void open(const std::string& head) { line("{} {{", head); ++indent_, ++epoch_; }
  void close(const char* tail = "") { --indent_, ++epoch_; line("}}{}", tail); }
  std::string temp(const char* stem = "t") {
    if (++n_temps_ == 64) ++n_temps_;  // ks_i64 and ks_u64 are types
    return fmt::format("ks_{}{}", stem, n_temps_);
  }
  const std::string& name_of(int variable) const { return names_[variable]; }
  const Variable& variable_of(const Expr& name) const { return fn_.variables[name.variable]; }
  std::string parameter_list() const;
  void declare(const std::string& name, const Type& type);
  void keep(const std::string& name, const Type& type);
  void retain(const std::string& name, const Type& type);
  void assign(const std::string& to, const Type& type, const Val& from);
  std::string fail_return() const { return fail_; }
  void fail_if(const std::string& condition, const std::string& call);
  void remark(Place place, const std::string& text);
  [[noreturn]] void error(Place place, const std::string& what, const std::string& fix = "");

  // --- statements (lower_statement.cpp) -------------------------------------------------------------
  void block(const Block& statements);
  void statement(const Stmt& stmt);
  void mark(Place place);  ///< a #line: the next lines are of this one
  std::vector<Val> unpacked(const Val& value, const Expr& target);
  void store(const Expr& target, const Val& value);
  void assignment(const Stmt& stmt);
  void augmented(const Stmt& stmt);
  void augmented_array(const Stmt& stmt, const Val& to);
  void return_statement(const Stmt& stmt);
  /// Notes whether what is divided by is 0: for check_zero(), or at once where a handler may look.
  void test_zero(const std::string& divisor, Place place);
  /// The test of a name that may have no value here.
  void want_value(const Expr& name);
  void check_zero();

  // --- try (lower_try.cpp) --------------------------------------------------------------------------
  void try_statement(const Stmt& stmt);
  void finally_statement(const Stmt& stmt);
  /// The body, whose failures are written into the record `tried` and end at `label`.
  void tried_block(const Block& body, const std::string& tried, const std::string& label);
  void pass_on(const std::string& tried);
  void raise_statement(const Stmt& stmt);
  /// A break or continue, through the finally blocks around it.
  void jump(StmtKind kind, Place place);
  /// A return through the finally blocks around it, or what comes after them.
  void return_through(const Val& value);
  void return_pending();
  /// A finally whose body is being written: where its text begins, and how the body was left (bits of Way).
  void block_statement(const Stmt& stmt);
  void leave_statement(const Stmt& stmt);
  struct Left {
    std::string label;
    size_t n_finals;
    bool is_parallel;
  };
  struct Final { std::string label, way; size_t n_loops; int ways; };
  enum Way { way_return = 1, way_break = 2, way_continue = 4 };
  void leave(Final& final, Way way);
  /// Whether a loop may go on after a division by zero: nothing that sees how far it came.
  bool may_defer() const { return !options_.is_cuda && options_.python_errors && !unit_.has_try; }

  // --- kernels of a host program (lower_region.cpp) ------------------------------------------
  /// Arrays are elsewhere, and we write what the host does about it.
  bool uses_graph() const { return unit_.offloads && !on_device_; }
  /// An element's value: the host's own copy if it lies elsewhere.
  std::string loaded(const std::string& element, Dtype dtype) const {
    return uses_graph() ? fmt::format("(({})({}){})", text_of(dtype), memory_text(dtype), element) : element;
  }
  struct Kernel {
    std::string name, head, body, tail;
    std::vector<std::pair<std::string, std::string>> results;  ///< name and type, "T x[n]" as "T[n]"
    std::set<std::string> own;                                 ///< defined inside, whatever is outside
    std::string captured, returned;                            ///< the host's variables
  };
  /// Writes `write`'s text as a kernel and its launch on the host: n iterations in chunks (of one
  /// block each; 0: a thread each; -1: all on one thread).
  void launch_kernel(Kernel& kernel, Place place, const std::string& n, const std::string& chunk,
                     const std::function<void()>& write);
  bool suits_one_thread(const Stmt& loop, bool is_serial_prange = false) const;
  void one_thread(const Stmt& loop);

  struct Random {
    std::string stream = {}, element = {}, site = {};  ///< texts; site is a base
    int n_sites = 0;
    std::string half = {};  ///< the second uniform of a pair, good while epoch_ is half_epoch
    int half_epoch = -1;
    std::string words = {};  ///< of a call, for float32, of which n_taken are used up; good while epoch_ is words_epoch
    int n_taken = 0, words_epoch = -1;
    bool shares_calls = false;        ///< two iterations of the loop are served by one
    std::vector<std::string> shared = {};  ///< then what an iteration has of it, and has not drawn yet
  };

  // --- loops (lower_loop.cpp) -------------------------------------------------------------
  void for_loop(const Stmt& stmt);
  void while_loop(const Stmt& stmt);
  void range_loop(const Stmt& stmt, const Expr& range);
  void range_loop_body(const Stmt& stmt, const Val bounds[3], std::optional<int64_t> step);
  void array_loop(const Stmt& stmt);
  /// The flag of a break, where an else asks for it; end_loop() ends what it began, with the else.
  void begin_loop(const Stmt& stmt);
  void end_loop(const Stmt& stmt, const Random& outer, int used_sites);
  // --- what a loop runs over (lower_iterable.cpp) ------------------------------------------
  struct Iterable {
    std::string length;                                ///< how many turns
    std::function<Val(const std::string&)> item;       ///< of the turn whose number this text is
    bool changes = false;                              ///< the length, in the loop
  };
  Iterable iterable(const Expr& expr);
  Iterable enumerated(const Expr& call);
  Iterable zipped(const Expr& call);
  Iterable places_of_shape(const Expr& call);
  Iterable places_and_elements(const Expr& call);
  Iterable numbers_of_range(const Expr& call);
  /// The "keys", "values" or "items" of a dict or a set (lower_dict.cpp).
  Iterable entries(const Expr& container, const std::string& what, Place place);
  Iterable letters(const Val& value);
  Iterable items_of_tuple(const Val& tuple);
  Iterable items_of_list(const Val& value);
  Iterable rows_of_array(const Val& array);
  // --- prange (parallel.cpp) --------------------------------------------------------------
  struct Reduction;
  struct Parallel;
  void parallel_loop(const Stmt& stmt, const Val bounds[3], std::optional<int64_t> step);
  Parallel variables_of(const Stmt& stmt);
  void iteration(const Stmt& stmt, const Val bounds[3], std::optional<int64_t> step, const std::string& k, const Parallel& loop);
  std::map<int, std::string> declare_own(const Parallel& loop);
  std::set<int> outer_lists(const Stmt& stmt, const Parallel& loop) const;
  std::string join_text(const Reduction& reduction, const std::string& a, const std::string& b) const;
  void pool_loop(const Stmt& stmt, const Val bounds[3], std::optional<int64_t> step, const Parallel& loop, const std::string& n,
                 const std::string& chunk, const std::string& k);
  void device_loop(const Stmt& stmt, const Val bounds[3], std::optional<int64_t> step, const Parallel& loop, const std::string& n,
                   const std::string& chunk, const std::string& k);
  void pairs_of_rows(const std::string& k, const std::function<void()>& turn);
  void loop_body(const Stmt& stmt, const std::function<void()>& head);
  /// Leaves the function, or the chunk, if that is asked for: by loops at each turn, but by those
  /// with short turns between strips of them, so that LLVM finds nothing in the loop.
  void leave_if_asked();
  /// Leaves as well if a call before, which has no exit of its own, has failed.
  void leave_if_failed();
  enum class Leaves { never, at_each_turn, between_strips };
  Leaves leaves(const Stmt& loop) const;
  /// A turn over the block is short.
  bool is_quick(const Block& body) const;
  bool is_quick(const Block& body, std::set<int>& seen) const;
  /// A draw, or a call of a function that draws.
  bool draws_here(const Expr& e) const;
  /// The draws of a loop over `counter`; `condition` is evaluated in each turn.
  Random enter_random(const Block& body, const std::string& counter, const Expr* condition = nullptr);
  /// Draws from `inner` inside its loop; changes nothing where the loop draws nothing.
  void draw_from(const Random& inner);
  /// At the head of an iteration: the call that it shares, if it has not been made.
  void begin_draws();
  static std::string whole_number(const std::string& counter);
  /// Computes the generator's work on the counter's upper half once: from here to the loop's end all iterations have
  /// the upper half of `first`.
  void share_upper_half(const std::string& first, const std::string& counter);

  // --- bounds (lower_bounds.cpp) ----------------------------------------------------------
  struct Nest;
  /// Condition under which the subscripts put into `proven` are inside their arrays in all
  /// iterations of the loop; empty if there is none.
  std::string prove(const Stmt& loop, const Val bounds[3], std::optional<int64_t> step,
                    std::set<const Expr*>& proven);

  // --- expressions (lower_expr.cpp) -------------------------------------------------------
  Val expr(const Expr& expr);
  Val scalar(const Expr& expr, Dtype dtype);
  std::string text_as(const Expr& expr, Dtype dtype) { return scalar(expr, dtype).text; }
  std::string convert(const Val& value, const Type& type);
  std::string truth(const Expr& expr);
  std::string truth_of(const Val& value);
  Val binary(const Expr& expr);
  /// `may_raise`: a division by zero does, as the options say; not that of NumPy's functions.
  Val combine(Operator op, const Val& a, const Val& b, const Type& type, const Expr* right,
              Place place, bool may_raise = true);
  Val compare(const Expr& expr);
  std::string tuple_equality(const Val& a, const Val& b, Place place);
  std::string tuple_order(Operator op, const Val& a, const Val& b, Place place);
  Val logic(const Expr& expr);
  Val conditional(const Expr& expr);
  Val constant(const Value& value, const Type& type, Place place);
  Val binding(const Binding& binding, const Type& type, Place place);
  Val attribute(const Expr& expr);
  std::string attribute_place(const Expr& expr);  ///< where an instance has the field
  Val object_of(const Expr& subscript);           ///< what is indexed
  Val pin(const Val& value);  ///< into a temporary, unless it is a name
  std::string index_text(const Expr& expr);  ///< an index: plain signed arithmetic

  // --- subscripts (lower_index.cpp) -------------------------------------------------------
  std::string element_of(const Expr& subscript, bool is_store);
  Val subscript(const Expr& expr);
  Val range_subscript(const Expr& expr);
  Val view(const Expr& expr);
  Val gather(const Expr& expr);
  std::string checked_index(const std::string& index, const std::string& array, int axis,
                            const Expr& at, bool is_proven);
  /// A variable with the place in [0, n) that `index` means, or the function fails.
  std::string tested_index(const std::string& index, const std::string& n, const Expr& at, const std::string& of, int axis);

  // --- calls (lower_call.cpp) -------------------------------------------------------------
  Val call(const Expr& expr);
  Val call_function(const Expr& expr);
  Val call_intrinsic(const Expr& expr, const Intrinsic& intrinsic);
  Val call_scalar(const Expr& expr, const Intrinsic& intrinsic);
  Val print(const Expr& expr);  ///< lower_print.cpp

  // --- built-in functions on scalars (lower_builtin.cpp) ----------------------------------
  Val elementwise_call(const Expr& expr, const Intrinsic& intrinsic);
  Val operator_call(const Expr& expr, const Intrinsic& intrinsic);
  Val to_number(const Expr& expr, Handler handler);  ///< int(), float(), bool()
  Val complex_number(const Expr& expr);
  Val length(const Expr& expr);
  Val absolute(const Expr& expr);
  Val rounded(const Expr& expr);
  Val extreme(const Expr& expr, const Intrinsic& intrinsic);
  Val reduce_tuple(const Expr& expr, ReduceOp op);
  Val logarithm(const Expr& expr);
  Val mantissa_and_exponent(const Expr& expr);
  Val hypotenuse(const Expr& expr);
  Val selected(const Expr& expr);
  Val clipped(const Expr& expr);
  Val only_element(const Expr& expr);
  Val seed(const Expr& expr);
  Val thread_count_or_number(const Expr& expr, Handler handler);
  /// A ks_range with the arguments of range() or prange(); its name.
  std::string range_value(const Expr& call);
  std::string elementwise(const Intrinsic& intrinsic, Dtype promoted, const std::vector<Val>& operands);

  // --- random draws (lower_random.cpp) ----------------------------------------------------
  Val call_random(const Expr& expr, Handler handler);
  std::string draw(const Expr& expr, Handler handler);
  std::string uniform();
  std::string uniform_float();
  /// A float32 made of a uniform draw at once: 32 random bits do.
  bool is_float_draw(const Expr& expr) const;
  /// Whether each iteration draws one or two such floats, and nothing else.
  bool shares_calls(const Block& body) const;
  /// The numbers that an iteration takes from a generator call that two share; `is_second` tells which of the two it
  /// is.
  void share_call(const std::string& words, const std::string& is_second);

  // --- words of kernels (lower_cuda.cpp) --------------------------------------------------
  Val call_cuda(const Expr& expr, Handler handler);
  Val grid_position(const Expr& expr, Handler handler);
  Val kernel_array(const Expr& expr, Handler handler);
  Val barrier_vote(const Expr& expr, Handler handler);
  Val warp_vote(const Expr& expr, Handler handler);
  Val shuffle(const Expr& expr, Handler handler);
  Val match_lanes(const Expr& expr, Handler handler);
  Val lanes_agree(const Expr& expr);
  Val bit_reversed(const Expr& expr);
  Val bits_counted(const Expr& expr, Handler handler);
  Val atomic(const Expr& expr, Handler handler);
  Val compare_and_swap_first(const Expr& expr);
  Val xoroshiro(const Expr& expr, Handler handler);
  /// Argument `i` of a call as an int64; `otherwise` if it is absent.
  std::string int_argument(const Expr& call, size_t i, const char* otherwise);
  std::string lane_mask(const Expr& call);  ///< the first argument; all lanes if it is absent

  // --- lists (lower_list.cpp) ---------------------------------------------------------------
  Val made_list(const Type& type, const std::string& text, Place place);
  Val list_display(const Expr& expr);
  Val list_binary(const Expr& expr);
  Val list_subscript(const Expr& expr);
  Val list_call(const Expr& expr, Handler handler);
  Val array_of_list(const Expr& expr);
  std::string list_index(const Expr& at, const Val& list, bool is_popped = false);
  std::string slice_of(const Expr& slice, const std::string& length, Place place);  ///< a variable with a ks_slice
  void list_store(const Expr& target, const Val& value);
  /// An item's owner is the name that is returned.
  Val owned_item(const std::string& text, const Type& type);
  void put(const std::string& call, Place place);  ///< a call that is false if there is no memory
  /// An error if the list is one of all iterations of a parallel loop.
  void want_own(const Expr& list, Place place);

  // --- texts (lower_string.cpp) ---------------------------------------------------------------------
  static constexpr int string_axis = -2;  ///< what an IndexError of a text says in the place of an axis
  Val string_of(const Val& value);  ///< of a text, known when compiling or not
  Val made_string(const std::string& function, const std::string& arguments, Place place);
  Val string_combined(Operator op, const Val& a, const Val& b, Place place);
  std::string string_compared(Operator op, const Val& a, const Val& b);
  Val string_subscript(const Expr& e);
  Val string_call(const Expr& e, Handler handler);
  Val asked_of_python(const std::string& method, const std::vector<Val>& given);
  Val formatted(const Val& value, const Val& spec, Place place);
  Val string_method(const Expr& e, const Intrinsic& row);
  Val number_of(const Val& text, const Type& type, Place place);  ///< int(text), float(text)

  // --- records (lower_record.cpp) ---------------------------------------------------------------
  Val field(const Expr& expr, const std::string& name);
  std::string field_address(const Expr& expr, const std::string& name);
  void field_store(const Expr& target, const Val& value);
  void field_augmented(const Stmt& stmt);
  void record_store(const Expr& target, const Val& value);

  // --- dicts and sets (lower_dict.cpp) ---------------------------------------------------------
  Val made_dict(const Type& type, const std::string& text, Place place);
  Val dict_display(const Expr& expr);
  Val dict_subscript(const Expr& expr);
  void dict_store(const Expr& target, const Val& value);
  void dict_augmented(const Stmt& stmt);
  Val dict_call(const Expr& expr, Handler handler);
  Val set_call(const Expr& expr, Handler handler);
  Val set_binary(const Type& type, Operator op, const Val& a, const Val& b, Place place);
  /// `what`: "keys", "values" or "items", as a list.
  Val listed(const Val& container, const std::string& what, Place place);
  /// The value converted, as an operand of `type` itself.
  std::string typed(const Val& value, const Type& type);
  std::string key_of(const Val& key, const Type& container);
  /// A variable with the number of the key's entry, or -1; the function fails where it is.
  std::string found_key(const Val& container, const Val& key);
  void want_found(const std::string& at, const Val& key, const Type& container, Place place);
  std::string container_compared(Operator op, const Val& a, const Val& b);

  // --- arrays without memory (lower_defer.cpp) --------------------------------------------
  bool defers(const Block& statements, size_t at) const;
  int fused_readers(const Expr& e, int variable, bool is_inside) const;

  // --- array expressions on a device (lower_graph.cpp) ----------------------------------------
  std::string node(const std::string& call);
  std::string cast_node(const std::string& x, Dtype from, Dtype to);
  std::string apply_node(Op op, Dtype result, const std::vector<std::string>& operands);
  std::string number_node(const std::string& value, Dtype dtype);
  std::string leaf_node(const Val& array);
  std::string power_node(std::string base, int64_t exponent, Dtype dtype);
  std::string full_node(const std::string& value, Dtype dtype, int ndim, const std::string& shape, Place place);
  std::string random_node(const Expr& expr, Handler handler);
  std::string graph(const Expr& expr);
  std::string graph_as(const Expr& expr, Dtype dtype, bool is_stored = false);
  std::string graph_call(const Expr& expr, const Intrinsic& row,
                         const std::function<std::string(Operator, const Expr&, const Expr&)>& binary_node);
  void with_graph(Place place, const std::function<void()>& make);
  Val graph_array(const Expr& expr);
  std::string graph_value(const std::string& node, Dtype dtype);
  void graph_store(const Val& target, const Expr& value, Place place);
  void graph_update(Operator op, const Val& target, const Expr* mask, const Expr& value, Place place);
  void graph_masked_store(const Val& target, const Expr& mask, const Expr& value, Place place);
  Val graph_matmul(const Expr& a, const Expr& b, const Type& type, Place place);
  Val graph_reduction(const Expr& expr, const Intrinsic& row);

  // --- numbers beside arrays of integers (lower_number.cpp) ------------------------------------
  /// Whether the number does not fit into `to`; "" if it always does.
  std::string outside_text(const Expr& number, const std::string& value, Dtype to);
  void want_fit(const Expr& number, const std::string& value, Dtype to);
  /// want_fit() for stores, where numbers of NumPy's own types wrap around, as in NumPy.
  void want_fit_stored(const Expr& number, const std::string& value, Dtype to);
  /// Tests the right operand: a number has to fit into the dtype, and an exponent of integers may not be negative.
  void want_operand(Operator op, const Expr& operand, const Fused& values, Dtype to);
  void want_exponents(const Expr& exponent, const Fused& values, Dtype to);
  /// A float that becomes an integer outside of loops: NaN and what no 64 bits hold are errors.
  Val whole(const Val& value, Place place);
  std::string bound_text(const Expr& number, const std::string& value, Dtype to, bool is_low);
  std::string filled_value(const Expr& number, Dtype to);
  struct Beyond { std::string is_outside, result; };  ///< a comparison with a number that may be outside of the dtype
  std::optional<Beyond> beyond(const Expr& comparison, const std::string& number, Dtype both);

  // --- masks (lower_mask.cpp) ---------------------------------------------------------------
  void want_mask(const std::string& array_shape, const std::string& mask_shape, Place place);
  Val masked(const Fused& fused, Place place);
  void where_masked(const Val& array, const Expr& mask, Place place, const std::function<void(const std::string&)>& change);
  void masked_store(const Expr& target, const Expr& number);
  void masked_augment(const Stmt& stmt);

  // --- arrays (lower_fuse.cpp, lower_array.cpp, lower_reduce.cpp) -----------------------------------------
  struct Range { Dtype dtype; std::string start, step, length; };
  Range arange_bounds(const Expr& expr);
  struct Spread { std::string first, last, step, length; };
  Spread linspace_bounds(const Expr& expr);
  struct Draws { std::string stream, shape, a, b; };
  Draws array_draws(const Expr& expr, Handler handler);
  Val computed(const Expr& expr);
  bool is_fusible(const Expr& expr) const;
  Fused fuse(const Expr& expr);
  class Fusion;  ///< the steps of fuse()
  Fused deferred(int variable);
  /// The body of a function of one element, which gets names of its own for deferred elements.
  std::string returned(const std::function<std::string()>& value);
  Fused leaf(const Expr& expr);
  static Fused array_element(const Val& array);
  static Fused number_element(const Val& number);
  /// `element`: of the element's number in C order.
  Fused generator(const Expr& expr, const std::string& shape, std::function<std::string(const std::string&)> element);
  Fused::Leaf numbers(const Type& type, const std::string& shape);
  std::string shape(const Fused& fused, Place place);
  static std::vector<Fused::Leaf> distinct(const std::vector<Fused::Leaf>& leaves);
  /// Defines the numbers of the loop over `leaves` as loop_text.cpp calls them, `axis` (-1: the last) as its innermost:
  /// flat, all are walked in one go.
  Loop loop_over(const std::vector<Fused::Leaf>& leaves, const std::string& shape, bool is_flat, int axis = -1);
  /// Writes two texts: for operands that all lie in C order without gaps, and for any others.
  void by_layout(const std::vector<Fused::Leaf>& leaves, const std::string& shape, const std::function<void(const Loop&)>& write);
  /// `body` for each element, in C order.
  void elements(const Fused& fused, const std::string& shape, const std::vector<Fused::Leaf>& more,
                const std::function<void(const Index&)>& body, bool may_run_parallel);
  /// The elements' value by the fixed tree of array reductions; the name that holds it.
  std::string fold(const Fused& fused, const std::string& shape, const Fold& fold);
  /// Whether `value` may read what a loop that stores into `target` has already changed; "" if it never does.
  static std::string overlaps(const Val& target, const Fused& value);
  Val materialise(const Fused& fused, Place place);
  void store_array(const Val& target, const Expr& value, Place place);
  void store_fused(const Val& target, const Fused& value, Place place);
  Val reduction(const Expr& expr, const Intrinsic& row);
  Val reduction_along(const Expr& expr, const Intrinsic& row, int axis);
  Val position(const Fused& fused, ReduceOp op, Place place);
  /// Fails where a reduction that has no identity is of no elements.
  void want_elements(ReduceOp op, const std::string& n, Place place);
  Val count(const Fused& fused, Place place);
  Val counted(const Expr& mask, Place place);
  Val matmul(const Expr& a, const Expr& b, const Type& type, Place place);
  Val lapack(const Expr& call);
  Val algorithm(const Expr& call);  ///< lower_algorithm.cpp
  Val drawn(const Expr& call);
  /// The array, or a copy with elements of this dtype.
  Val in_dtype(const Val& array, Dtype dtype, Place place);

  // --- arrays that are made (lower_creation.cpp) ------------------------------------------
  Val creation(const Expr& expr, Handler handler);
  Val as_array(const Expr& expr, Place place);
  Val array_like(const Expr& expr, Handler handler);
  Val array_of_values(const Expr& expr);
  Val transposed(const Expr& expr);
  Val with_axes(const Expr& expr);
  Val strided(const Expr& expr);
  Val viewed(const Expr& expr);
  Val filled(const Expr& expr);
  Val broadcast_view(const Expr& expr);
  Val reshaped(const Expr& expr, Handler handler);
  Val copied(const Expr& expr, const Val& array, Place place);
  void set_shape(const Expr& call, const std::string& view, const std::string& array);
  std::string shape_of(const Expr& argument, int ndim);

  Val argument(const Expr& call, size_t i) { return expr(*call.items[i + 1]); }
  static bool has(const Expr& call, size_t i) {
    return i + 1 < call.items.size() && call.items[i + 1] != nullptr &&
           call.items[i + 1]->type.kind != TypeKind::none;
  }
  Val new_array(const Type& type, const std::string& shape, bool zeroed, Place place);
  void allocate(const std::string& name, const Type& type, const std::string& shape, bool zeroed, Place place);
  /// Writes the text of `write`, which sets `result`; as a function of its own if the text around is long.
  void apart(const std::string& result, const std::function<void()>& write);

  UnitLowering& unit_;
  const int index_;
  const TypedFunction& fn_;
  const Function& source_;
  const Options& options_;
  const bool raises_;  ///< kernels do with debug=True alone
  Effects& effects_;
  std::vector<std::string> names_;
  /// The user's name of the variable that is called `text` in ours; else `text` itself.
  std::string user_name(const std::string& text) const;
  std::string out_;
  std::string line_mark_;             ///< put before each line when checked
  int indent_ = 1;
  int n_temps_ = 0;
  int epoch_ = 0;                     ///< counts the ends and starts of text blocks
  std::string fail_;                  ///< "return {};", in a try statement "goto …"
  std::vector<std::string> caught_;   ///< records of the except blocks around
  std::vector<Final> finals_;
  std::map<int, Left> blocks_;  ///< those that statements around leave, by number
  Random random_;
  bool is_long_ = false;              ///< many array statements: each is a function of its own
  bool is_parallel_ = false;          ///< inside a body that the pool runs
  std::vector<int> own_lists_;        ///< variables that each iteration of that body has for itself
  int loop_depth_ = 0;
  int defer_zero_ = 0;                ///< inside a loop that vectorises: test after it
  bool has_zero_ = false;             ///< a test of ks_zero is due
  bool no_versions_ = false;          ///< inside the checked copy of a loop
  std::set<const Expr*> proven_;
  const std::vector<bool> nonnegative_;  ///< variables
  std::vector<std::string> breaks_;   ///< per loop: the flag that a break sets, or ""
  std::map<int, const Expr*> deferred_;  ///< array variables that live only in an expression
  std::map<int, Fused> deferred_fused_;  ///< the same, once they were asked for
  std::map<int, std::string> deferred_nodes_;
  /// The deferred elements that the text around has named: in lines before it, or in `text`.
  struct Named {
    bool is_loop = false;
    std::map<int, std::string> names = {};
    std::string text = {};
  };
  Named* named_ = nullptr;
  const bool is_kernel_code_;         ///< the function is one of the device program
  bool on_device_;                    ///< what is written now is
  bool in_one_thread_ = false;        ///< a kernel that the loop is all of
  std::map<std::string, std::string> scope_;  ///< types of what is defined on the host
};

}  // namespace kasoku::jit
