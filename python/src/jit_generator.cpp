/// \file python/src/jit_generator.cpp
/// A loop over a generator function: the function's body, in which the loop's stands at each yield.
#include "jit_reader.h"
#include "kasoku/base/error.h"
#include "kasoku/jit/infer.h"

#include <fmt/format.h>

namespace kasoku {

using namespace jit;

namespace {

ExprPtr combined(ExprKind kind, ExprPtr a, ExprPtr b, Place place) {
  ExprPtr e = make_expr(kind, place);
  e->items.push_back(std::move(a)), e->items.push_back(std::move(b));
  return e;
}

StmtPtr assigned(const std::string& name, ExprPtr value) {
  StmtPtr stmt = make_stmt(StmtKind::assign, value->place);
  stmt->targets.push_back(make_name(name, value->place));
  stmt->expr = std::move(value);
  return stmt;
}

}  // namespace

int Reader::begin_block() {
  left_.push_back(false);
  return static_cast<int>(left_.size()) - 1;
}

void Reader::end_block(int number, Block inside, Place place, Block& out) {
  if (!left_[static_cast<size_t>(number)]) return std::move(inside.begin(), inside.end(), std::back_inserter(out)), void();
  out.push_back(make_stmt(StmtKind::block, place));
  out.back()->level = number;
  out.back()->body = std::move(inside);
}

void Reader::leave(Stmt& stmt, int number) {
  stmt.kind = StmtKind::leave;
  stmt.level = number;
  left_[static_cast<size_t>(number)] = true;
}

nb::object Reader::generator_of(nb::handle call) {
  if (class_name(call) != "Call") return {};
  nb::object object = resolve(call.attr("func"));
  if (!object.is_valid()) return {};
  if (nb::object iterated = library().attr("generator")(object, call); !iterated.is_none()) return iterated;
  JitObject jitted;
  if (as_jit_object(object, jitted)) {
    const bool is_other = jitted.options.python_errors != frame_->function->options.python_errors;
    if (is_other || !jitted.declared.empty()) return {};  // its divisions are its own, its arguments convert
    object = jitted.function;
  }
  if (!object.type().is(nb::module_::import_("types").attr("FunctionType"))) return {};
  constexpr int co_generator = 0x20;
  return nb::cast<int>(object.attr("__code__").attr("co_flags")) & co_generator ? object : nb::object();
}

ExprPtr Reader::call_with_generators(nb::handle node) {
  nb::dict found;
  size_t i = 0;
  for (nb::handle argument : nb::object(node.attr("args"))) {
    if (nb::object generator = generator_of(argument); generator.is_valid()) found[nb::int_(i)] = generator;
    ++i;
  }
  if (!nb::len(found)) return nullptr;
  nb::object function = resolve(node.attr("func"));
  if (!function.is_valid()) return nullptr;
  JitObject called{function, options_, {}};
  const bool is_jitted = as_jit_object(function, called);
  if (!called.declared.empty() || !called.function.type().is(nb::module_::import_("types").attr("FunctionType"))) return nullptr;
  nb::object made = nb::module_::import_("kasoku._generators").attr("given_to")(called.function, node, found);
  if (made.is_none()) return nullptr;
  keep_.push_back(made);
  called.function = made[0];
  ExprPtr e = make_expr(ExprKind::call, place(node));
  Binding binding;
  binding.kind = Binding::Kind::function;
  binding.name = nb::cast<std::string>(called.function.attr("__name__"));
  binding.function = read(called, is_jitted);
  e->items.push_back(global_expr(binding, binding.name, e->place));
  for (nb::handle argument : nb::object(made[1])) e->items.push_back(expr(argument));
  return e;
}

bool Reader::generator_loop(nb::handle node, Block& out) {
  nb::object call = node.attr("iter"), start = nb::int_(0), counted = scopes().attr("counted")(call);
  const bool counts = !counted.is_none();
  if (counts) {
    nb::object function = resolve(call.attr("func"));
    if (!function.is_valid() || !function.is(nb::module_::import_("builtins").attr("enumerate"))) return false;
    call = counted[0], start = counted[1];
  }
  nb::object python = generator_of(call);
  if (!python.is_valid()) return false;
  const nb::tuple source = source_of(python);
  nb::object generator = source[0];
  keep_.push_back(source), keep_.push_back(counted);
  if (nb::object reason = scopes().attr("stays_a_generator")(generator); !reason.is_none()) fail(node, nb::cast<std::string>(reason));
  int depth = 0;
  for (const Frame* each = frame_; each; each = each->yields ? each->yields->around : nullptr, ++depth)
    if (each->yields && each->yields->code.is(python.attr("__code__"))) fail(node, "a generator that runs over itself cannot be compiled");
  if (depth > 4) fail(node, "so many generators in one another cannot be compiled");

  const Place here = place(node);
  const std::string prefix = fmt::format("ks_{}_", left_.size());
  const int whole = begin_block(), body = begin_block();
  Block around, inside;
  nb::object given = scopes().attr("given_by")(python, call);
  if (nb::isinstance<nb::str>(given)) fail(node, nb::cast<std::string>(given));
  for (auto [name, value] : nb::borrow<nb::dict>(given)) {
    const std::string parameter = nb::cast<std::string>(name);
    const bool is_node = PyObject_IsInstance(value.ptr(), ast_class("AST").ptr()) == 1;
    inside.push_back(assigned(prefix + parameter, is_node ? expr(value) : global_expr(classify(nb::borrow(value), parameter), parameter, here)));
  }
  Yields yields{nb::borrow(node), python.attr("__code__"), frame_, counts ? prefix : ""};
  if (counts) {
    const bool is_node = PyObject_IsInstance(start.ptr(), ast_class("AST").ptr()) == 1;
    inside.push_back(assigned(prefix, is_node ? expr(start) : make_constant(int64_t{0}, here)));
  }

  Frame frame{frame_->function, frame_->python, nb::borrow<nb::dict>(python.attr("__globals__")), cells_of(python), locals_of(python), frame_->def_line};
  frame.prefix = prefix;
  frame.at = here;
  frame.yields = &yields;
  frame.end = body;
  yields.whole = whole;
  frame_ = &frame;
  collect_inner(generator);
  Block statements = block(generator.attr("body"));
  frame_ = yields.around;
  std::move(statements.begin(), statements.end(), std::back_inserter(inside));
  end_block(body, std::move(inside), here, around);
  Block otherwise = block(node.attr("orelse"));
  std::move(otherwise.begin(), otherwise.end(), std::back_inserter(around));
  end_block(whole, std::move(around), here, out);
  return true;
}

void Reader::yield(nb::handle value, Block& out) {
  const Yields& yields = *frame_->yields;
  const Place here = place(value);
  ExprPtr item = expr(value);
  Frame* const generator = std::exchange(frame_, yields.around);
  const nb::handle loop = yields.loop;
  const std::string& counter = yields.counter;
  if (!counter.empty()) item = combined(ExprKind::tuple, make_name(counter, here), std::move(item), here);
  out.push_back(make_stmt(StmtKind::assign, here));
  out.back()->targets.push_back(expr(loop.attr("target")));
  out.back()->expr = std::move(item);
  if (!counter.empty()) out.push_back(assigned(counter, combined(ExprKind::binary, make_name(counter, here), make_constant(int64_t{1}, here), here)));
  const int turn = begin_block();
  frame_->loops.push_back({yields.whole, turn});
  Block body = block(loop.attr("body"));
  frame_->loops.pop_back();
  end_block(turn, std::move(body), here, out);
  frame_ = generator;
}

}  // namespace kasoku
