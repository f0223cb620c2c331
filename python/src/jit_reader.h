/// \file python/src/jit_reader.h
/// The reader behind read_function(): functions, parameters (jit_read.cpp), what outside names mean
/// (jit_names.cpp), nodes of the ast (jit_syntax.cpp), functions inside a function (jit_inner.cpp).
#pragma once

#include "jit_read.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace kasoku {

/// A class of the module `ast`.
nb::handle ast_class(const char* name);
std::string describe(nb::handle object);

/// (ast node, file, lines from the node's on) of a function.
nb::tuple source_of(nb::handle function);

/// The module kasoku._scopes.
nb::object scopes();

class Reader {
 public:
  explicit Reader(const jit::Options& options) : options_(options), unit_(std::make_shared<jit::Unit>()) {}

  ReadFunction run(const JitObject& root) {
    read(root, true);
    read_overloads();
    name_caught();
    unit_->n_hidden = static_cast<int>(arrays_.size());
    return {unit_, std::move(dependencies_), std::move(arrays_), std::move(raised_)};
  }

 private:
  /// A function that a function defines; none if its name has several meanings.
  struct Inner {
    nb::object node;
    const jit::Function* function;
  };
  struct Frame;
  /// What a yield becomes in a generator that a loop runs over: a turn of that loop.
  struct Yields {
    nb::object loop, code;  ///< the loop's node; the generator's code
    Frame* around;          ///< the function that runs over it
    std::string counter;    ///< what enumerate() counts with; "" without it
    int whole = -1;         ///< the block that is the loop
  };
  /// The function being read.
  struct Frame {
    jit::Function* function;
    nb::object python;
    nb::dict globals;
    std::map<std::string, nb::object> cells;
    std::set<std::string> locals;
    int def_line = 1;
    std::map<std::string, Inner> inner{};
    Frame* outer = nullptr;  ///< of a function that another defines
    std::vector<std::string> caught{};  ///< names of the exceptions of the except blocks around, "" without one
    struct Loop {
      int whole = -1, turn = -1;
    };
    std::vector<Loop> loops{};  ///< around: of those over generators, the blocks that break and continue leave
    // Of a generator whose body is read into a function that runs over it:
    const Yields* yields = nullptr;
    std::string prefix{};  ///< of its variables there
    int end = -1;          ///< the block that it returns from
    jit::Place at{};       ///< of the loop
  };

  const jit::Function* read(const JitObject& object, bool is_jitted);
  jit::Place place(nb::handle node) const;
  [[noreturn]] void fail(nb::handle node, const std::string& what, const std::string& fix = "") const;
  void parameters(nb::handle args);
  void refuse_kwargs(nb::handle args) const;
  void add_rest(nb::handle args);

  nb::object look_up(const std::string& name, nb::handle node);
  /// A name of a program, which may bind it to something else; those of the library stay as they are.
  void depends_on(const nb::dict& globals, nb::object name, const nb::object& value);
  void depends_on_one(const nb::object& container, const nb::object& name, const nb::object& value);
  jit::Binding classify(nb::object object, const std::string& name, int depth = 0);
  jit::Binding classify_known(nb::object object, const std::string& name, int depth);
  /// Which of the hidden arguments an array outside is; a new one if it was none yet.
  int hidden_argument(nb::object array);
  /// The function that makes an instance of a class with typed fields; null for any other object. Its methods are read
  /// with it.
  const jit::Function* maker_of(nb::handle cls);
  /// What an object is compiled to that is a function, also of the library of functions in Python; else null.
  const jit::Function* function_of(nb::object object);
  /// What a program overloads under this key (a function, or ".name" of a method); "" if it does not.
  std::string overloaded(nb::handle key);
  /// The functions that overloads have given until now.
  void read_overloads();
  jit::ExprPtr global(nb::object object, const std::string& name, nb::handle node);
  /// math.sqrt, np.random.rand, settings.N: the object at compile time, if the root is outside.
  nb::object resolve(nb::handle node);
  /// Functions and array methods that are written in Python (kasoku/_library.py).
  static nb::object library();
  /// A function of one of its modules.
  jit::ExprPtr written(const char* module, const std::string& name, nb::handle node);
  /// x.flags.c_contiguous and np.finfo(x.dtype).eps as calls of the library; null for any other attribute.
  jit::ExprPtr attribute_call(nb::handle node);
  /// f(g(x)) with a generator g(x): f, in which a variable keeps it; null for any other call.
  jit::ExprPtr call_with_generators(nb::handle node);

  /// Finds the functions that a function defines.
  void collect_inner(nb::handle node);
  Inner* inner(const std::string& name, Frame*& home);
  /// Variables of `home` that the function reads, itself or through others.
  std::set<std::string> captured(nb::handle node, Frame* home, std::set<PyObject*>& seen);
  const jit::Function* read_inner(nb::handle node, const std::string& name, Frame* home, std::vector<std::string>& names);
  void inner_parameters(nb::handle args);
  jit::Block returning(nb::handle lambda);
  /// A name that means a function inside; null if it does not. `names`: what a call gives it besides its arguments.
  jit::ExprPtr inner_value(nb::handle node, const std::string& name, bool is_called, std::vector<std::string>& names);
  jit::ExprPtr function_value(nb::handle node, const std::string& name, nb::handle function, Frame* home,
                              bool is_called, std::vector<std::string>& names);
  void give(jit::Expr& call, const std::vector<std::string>& names, nb::handle node);
  jit::ExprPtr made_call(nb::tuple function_and_arguments, nb::handle node);
  jit::ExprPtr comprehension(nb::handle node);
  /// list(…), sorted(…) as what makes the list; null for any other call.
  jit::ExprPtr list_call(nb::handle node);
  /// sum(… for …), min(f(…)) of a generator as the loop that it is; null for any other call.
  jit::ExprPtr folded_call(nb::handle node);
  jit::ExprPtr text_of_parts(nb::handle node);  ///< of an f-string
  jit::ExprPtr text_of_part(nb::handle node);
  /// dict(), set(…), Dict.empty(…) as displays and comprehensions; null for any other call.
  jit::ExprPtr dict_call(nb::handle node);
  jit::ExprPtr dtype_call(nb::handle node);

  /// isinstance(x, (int, np.ndarray)) with the classes' names as a text; null for any other call.
  jit::ExprPtr isinstance_call(nb::handle node);

  /// np.issubdtype(x.dtype, np.floating) as a comparison with dtypes; null for any other call.
  jit::ExprPtr issubdtype_call(nb::handle node);

  /// A call that the library (kasoku/_library) has a function for; null for any other.
  jit::ExprPtr library_call(nb::handle node);
  const char* index_function(nb::handle subscript);
  /// An exception is made by Python, of values that the statement gives: `message` is a tuple of them, `text` is "#" and
  /// the exception's number.
  void raise(jit::Stmt& stmt, nb::handle exception);
  /// try (jit_try.cpp): with finally, a statement in another's body.
  jit::StmtPtr try_statement(nb::handle node);
  void raise_statement(jit::Stmt& stmt, nb::handle node);
  /// Which raise statements each except catches, when all are read.
  void name_caught();

  /// The statements of a loop over a generator (jit_generator.cpp); false if it is another loop.
  bool generator_loop(nb::handle node, jit::Block& out);
  /// The tree of a function with the steps of the generators that it keeps in variables (_generators.py).
  nb::object with_generators(nb::handle python, nb::handle node);
  /// The function that a call calls, if that is a generator.
  nb::object generator_of(nb::handle call);
  void yield(nb::handle value, jit::Block& out);
  /// Blocks that can be left; one that nothing leaves is its statements.
  int begin_block();
  void end_block(int number, jit::Block inside, jit::Place place, jit::Block& out);
  void leave(jit::Stmt& stmt, int number);

  static std::map<std::string, nb::object> cells_of(nb::handle python);
  static std::set<std::string> locals_of(nb::handle python);
  static jit::Operator operator_of(nb::handle op);
  static std::string describe_syntax(const std::string& kind);
  jit::ExprPtr optional(nb::handle node) { return node.is_none() ? nullptr : expr(node); }
  jit::ExprPtr expr(nb::handle node);
  jit::ExprPtr constant(nb::handle node);
  jit::ExprPtr name_or_global(nb::handle node);
  jit::ExprPtr subscript(nb::handle node);
  jit::ExprPtr unary(nb::handle node);
  jit::ExprPtr dict_display(nb::handle node);
  jit::ExprPtr call(nb::handle node);
  /// `*value` in a call. A value without a name gets one, from which the arguments after the first come.
  jit::ExprPtr starred_argument(nb::handle node);
  jit::Block block(nb::handle nodes);
  void match(nb::handle node, jit::Block& out);
  jit::StmtPtr starred_assignment(nb::handle node);
  jit::StmtPtr assertion(nb::handle node);
  jit::StmtPtr deletion(nb::handle node);
  void augmented_assignment(jit::Stmt& stmt, nb::handle node);
  jit::StmtPtr statement(nb::handle node);

  const jit::Options options_;
  std::shared_ptr<jit::Unit> unit_;
  std::map<std::pair<PyObject*, PyObject*>, const jit::Function*> read_;
  std::vector<Dependency> dependencies_;
  std::vector<nb::object> arrays_, raised_;
  std::vector<bool> left_;  ///< of each block whether something leaves it
  int n_given_ = 0;  ///< values that have no name of their own: *arguments, what a match asks about
  std::set<std::string> overloaded_;
  std::vector<nb::object> raised_classes_;  ///< of each of raised_; none if it is not known
  struct Except { jit::Stmt* stmt; nb::object classes; const jit::Function* function; };
  std::vector<Except> excepts_;
  std::map<PyObject*, const jit::Function*> inner_read_;
  std::vector<nb::object> keep_;  ///< nodes made here, so that their addresses stay their own
  Frame* frame_ = nullptr;
};

}  // namespace kasoku
