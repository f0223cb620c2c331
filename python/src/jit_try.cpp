/// \file python/src/jit_try.cpp
/// try and raise. What an except catches is known when compiling: the classes of its own, those of all raise
/// statements that the function reaches, and those of what compiled code raises by itself.
#include "jit_reader.h"
#include "kasoku/base/error.h"

#include <fmt/format.h>

#include <algorithm>

namespace kasoku {

using namespace jit;

namespace {

/// What compiled code raises by itself: names as failure_name() says them, and their classes.
nb::object own_class(const char* name) {
  nb::object errors = nb::module_::import_("kasoku.errors");
  return nb::hasattr(errors, name) ? nb::object(errors.attr(name)) : nb::object(nb::module_::import_("builtins").attr(name));
}

bool is_subclass(nb::handle derived, nb::handle classes) {
  const int is = PyObject_IsSubclass(derived.ptr(), classes.ptr());
  if (is < 0) throw nb::python_error();
  return is == 1;
}

}  // namespace

StmtPtr Reader::try_statement(nb::handle node) {
  if (options_.is_cuda) fail(node, "try cannot be compiled in a kernel: its threads catch no exceptions", "test for the case with if");
  StmtPtr stmt = make_stmt(StmtKind::try_, place(node));
  stmt->body = block(node.attr("body"));
  nb::object exceptions = nb::module_::import_("builtins").attr("BaseException");
  for (nb::handle handler : node.attr("handlers")) {
    nb::object asked = handler.attr("type");
    nb::list classes;
    nb::object all = asked.is_none() ? nb::object(nb::make_tuple()) : class_name(asked) == "Tuple" ? nb::object(asked.attr("elts")) : nb::object(nb::make_tuple(asked));
    if (asked.is_none()) classes.append(exceptions);
    for (nb::handle each : all) {
      nb::object found = resolve(each);
      const nb::object parts = found.is_valid() && PyTuple_Check(found.ptr()) ? found : nb::object(nb::make_tuple(found.is_valid() ? found : nb::none()));
      for (nb::handle part : parts) {
        if (!PyType_Check(part.ptr()) || !is_subclass(part, exceptions)) fail(each, "except names classes of exceptions that are known when compiling");
        classes.append(part);
      }
    }
    StmtPtr except = make_stmt(StmtKind::except_, place(handler));
    excepts_.push_back({except.get(), nb::tuple(classes), frame_->function});
    frame_->caught.push_back(handler.attr("name").is_none() ? "" : nb::cast<std::string>(handler.attr("name")));
    except->body = block(handler.attr("body"));
    frame_->caught.pop_back();
    stmt->orelse.push_back(std::move(except));
  }
  if (nb::len(nb::object(node.attr("orelse")))) {
    stmt->orelse.push_back(make_stmt(StmtKind::else_, stmt->place));
    stmt->orelse.back()->body = block(node.attr("orelse"));
  }
  if (!nb::len(nb::object(node.attr("finalbody")))) return stmt;
  StmtPtr outer = make_stmt(StmtKind::finally_, stmt->place);
  if (stmt->orelse.empty()) outer->body = std::move(stmt->body);
  else outer->body.push_back(std::move(stmt));
  outer->orelse = block(node.attr("finalbody"));
  return outer;
}

void Reader::raise_statement(Stmt& stmt, nb::handle node) {
  stmt.kind = StmtKind::raise;
  nb::object raised = node.attr("exc");
  const std::vector<std::string>& caught = frame_->caught;
  const auto level_of = [&](nb::handle name) {
    const auto found = std::find(caught.rbegin(), caught.rend(), class_name(name) == "Name" ? nb::cast<std::string>(name.attr("id")) : "\n");
    return found == caught.rend() ? -1 : static_cast<int>(found - caught.rbegin());
  };
  if (raised.is_none() && caught.empty()) fail(node, "raise without an exception cannot be compiled outside of except");
  stmt.level = raised.is_none() ? 0 : level_of(raised);
  if (stmt.level < 0) raise(stmt, raised);
}

void Reader::name_caught() {
  constexpr const char* names[] = {"IndexError", "ZeroDivisionError", "ValueError", "MemoryError", "AssertionError", "KeyError", "TypeError", "RuntimeError", "OverflowError", "UnboundLocalError", "RecursionError"};
  nb::object base = nb::module_::import_("builtins").attr("BaseException");
  for (const Except& each : excepts_) {
    each.stmt->text = ",";
    for (const char* name : names)
      if (is_subclass(own_class(name), each.classes)) each.stmt->text += fmt::format("{},", name);
    for (size_t i = 0; i < raised_.size(); ++i) {
      const nb::object& known = raised_classes_[i];
      if (!known.is_none() ? is_subclass(known, each.classes) : is_subclass(base, each.classes)) each.stmt->text += fmt::format("#{},", i);
      else if (known.is_none())
        throw Error(ErrorKind::type, "whether this except catches what is raised is not known when compiling")
            .at(place_text(*each.function, each.stmt->place))
            .why("a raise statement says no class by its name")
            .fix("raise Class(...), or except without a class");
    }
  }
}

}  // namespace kasoku
