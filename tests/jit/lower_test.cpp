/// The text that two small functions become, whole: a change of it should be seen and meant.
#include "kasoku/base/error.h"
#include "kasoku/jit/lower.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

using namespace kasoku;
using namespace kasoku::jit;

namespace {

ExprPtr make(ExprKind kind, int line) { return make_expr(kind, {line, 0}); }
ExprPtr name(const std::string& text, int line) { return make_name(text, {line, 0}); }
ExprPtr number(double value, int line) { return make_constant(value, {line, 0}); }
ExprPtr intrinsic(const std::string& text, ExprPtr argument, int line) {
  ExprPtr call = make(ExprKind::call, line), function = make(ExprKind::global, line);
  function->text = text;
  function->binding.kind = Binding::Kind::intrinsic;
  function->binding.name = text;
  call->items.push_back(std::move(function));
  call->items.push_back(std::move(argument));
  return call;
}
ExprPtr two(ExprKind kind, ExprPtr a, ExprPtr b, int line, Operator op = Operator::add) {
  ExprPtr expr = make(kind, line);
  expr->op = op;
  expr->items.push_back(std::move(a));
  expr->items.push_back(std::move(b));
  return expr;
}
StmtPtr statement(StmtKind kind, ExprPtr target, ExprPtr value, int line) {
  StmtPtr stmt = make_stmt(kind, {line, 0});
  if (target) stmt->targets.push_back(std::move(target));
  stmt->expr = std::move(value);
  return stmt;
}

Unit unit_of(const std::string& function_name, const std::vector<std::string>& parameters, Block body,
             std::vector<std::string> lines) {
  auto function = std::make_unique<Function>();
  function->name = function_name;
  function->file = "example.py";
  function->lines = std::move(lines);
  for (const std::string& parameter : parameters) {
    function->parameters.emplace_back();
    function->parameters.back().name = parameter;
  }
  function->body = std::move(body);
  Unit unit;
  unit.functions.push_back(std::move(function));
  return unit;
}

/// def scale(x, a):
///     for i in range(len(x)):
///         x[i] = a * x[i]
Unit scale() {
  StmtPtr loop = statement(StmtKind::for_, name("i", 2),
                           intrinsic("builtins.range", intrinsic("builtins.len", name("x", 2), 2), 2), 2);
  loop->body.push_back(statement(
      StmtKind::assign, two(ExprKind::subscript, name("x", 3), name("i", 3), 3),
      two(ExprKind::binary, name("a", 3), two(ExprKind::subscript, name("x", 3), name("i", 3), 3), 3, Operator::multiply),
      3));
  Block body;
  body.push_back(std::move(loop));
  return unit_of("scale", {"x", "a"}, std::move(body),
                 {"def scale(x, a):", "    for i in range(len(x)):", "        x[i] = a * x[i]"});
}

/// def total(x):
///     s = 0.0
///     for v in x:
///         s += v
///     return s
Unit total() {
  StmtPtr loop = statement(StmtKind::for_, name("v", 3), name("x", 3), 3);
  loop->body.push_back(statement(StmtKind::augment, name("s", 4), name("v", 4), 4));
  Block body;
  body.push_back(statement(StmtKind::assign, name("s", 2), number(0.0, 2), 2));
  body.push_back(std::move(loop));
  body.push_back(statement(StmtKind::return_, nullptr, name("s", 5), 5));
  return unit_of("total", {"x"}, std::move(body),
                 {"def total(x):", "    s = 0.0", "    for v in x:", "        s += v", "    return s"});
}

/// KASOKU_WRITE_GOLDEN=1 writes the files anew. They hold nothing of the machine: the width of its vectors is left out.
void check_golden(const std::string& file, std::string text) {
  const std::string_view width = "#define KS_WIDE 1\n";
  if (const size_t at = text.find(width); at != std::string::npos) text.erase(at, width.size());
  const std::string path = std::string(KASOKU_TESTS_DIR) + "/golden/" + file;
  if (std::getenv("KASOKU_WRITE_GOLDEN")) std::ofstream(path) << text;
  std::stringstream wanted;
  wanted << std::ifstream(path).rdbuf();
  CHECK(text == wanted.str());
}

}  // namespace

TEST_CASE("a loop over range becomes a loop that tests its indices once") {
  const Unit unit = scale();
  check_golden("scale.cu", lower(infer(unit, {Type::array(Dtype::float64, 1, true), float64_type})).program.text);
}

TEST_CASE("a sum over a strided array reads with its stride") {
  const Unit unit = total();
  const Lowered lowered = lower(infer(unit, {Type::array(Dtype::float32, 1, false)}));
  CHECK(lowered.result == Type::scalar(Dtype::float64));
  check_golden("total.cu", lowered.program.text);
}

TEST_CASE("the text of a read-only argument is that of any other, and a store to it is an error") {
  Type constant = Type::array(Dtype::float32, 1, false);
  constant.is_read_only = true;
  const Unit reads = total(), writes = scale();
  CHECK(lower(infer(reads, {constant})).program.text ==
        lower(infer(reads, {Type::array(Dtype::float32, 1, false)})).program.text);
  CHECK_THROWS_WITH_AS(infer(writes, {constant, float64_type}), doctest::Contains("'x' is read-only"), Error);
}
