/// \file python/src/jit_reader.h
/// The reader behind read_function(): functions, parameters (jit_read.cpp), what outside names mean
/// (jit_names.cpp), nodes of the ast (jit_syntax.cpp).
#pragma once

#include "jit_read.h"

#include <map>
#include <set>
#include <string>

namespace kasoku {

/// A class of the module `ast`, and the name of a node's.
nb::handle ast_class(const char* name);
std::string class_name(nb::handle node);
std::string describe(nb::handle object);

class Reader {
 public:
  explicit Reader(const jit::Options& options) : options_(options), unit_(std::make_shared<jit::Unit>()) {}

  ReadFunction run(const JitObject& root) {
    read(root, true);
    unit_->n_hidden = static_cast<int>(arrays_.size());
    return {unit_, std::move(dependencies_), std::move(arrays_)};
  }

 private:
  /// The function being read.
  struct Frame {
    jit::Function* function;
    nb::object python;
    nb::dict globals;
    std::map<std::string, nb::object> cells;
    std::set<std::string> locals;
    int def_line = 1;
  };

  const jit::Function* read(const JitObject& object, bool is_jitted);
  jit::Place place(nb::handle node) const;
  [[noreturn]] void fail(nb::handle node, const std::string& what, const std::string& fix = "") const;
  void parameters(nb::handle args);

  nb::object look_up(const std::string& name, nb::handle node);
  jit::Binding classify(nb::object object, const std::string& name, int depth = 0);
  jit::ExprPtr global(nb::object object, const std::string& name, nb::handle node);
  /// math.sqrt, np.random.rand, settings.N: the object at compile time, if the root is outside.
  nb::object resolve(nb::handle node);
  /// Functions and array methods that are written in Python (kasoku/_library.py).
  static nb::object library();

  static jit::Operator operator_of(nb::handle op);
  static std::string describe_syntax(const std::string& kind);
  jit::ExprPtr optional(nb::handle node) { return node.is_none() ? nullptr : expr(node); }
  jit::ExprPtr expr(nb::handle node);
  jit::Block block(nb::handle nodes);
  jit::StmtPtr statement(nb::handle node);

  const jit::Options options_;
  std::shared_ptr<jit::Unit> unit_;
  std::map<std::pair<PyObject*, PyObject*>, const jit::Function*> read_;
  std::vector<Dependency> dependencies_;
  std::vector<nb::object> arrays_;
  Frame* frame_ = nullptr;
};

}  // namespace kasoku
